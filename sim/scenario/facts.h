#pragma once

#include "sim/scenario/change_log.h"
#include "sim/scenario/steps.h"

namespace nlc::sim::scenario {

/// Whether it is so now. The object is a node where there is one of that name, else a pod.
bool is_true(const Fact& fact, const Storage& storage, const ChangeLog& changes);

}  // namespace nlc::sim::scenario
