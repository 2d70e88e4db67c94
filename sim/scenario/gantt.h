#pragma once

#include "report/gantt.h"
#include "runtime/result.h"
#include "sim/scenario/model/outcome.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::sim::scenario {

/// Plays a case once more and tells all that happened in rows over time: what the timeline brought,
/// who ran and led, each node's heartbeats, Ready, taints and pods, and the expectations with what
/// became of them. Of more than `nodes_max` nodes the first to which something happened.
Result<report::Gantt> gantt_of(const Scenario& scenario, const Settings& flags,
                               const Outcome& outcome);

constexpr std::size_t nodes_max = 60;

}  // namespace nlc::sim::scenario
