#pragma once

#include <cstdint>
#include <deque>
#include <functional>

#include "runtime/executor.h"
#include "sim/scenario/model/chance.h"
#include "sim/scenario/model/steps.h"

namespace nlc::sim::scenario {

/// The steps whose beats come by chance: each node for itself, when the seed says so.
class Beating {
 public:
  /// One node's part of a step.
  struct Part {
    Step step;           ///< as in the file, but for this node alone
    std::size_t number;  ///< of the step on the timeline
  };
  struct World {
    Executor& executor;
    Instant origin;
    std::uint64_t seed;
    std::function<void(const Part&, const Beat&)> perform;  ///< also of beats that are lost
  };
  explicit Beating(World world) : world_(std::move(world)) {}
  Beating(const Beating&) = delete;
  Beating& operator=(const Beating&) = delete;

  void add(const Step& step, std::size_t number);

  /// The part that holds this very step; null when it stands on the timeline itself.
  const Part* find(const Step& step) const;

 private:
  struct Course {
    Part part;
    Beats beats;
    std::optional<Beat> coming;
    Timer next;
  };
  void follow(Course& course);

  const World world_;
  std::deque<Course> courses_;  ///< in place: timers refer to them
};

}  // namespace nlc::sim::scenario
