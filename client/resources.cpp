#include "client/resources.h"

#include <absl/strings/ascii.h>

namespace nlc::client {

std::string escaped(std::string_view text, std::string_view kept) {
  constexpr std::string_view hex = "0123456789ABCDEF";
  std::string result;
  for (const char character : text) {
    const auto byte = static_cast<unsigned char>(character);
    if (absl::ascii_isalnum(byte) || kept.find(character) != kept.npos) {
      result += character;
    } else {
      result += '%';
      result += hex[byte >> 4U];
      result += hex[byte & 15U];
    }
  }
  return result;
}

std::string node_path(std::string_view name) {
  return std::string(nodes_path) + "/" + escaped(name);
}

std::string pod_path(std::string_view namespace_, std::string_view name) {
  return "/api/v1/namespaces/" + escaped(namespace_) + "/pods/" + escaped(name);
}

std::string leases_path(std::string_view namespace_) {
  return "/apis/coordination.k8s.io/v1/namespaces/" + escaped(namespace_) + "/leases";
}

std::string lease_path(std::string_view namespace_, std::string_view name) {
  return leases_path(namespace_) + "/" + escaped(name);
}

std::string config_maps_path(std::string_view namespace_) {
  return "/api/v1/namespaces/" + escaped(namespace_) + "/configmaps";
}

std::string events_path(std::string_view namespace_) {
  return "/api/v1/namespaces/" + escaped(namespace_) + "/events";
}

}  // namespace nlc::client
