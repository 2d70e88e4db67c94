#include "sim/kubelet/hollow_errands.h"

#include <cassert>
#include <utility>

#include "client/refusal.h"

namespace nlc::sim {
namespace {

/// Whether the same request may be answered otherwise another time. A namespace that is going away
/// and a service account that is not there yet are told as Forbidden.
bool may_succeed_later(Fault fault) {
  return retry_for(fault) == Retry::AfterBackoff && fault != Fault::Invalid;
}

}  // namespace

void Errands::add(Errand errand) {
  waiting_.push_back(std::move(errand));
  pump();
}

void Errands::when_idle(std::function<void()> idle) {
  idle_ = std::move(idle);
  pump();
}

void Errands::pump() {
  while (!paused_ && in_flight_ < at_once && !waiting_.empty()) {
    Errand next = std::move(waiting_.front());
    waiting_.pop_front();
    send(std::move(next));
  }
  if (left() == 0 && idle_) {
    world_.executor.post(answers_.guard(std::exchange(idle_, nullptr)));
  }
}

void Errands::send(Errand errand) {
  ++in_flight_;
  client::Request request = errand.request;
  world_.transport.send(
      std::move(request),
      answers_.guard([this, errand = std::move(errand)](Result<client::Response> answer) {
        Result<client::Response> judged = client::accepted(errand.request, std::move(answer));
        on_answer(errand, std::move(judged));
      }));
}

void Errands::on_answer(Errand errand, Result<client::Response> answer) {
  assert(in_flight_ > 0);
  --in_flight_;
  if (!answer && may_succeed_later(answer.error().fault)) {
    errand.doubtful = errand.doubtful || may_have_been_applied(answer.error().fault);
    waiting_.push_front(std::move(errand));
    return pause(answer.error());
  }
  backoff_.reset();
  trouble_.clear();
  if (errand.done) errand.done(answer, errand.doubtful);
  pump();
}

// One pause for all: the server, not the errand, is what has to recover.
void Errands::pause(const Error& error) {
  if (error.path != trouble_) {
    if (trouble_.empty())
      world_.log.warning("request refused, trying again", {{"error", error.path}});
    trouble_ = error.path;
  }
  if (std::exchange(paused_, true)) return;
  const Duration wait = backoff_.next(random_, error.retry_after.value_or(Duration{0}));
  resume_ = world_.executor.run_at(world_.clock.now() + wait, [this] {
    paused_ = false;
    pump();
  });
}

}  // namespace nlc::sim
