#pragma once

#include <string>
#include <vector>

#include "sim/scenario/deviations.h"
#include "tests/conformance/unit_case.h"

namespace nlc::conformance {

/// docs/defects.md, as the list of deviations says it: upstream's defects, their public issues,
/// what they do to users, what ours does, and the cases that prove it. In the order of the file,
/// unit cases first.
std::string defects_page(const sim::scenario::Deviations& deviations,
                         const std::vector<UnitDeviation>& units);

}  // namespace nlc::conformance
