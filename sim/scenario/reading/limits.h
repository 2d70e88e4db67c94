#pragma once

#include "sim/scenario/model/scenario.h"
#include "sim/scenario/reading/fields.h"

namespace nlc::sim::scenario {

/// Objects of one case, generated ones included.
inline constexpr std::size_t most_objects = 50'000;

/// What would not end in reasonable time is a problem: a moment after the seventh day, and repeated
/// steps that together happen more than five million times, each node's heartbeat by itself.
void check_limits(const Scenario& scenario, Problems& problems);

}  // namespace nlc::sim::scenario
