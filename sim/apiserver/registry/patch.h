#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/apiserver/types/resource.h"
#include "sim/apiserver/types/status_error.h"

namespace nlc::sim {

enum class PatchType { JsonPatch, Merge, Strategic, Apply };

/// What `patch` makes of `object`. Strategic merges know the merge keys of the kinds served here
/// (spec/api-server.md "Strategic merge"): conditions and node addresses by type, containers by
/// name, pod IPs by ip, owner references by uid, finalizers as a set; taints and tolerations have
/// none and are replaced whole. An apply is merged by the same keys. Only the form of the patch is
/// judged, not what comes out of it.
Outcome<nlohmann::json> patched(const Resource& resource, const nlohmann::json& object,
                                const nlohmann::json& patch, PatchType type);

/// A patch as Go's %v prints it, for refusals: "map[spec:map[taints:[]]]".
std::string go_text(const nlohmann::json& value);

}  // namespace nlc::sim
