#pragma once

#include <vector>

#include "sim/scenario/model/scenario.h"
#include "sim/scenario/reading/fields.h"

namespace nlc::sim::scenario {

/// A list of expectations, as under `expect`; other files use the same form.
std::vector<Expectation> expectations_of(const Yaml& list, Problems& problems);

}  // namespace nlc::sim::scenario
