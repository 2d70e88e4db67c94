#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "client/transport.h"

/// Answers in protobuf, made from their JSON with this server's table of fields (spec/api-server.md
/// "Protobuf"): what our own decoder reads was not written by its mirror image. Of what no decoder
/// of ours asks for, such as quantities, nothing is written.
namespace nlc::sim {

/// The object alone; what is not in the table is left out.
std::string raw_protobuf(const nlohmann::json& object, std::string_view message);

/// An object or a list that names its kind, and perhaps its apiVersion, in its envelope.
std::string protobuf_of(const nlohmann::json& object);

std::string in_envelope(std::string_view kind, std::string_view raw,
                        std::string_view api_version = {});

/// An event of a watch, as a frame with its length before it.
std::string protobuf_frame(std::string_view type, std::string_view enveloped);

/// Whether a client would rather read protobuf than JSON.
bool asks_for_protobuf(std::string_view accept);

/// The same answer in protobuf; as it is where it has no JSON of a kind that is in the table.
client::Response in_protobuf(client::Response answer);

/// The events of a watch, whole lines of JSON, as frames; and the media type of such a stream.
std::string protobuf_frames(std::string_view lines);
inline constexpr std::string_view protobuf_stream =
    "application/vnd.kubernetes.protobuf;stream=watch";

}  // namespace nlc::sim
