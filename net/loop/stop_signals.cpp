#include "net/loop/stop_signals.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <utility>

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
      // A terminal that goes says so twice: its shell does, and the kernel when that ends.
      if (signal == SIGHUP && std::exchange(self->hung_up, true)) return;
      const std::function<void(int)> told = self->asked;
      told(signal);
    });
  }

  boost::asio::signal_set signals;
  std::function<void(int)> asked;
  bool ended = false;
  bool hung_up = false;
};

StopSignals::StopSignals(AsioLoop& loop, std::function<void(int signal)> asked,
                         std::initializer_list<int> signals)
    : waiting_(std::make_shared<Waiting>(loop.context(), std::move(asked))) {
  for (const int signal : signals) {
    if (signal != SIGHUP || !ignores_hangup()) waiting_->signals.add(signal);
  }
  Waiting::wait(waiting_);
}

StopSignals::~StopSignals() {
  waiting_->ended = true;
  boost::system::error_code ignored;
  waiting_->signals.clear(ignored);
  waiting_->signals.cancel(ignored);
}

}  // namespace nlc::net
