#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "runtime/random.h"
#include "sim/scenario/model/steps.h"

namespace nlc::sim::scenario {

/// One heartbeat of one node: when, and what becomes of it.
struct TimedHeartbeat {
  Duration at{0};
  bool lost = false;  ///< never reaches the server
  bool last = false;  ///< the node's last one in this step
};

/// The nodes of a step of heartbeats and its chance; no nodes for every other kind of step.
const std::vector<std::string>& heartbeat_nodes(const Step& step);
const Chance& chance_of(const Step& step);
/// Whether each of its nodes has times of its own: by chance, or only where it has something to
/// say.
bool is_by_node(const Step& step);

/// The heartbeats of one node in one step, in order, as the seed has them. They depend on nothing
/// else: two runs with one seed but different flags see the same heartbeats and the same losses.
///
/// With jitter they come at `from` + its phase (anywhere within `every`), `every` later, and so
/// on, each time up to the jitter late. No heartbeat comes after `until`.
class HeartbeatSchedule {
 public:
  struct Source {
    std::uint64_t seed;  ///< of the run
    std::size_t step;    ///< its place on the timeline
    std::size_t node;    ///< its place among the nodes of the step
  };
  HeartbeatSchedule(const Step& step, Source source);

  std::optional<TimedHeartbeat> next();

 private:
  std::optional<TimedHeartbeat> draw();

  const Chance chance_;
  const std::optional<Duration> every_;
  const Duration until_;
  Random random_;
  Duration due_;
  std::optional<TimedHeartbeat> coming_;
};

}  // namespace nlc::sim::scenario
