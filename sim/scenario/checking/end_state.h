#pragma once

#include <nlohmann/json.hpp>

#include "sim/apiserver/registry/storage.h"

namespace nlc::sim::scenario {

/// What a controller leaves in the cluster, times and counts aside: of each node its conditions'
/// statuses and reasons, its taints and labels; of each pod that is left its conditions and whether
/// it is being deleted.
nlohmann::json end_state(const Storage& storage);

}  // namespace nlc::sim::scenario
