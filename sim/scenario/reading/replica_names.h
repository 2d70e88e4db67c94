#pragma once

#include "sim/scenario/model/scenario.h"
#include "sim/scenario/reading/fields.h"

namespace nlc::sim::scenario {

/// A step or a check that names a replica which is never started is a problem.
void check_replica_names(const Scenario& scenario, Problems& problems);

}  // namespace nlc::sim::scenario
