#pragma once

#include "sim/scenario/model/scenario.h"
#include "sim/scenario/reading/fields.h"
#include "sim/scenario/reading/known_names.h"

namespace nlc::sim::scenario {

/// Whatever a step or a check names has to be given, applied, or come to be by the day's own means:
/// an object, a zone, a namespace, the key of a taint. What is nowhere is a problem, for nothing
/// would ever happen to it, and nothing that is asked of it could fail.
void check_object_names(const Scenario& scenario, const KnownNames& known, Problems& problems);

}  // namespace nlc::sim::scenario
