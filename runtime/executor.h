#pragma once

#include <functional>

#include "runtime/subscription.h"
#include "runtime/time.h"

namespace nlc {

/// A timer that has been set; cancelled when destroyed, so whoever holds it owns its future.
using Timer = Subscription;

/// One thread's queue of work. Everything that shares an executor shares that thread and needs no
/// lock.
class Executor {
 public:
  virtual ~Executor() = default;

  /// Runs `work` later on the executor's thread, after all that was posted before. From any thread.
  virtual void post(std::function<void()> work) = 0;

  /// Runs `work` once `when` has come, never inline. From the executor's own thread only.
  virtual Timer run_at(Instant when, std::function<void()> work) = 0;
};

}  // namespace nlc
