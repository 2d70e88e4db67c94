#pragma once

#include <string>
#include <vector>

#include "sim/experiment/panel.h"
#include "sim/experiment/results.h"

namespace nlc::sim::experiment {

/// What an experiment came to, in a sentence: which flags made no difference, and the measure that
/// differed most, with the settings at its ends. `panels` are those of all measures. Of a single
/// setting there is nothing to say.
std::string finding_of(const Results& results, const std::vector<Panel>& panels);

}  // namespace nlc::sim::experiment
