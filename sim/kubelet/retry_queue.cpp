#include "sim/kubelet/retry_queue.h"

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

void RetryQueue::add(QueuedRequest queued) {
  waiting_.push_back(std::move(queued));
  pump();
}

void RetryQueue::when_idle(std::function<void()> idle) {
  idle_ = std::move(idle);
  pump();
}

void RetryQueue::pump() {
  while (!paused_ && in_flight_ < at_once && !waiting_.empty()) {
    QueuedRequest next = std::move(waiting_.front());
    waiting_.pop_front();
    send(std::move(next));
  }
  if (left() == 0 && idle_) {
    env_.executor.post(answers_.guard(std::exchange(idle_, nullptr)));
  }
}

void RetryQueue::send(QueuedRequest queued) {
  ++in_flight_;
  client::Request request = queued.request;
  env_.transport.send(
      std::move(request),
      answers_.guard([this, queued = std::move(queued)](Result<client::Response> answer) {
        Result<client::Response> judged = client::accepted(queued.request, std::move(answer));
        on_answer(queued, std::move(judged));
      }));
}

void RetryQueue::on_answer(QueuedRequest queued, Result<client::Response> answer) {
  assert(in_flight_ > 0);
  --in_flight_;
  if (!answer && may_succeed_later(answer.error().fault)) {
    queued.doubtful = queued.doubtful || may_have_been_applied(answer.error().fault);
    waiting_.push_front(std::move(queued));
    return pause(answer.error());
  }
  backoff_.reset();
  trouble_.clear();
  if (queued.done) queued.done(answer, queued.doubtful);
  pump();
}

// One pause for all: the server, not the queued, is what has to recover.
void RetryQueue::pause(const Error& error) {
  if (error.path != trouble_) {
    if (trouble_.empty())
      env_.log.warning("request refused, trying again", {{"error", error.path}});
    trouble_ = error.path;
  }
  if (std::exchange(paused_, true)) return;
  const Duration wait = backoff_.next(random_, error.retry_after.value_or(Duration{0}));
  resume_ = env_.executor.run_at(env_.clock.now() + wait, [this] {
    paused_ = false;
    pump();
  });
}

}  // namespace nlc::sim
