#pragma once

#include <string>

#include "sim/scenario/deviations.h"

namespace nlc::sim::scenario {

/// docs/defects.md, as the list of deviations says it: upstream's defects, their public issues,
/// what they do to users, what ours does, and the cases that prove it. In the order of the file.
std::string defects_page(const Deviations& deviations);

}  // namespace nlc::sim::scenario
