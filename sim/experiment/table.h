#pragma once

#include <string>

#include "sim/experiment/results.h"

namespace nlc::sim::experiment {

/// For the terminal, a line per setting in each of three parts: times since a dead node's last
/// heartbeat, times since its grace ended, and what was counted.
std::string table_of(const Results& results);

}  // namespace nlc::sim::experiment
