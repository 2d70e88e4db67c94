#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/apiserver/resource.h"

namespace nlc::sim {

/// Takes out of `object` the fields its kind does not have, as decoding into real types does, and
/// returns their paths: "spec.unschedulabel". A patch may be such an object too: its directives
/// (`$patch`, `$setElementOrder/…`) stay. Only types are looked into of which all fields are in our
/// tables; what stands below others, such as a pod's status, passes unseen.
std::vector<std::string> drop_unknown_fields(const Resource& resource, nlohmann::json& object);

/// The first field of `object` whose value is of another type than `kind` gives it, as Go's decoder
/// says it: "json: cannot unmarshal string into Go struct field PodSpec.spec.hostPID of type bool".
/// Empty when all that our tables know fits; null fits everywhere.
std::string mistyped_field(std::string_view kind, const nlohmann::json& object);

}  // namespace nlc::sim
