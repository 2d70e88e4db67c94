#pragma once

#include "sim/scenario/model/scenario.h"
#include "sim/scenario/reading/fields.h"
#include "sim/scenario/reading/known_names.h"

namespace nlc::sim::scenario {

/// What a patch of a user or of a webhook makes of its object is a problem where the server would
/// not take it. The object is taken as it is given, else as it is applied first.
void check_patches(const Scenario& scenario, const KnownNames& known, Problems& problems);

}  // namespace nlc::sim::scenario
