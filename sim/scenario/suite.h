#pragma once

#include "sim/scenario/deviations.h"
#include "sim/scenario/run.h"
#include "sim/scenario/scenario.h"

namespace nlc::sim::scenario {

/// Runs a case as it is written and, where it is listed as deviating, by what is listed in its
/// place. `listed` is null for all others. Only the first of the two runs is traced.
Outcome run_listed(const Scenario& scenario, const Deviation* listed, const RunOptions& options);
Outcome run_listed(const UnitCase& unit, const Deviation* listed);

}  // namespace nlc::sim::scenario
