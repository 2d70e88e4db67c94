#pragma once

#include <string_view>

namespace nlc::sim {

/// As types.go of k8s.io/api and k8s.io/apimachinery 0.37.1 declare them (spec/api-server.md
/// "Protobuf"): all types that stand below an object of this server, and those of lists and
/// refusals. Of each field its number in protobuf, its name in JSON, and its type as Go writes it,
/// with a `?` for omitempty. What has no name is embedded. (Go repeats Container as
/// EphemeralContainerCommon, for its documentation.)
///
///   VolumeDevice: 1 name string; 2 devicePath string
///   EphemeralContainer: 1 Container; 2 targetContainerName string?
///
/// A line that begins with a space goes on with the one before.
std::string_view declared_types();

}  // namespace nlc::sim
