#pragma once

#include "sim/scenario/model/steps.h"
#include "sim/scenario/stage/change_log.h"

namespace nlc::sim::scenario {

/// Whether it is so now. The object is a node where there is one of that name, else a pod.
bool is_true(const Fact& fact, const Storage& storage, const ChangeLog& changes);

}  // namespace nlc::sim::scenario
