#pragma once

#include <string>
#include <string_view>
#include <type_traits>

#include "api/objects.h"

/// Where things stand on an API server.
namespace nlc::client {

/// Percent-encodes one path segment or query value, all but letters, digits and what is kept.
std::string escaped(std::string_view text, std::string_view kept = "-._~");

std::string node_path(std::string_view name);
std::string pod_path(std::string_view namespace_, std::string_view name);
std::string leases_path(std::string_view namespace_);
std::string lease_path(std::string_view namespace_, std::string_view name);
std::string events_path(std::string_view namespace_);
std::string config_maps_path(std::string_view namespace_);

inline constexpr std::string_view nodes_path = "/api/v1/nodes";
inline constexpr std::string_view pods_path = "/api/v1/pods";
inline constexpr std::string_view node_leases_path =
    "/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases";
inline constexpr std::string_view token_reviews_path =
    "/apis/authentication.k8s.io/v1/tokenreviews";
inline constexpr std::string_view access_reviews_path =
    "/apis/authorization.k8s.io/v1/subjectaccessreviews";

/// The collection in which objects of a type are listed and watched.
template <typename T>
constexpr std::string_view collection_of() {
  if constexpr (std::is_same_v<T, api::Node>) return nodes_path;
  if constexpr (std::is_same_v<T, api::NodeLease>) return node_leases_path;
  if constexpr (std::is_same_v<T, api::Pod>) return pods_path;
  if constexpr (std::is_same_v<T, api::ConfigMap>) return "/api/v1/configmaps";
}

}  // namespace nlc::client
