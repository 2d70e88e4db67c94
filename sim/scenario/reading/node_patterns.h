#pragma once

#include "sim/scenario/model/scenario.h"
#include "sim/scenario/reading/fields.h"

namespace nlc::sim::scenario {

/// Puts the names in the place of the patterns on steps of heartbeats: of the nodes that are given
/// or applied later, in the order of the file. A pattern for no node is a problem.
void resolve_patterns(Scenario& scenario, Problems& problems);

}  // namespace nlc::sim::scenario
