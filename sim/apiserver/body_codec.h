#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/apiserver/resource.h"
#include "sim/apiserver/status_error.h"

/// Request bodies, in whichever encoding they come, as JSON.
namespace nlc::sim {

/// A body in JSON, YAML or protobuf (spec/api-server.md "Protobuf"). `kind` names what was
/// expected, for messages.
Outcome<nlohmann::json> read_body(std::string_view body, std::string_view content_type,
                                  std::string_view kind);

/// YAML read as kubectl's server-side apply writes it: the JSON data model.
Outcome<nlohmann::json> read_yaml(std::string_view text);

}  // namespace nlc::sim
