#pragma once

#include "sim/scenario/model/scenario.h"
#include "sim/scenario/reading/fields.h"

namespace nlc::sim::scenario {

/// The names of the replicas that the timeline starts; where it starts none, there is one without a
/// name.
std::set<std::string> replica_names(const Scenario& scenario);

/// A step or a check that names a replica which is never started is a problem.
void check_replica_names(const Scenario& scenario, Problems& problems);

}  // namespace nlc::sim::scenario
