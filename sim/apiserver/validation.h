#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>
#include <vector>

#include "sim/apiserver/status_error.h"

/// The rules an object must keep, as far as they matter here: names, labels, taints, leases, and
/// what of a pod may change. Order and texts of the faults are the real server's.
namespace nlc::sim {

std::vector<FieldFault> faults_of_new(const Resource& resource, const nlohmann::json& object);

/// `before` and `after` are of one object; uid and names were not yet carried over from `before`.
std::vector<FieldFault> faults_of_update(const Resource& resource, const nlohmann::json& before,
                                         const nlohmann::json& after);

/// An object that says another name or namespace than the address it is written to; an empty part
/// of the address is not compared.
std::optional<StatusError> refused_address(const nlohmann::json& metadata,
                                           std::string_view namespace_name, std::string_view name);

}  // namespace nlc::sim
