#pragma once

#include <nlohmann/json.hpp>

#include "sim/apiserver/types/resource.h"

/// What the simulated server would refuse of a user's write, and so no file may ask for.
namespace nlc::sim::scenario {

/// Throws why no object of that kind says this: a value of another type, or a field that there is
/// not.
void refuse_types(const Resource& resource, const nlohmann::json& object, int line);

/// Throws why no such object is taken: a name, a label, a taint, a toleration that is none. It has
/// all that it needs, of types that fit.
void refuse_values(const Resource& resource, const nlohmann::json& object, int line);

}  // namespace nlc::sim::scenario
