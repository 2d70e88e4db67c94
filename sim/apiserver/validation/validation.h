#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "sim/apiserver/validation/metadata_validation.h"

/// What a write may not say (spec/api-server.md "Refusals").
namespace nlc::sim {

/// An object whose own name or namespace is not that of its address. Empty `name`: the address has
/// none, for the object is new.
std::optional<StatusError> refused_address(const nlohmann::json& metadata,
                                           std::string_view namespace_name, std::string_view name);

FieldFaults faults_of_new(const Resource& resource, const nlohmann::json& object);

struct ObjectChange {
  const nlohmann::json& before;
  const nlohmann::json& after;
  const std::string& subresource;
};

FieldFaults faults_of_update(const Resource& resource, const ObjectChange& change);

}  // namespace nlc::sim
