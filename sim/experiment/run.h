#pragma once

#include <cstdint>
#include <string>

#include "sim/experiment/grid.h"
#include "sim/experiment/meter.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::sim::experiment {

/// Finds the scenario to run: the one of that id, or the only one when `id` is empty. Refuses a
/// file that has none such, and a scenario that could not be understood.
Result<scenario::Scenario> scenario_in(const std::string& file, const std::string& id);

/// Plays the scenario once, to the end of its timeline and of its expectations, and measures it.
/// The expectations are not looked at: an experiment changes what they were made for. The setting
/// must have been accepted by `policy_of`.
Measures measured_run(const scenario::Scenario& scenario, const Setting& setting,
                      std::uint64_t seed);

}  // namespace nlc::sim::experiment
