#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <string>

#include "client/transport.h"
#include "runtime/backoff.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"
#include "runtime/random.h"
#include "runtime/result.h"

namespace nlc::sim {

/// A request that has to succeed some time, or to be refused for good.
struct QueuedRequest {
  client::Request request;
  /// `doubtful`: an earlier try went unanswered, so what now exists already may be its work.
  std::function<void(const Result<client::Response>& answer, bool doubtful)> done;
  bool doubtful = false;
};

/// Does many requests without flooding the server: a few at a time, in the order given. What may be
/// tried again is tried again after a back-off that all share (200 ms doubling to 7 s), for ever;
/// trouble is logged when it begins. Everything on the executor's thread.
class RetryQueue {
 public:
  struct Env {
    client::Transport& transport;
    const Clock& clock;
    Executor& executor;
    Log& log;
  };
  RetryQueue(Env env, Random random) : env_(env), random_(random) {}
  RetryQueue(const RetryQueue&) = delete;
  RetryQueue& operator=(const RetryQueue&) = delete;

  void add(QueuedRequest queued);

  /// Called, later, once nothing is left to do: each time, and at once when that is so already.
  void when_idle(std::function<void()> idle);

  /// Forgets what has not been sent.
  void drop_waiting() { waiting_.clear(); }

  std::size_t left() const { return waiting_.size() + in_flight_; }
  /// In the words of the last refusal; empty while all is well.
  const std::string& trouble() const { return trouble_; }

 private:
  static constexpr std::size_t at_once = 32;

  void pump();
  void send(QueuedRequest queued);
  void on_answer(QueuedRequest queued, Result<client::Response> answer);
  void pause(const Error& error);

  Env env_;
  Random random_;
  Backoff backoff_{{std::chrono::milliseconds(200), std::chrono::seconds(7)}};
  std::deque<QueuedRequest> waiting_;
  std::size_t in_flight_ = 0;
  bool paused_ = false;
  std::string trouble_;
  std::function<void()> idle_;
  Timer resume_;
  CallbackScope answers_;
};

}  // namespace nlc::sim
