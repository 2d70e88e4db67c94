#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/apiserver/types/resource.h"

/// What the simulated server would refuse of a user's write, and so no file may ask for.
namespace nlc::sim::scenario {

/// Why no object of that kind says this: a value of another type, or a field that there is not.
/// Empty where one can.
std::string type_fault(const Resource& resource, nlohmann::json object);

/// Why no such object is taken: a name, a label, a taint, a toleration that is none. It has all
/// that it needs, of types that fit. Empty where it is.
std::string value_fault(const Resource& resource, nlohmann::json object);

/// Throws what either of them says, with that line.
void refuse_types(const Resource& resource, const nlohmann::json& object, int line);
void refuse_values(const Resource& resource, const nlohmann::json& object, int line);

}  // namespace nlc::sim::scenario
