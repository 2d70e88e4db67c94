#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "runtime/executor.h"
#include "sim/scenario/model/chance.h"
#include "sim/scenario/model/steps.h"

namespace nlc::sim::scenario {

/// The steps whose heartbeats come by chance: each node for itself, when the seed says so.
class HeartbeatSteps {
 public:
  /// One node's part of a step.
  struct Part {
    Step step;           ///< as in the file, but for this node alone
    std::size_t number;  ///< of the step on the timeline
  };
  struct Env {
    Executor& executor;
    Instant origin;
    std::uint64_t seed;
    std::function<void(const Part&, const TimedHeartbeat&)>
        perform;  ///< also of heartbeats that are lost
  };
  explicit HeartbeatSteps(Env env) : env_(std::move(env)) {}
  HeartbeatSteps(const HeartbeatSteps&) = delete;
  HeartbeatSteps& operator=(const HeartbeatSteps&) = delete;

  void add(const Step& step, std::size_t number);

  /// The part that holds this very step; null when it stands on the timeline itself.
  const Part* find(const Step& step) const;

 private:
  struct Course {
    Part part;
    HeartbeatSchedule heartbeats;
    std::optional<TimedHeartbeat> coming;
    Timer next;
  };
  void follow(Course& course);

  const Env env_;
  std::deque<Course> courses_;  ///< in place: timers refer to them
};

}  // namespace nlc::sim::scenario
