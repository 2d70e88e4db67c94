#pragma once

#include <string>

#include "sim/experiment/results.h"

/// The outcome of an experiment for other programs. Times are seconds, to the millisecond.
namespace nlc::sim::experiment {

/// A heading, then a line per setting. What was never measured is empty.
std::string csv_of(const Results& results);

/// One object; what was never measured is null.
std::string json_of(const Results& results);

}  // namespace nlc::sim::experiment
