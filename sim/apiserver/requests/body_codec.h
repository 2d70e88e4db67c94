#pragma once

#include <nlohmann/json.hpp>
#include <string_view>

#include "sim/apiserver/types/resource.h"
#include "sim/apiserver/types/status_error.h"

/// Request bodies, in whichever encoding they come, as JSON.
namespace nlc::sim {

/// A body in JSON, YAML or protobuf (spec/api-server.md "Protobuf"). `kind` names what was
/// expected, for messages.
Outcome<nlohmann::json> read_body(std::string_view body, std::string_view content_type,
                                  std::string_view kind);

/// True for JSON nested deeper than any kind needs (1,000). It is refused: writing it out again
/// recurses, and would run out of stack.
bool nests_too_deeply(std::string_view json);

/// What Go's decoder says of a text that is no JSON object; empty when it is one.
std::string json_fault(std::string_view text);

/// YAML read as kubectl's server-side apply writes it: the JSON data model.
Outcome<nlohmann::json> read_yaml(std::string_view text);

/// What strict decoding has against it, a key that stands twice; empty when nothing.
std::string strict_yaml_fault(std::string_view text);

/// The same of a body that is no object of its own but says how something is to be done: a refusal
/// names no kind.
Outcome<nlohmann::json> read_options_body(std::string_view body, std::string_view content_type);

}  // namespace nlc::sim
