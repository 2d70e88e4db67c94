#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

/// Objects of Kubernetes in protobuf, made from their JSON with the embedded API server's table of
/// fields: what our own decoder reads was not written by its mirror image.
namespace nlc::conformance {

/// The object alone; what is not in the table is left out.
std::string raw_protobuf(const nlohmann::json& object, std::string_view message);

/// An object that names its kind, in its envelope.
std::string protobuf_of(const nlohmann::json& object);

std::string in_envelope(std::string_view kind, std::string_view raw);

/// An event of a watch, as a frame with its length before it.
std::string protobuf_frame(std::string_view type, std::string_view enveloped);

}  // namespace nlc::conformance
