#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/apiserver/types/status_error.h"

namespace nlc::sim {

/// An enveloped protobuf object ("k8s\0" + runtime.Unknown, spec/api-server.md "Protobuf") as JSON
/// with kind and apiVersion. Fields that Go leaves out of its JSON when they are empty are left out
/// here too; fields not in our tables are skipped, as an older server would.
Outcome<nlohmann::json> read_protobuf(std::string_view body);

}  // namespace nlc::sim
