#include "net/loop/stop_signals.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <utility>
#include <vector>

namespace nlc::net {

namespace {

/// As under nohup, and so it must stay.
bool ignores_hangup() {
  struct sigaction now {};
  return ::sigaction(SIGHUP, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

}  // namespace

struct StopSignals::Waiting {
  Waiting(boost::asio::io_context& context, std::function<void(int)> callback)
      : signals(context), asked(std::move(callback)) {}

  static void wait(const std::shared_ptr<Waiting>& self) {
    self->signals.async_wait([self](const boost::system::error_code& error, int signal) {
      if (error || self->ended) return;
      wait(self);  // First, for `asked` may end us.
      self->was_asked = true;
      // A terminal that goes says so twice: its shell does, and the kernel when that ends.
      if (signal == SIGHUP && std::exchange(self->hung_up, true)) return;
      const std::function<void(int)> told = self->asked;
      told(signal);
    });
  }

  boost::asio::signal_set signals;
  std::function<void(int)> asked;
  std::vector<int> waits_for;
  bool was_asked = false;
  bool ended = false;
  bool hung_up = false;
};

StopSignals::StopSignals(AsioLoop& loop, std::function<void(int signal)> asked,
                         std::initializer_list<int> signals)
    : waiting_(std::make_shared<Waiting>(loop.context(), std::move(asked))) {
  for (const int signal : signals) {
    if (signal == SIGHUP && ignores_hangup()) continue;
    waiting_->signals.add(signal);
    waiting_->waits_for.push_back(signal);
  }
  Waiting::wait(waiting_);
}

StopSignals::~StopSignals() {
  waiting_->ended = true;
  boost::system::error_code ignored;
  waiting_->signals.clear(ignored);
  waiting_->signals.cancel(ignored);
  if (!waiting_->was_asked) return;
  for (const int signal : waiting_->waits_for) ::signal(signal, SIG_IGN);
}

}  // namespace nlc::net
