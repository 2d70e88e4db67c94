#pragma once

#include "sim/scenario/model/outcome.h"
#include "tests/conformance/unit_case.h"

namespace nlc::conformance {

using sim::scenario::Outcome;

/// Asks the component of ours that does this work. A case fails with words when there is none, or
/// when its input has operations or keys that nobody here knows.
Outcome run_unit(const UnitCase& unit);

/// As it is written and, where it is listed, by what is listed in its place; else `listed` is null.
Outcome run_listed(const UnitCase& unit, const UnitDeviation* listed);

}  // namespace nlc::conformance
