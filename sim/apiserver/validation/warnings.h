#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/apiserver/types/resource.h"

/// What a server takes and warns of all the same: the values of the Warning header.
namespace nlc::sim {

/// Of whatever is asked of that kind; empty for most.
std::string_view warning_of_kind(const Resource& resource);

/// Of a valid object that is written; `before` is null when it is new.
std::vector<std::string> warnings_of(const Resource& resource, const nlohmann::json* before,
                                     const nlohmann::json& object);

/// Of owners that are named twice; empty when none is. A patch is looked at later than a body is.
std::string warning_of_owners(const nlohmann::json& metadata, bool of_patch);

}  // namespace nlc::sim
