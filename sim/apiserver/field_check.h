#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "sim/apiserver/resource.h"

namespace nlc::sim {

/// Takes out of `object` the fields its kind does not have, as decoding into real types does, and
/// returns their paths: "spec.unschedulabel". A patch may be such an object too: its directives
/// (`$patch`, `$setElementOrder/…`) stay. Only types are looked into of which all fields are in our
/// tables; what stands below others, such as a pod's status, passes unseen.
std::vector<std::string> drop_unknown_fields(const Resource& resource, nlohmann::json& object);

}  // namespace nlc::sim
