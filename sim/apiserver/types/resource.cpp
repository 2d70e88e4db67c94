#include "sim/apiserver/types/resource.h"

#include <algorithm>
#include <array>

namespace nlc::sim {
namespace {

constexpr std::array<std::string_view, 8> every_verb{
    "create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"};
constexpr std::array<std::string_view, 7> all_but_collections{"create", "delete", "get",  "list",
                                                              "patch",  "update", "watch"};
constexpr std::array<std::string_view, 3> verbs_of_status{"get", "patch", "update"};
constexpr std::array<std::string_view, 1> only_create{"create"};
constexpr std::array<std::string_view, 1> only_update{"update"};

constexpr std::array<Subresource, 1> of_nodes{{{"status", "Node", "", "", verbs_of_status}}};
constexpr std::array<Subresource, 3> of_pods{{{"binding", "Binding", "", "", only_create},
                                              {"eviction", "Eviction", "policy", "v1", only_create},
                                              {"status", "Pod", "", "", verbs_of_status}}};
constexpr std::array<Subresource, 2> of_namespaces{
    {{"finalize", "Namespace", "", "", only_update},
     {"status", "Namespace", "", "", verbs_of_status}}};
constexpr std::array<Subresource, 1> of_daemonsets{
    {{"status", "DaemonSet", "", "", verbs_of_status}}};

constexpr WriteRules plain{};
constexpr WriteRules with_status{.status_apart = true};
constexpr WriteRules with_generations{.status_apart = true, .counts_generations = true};
constexpr WriteRules lease_rules{.create_on_put = true, .needs_version = true};
constexpr WriteRules created_by_put{.create_on_put = true};

constexpr std::array<Resource, 9> table{{
    {0, "", "v1", "configmaps", "configmap", "ConfigMap", "cm", "", "configmaps",
     "qFsyl6wFWjQ=", true, plain, every_verb},
    {1, "", "v1", "endpoints", "endpoints", "Endpoints", "ep", "", "services/endpoints",
     "fWeeMqaN/OA=", true, created_by_put, every_verb},
    {2, "", "v1", "events", "event", "Event", "ev", "", "events", "r2yiGXH7wu8=", true,
     created_by_put, every_verb},
    {3, "", "v1", "namespaces", "namespace", "Namespace", "ns", "", "namespaces",
     "Q3oi5N2YM8M=", false, with_status, all_but_collections, of_namespaces},
    {4, "", "v1", "nodes", "node", "Node", "no", "", "minions", "XwShjMxG9Fs=", false, with_status,
     every_verb, of_nodes},
    {5, "", "v1", "pods", "pod", "Pod", "po", "all", "pods", "xPOwRZ+Yhw8=", true, with_generations,
     every_verb, of_pods},
    {6, "", "v1", "serviceaccounts", "serviceaccount", "ServiceAccount", "sa", "",
     "serviceaccounts", "pbx9ZvyFpBE=", true, plain, every_verb},
    {7, "apps", "v1", "daemonsets", "daemonset", "DaemonSet", "ds", "all", "daemonsets",
     "dd7pWHUlMKQ=", true, with_generations, every_verb, of_daemonsets},
    {8, "coordination.k8s.io", "v1", "leases", "lease", "Lease", "", "", "leases",
     "gqkMMb/YqFM=", true, lease_rules, every_verb},
}};

template <typename All, typename Such>
auto first_of(const All& all, Such such) {
  const auto found = std::ranges::find_if(all, such);
  return found == all.end() ? nullptr : &*found;
}

}  // namespace

std::span<const Resource> resources() { return table; }

const Resource* find_resource(std::string_view group, std::string_view version,
                              std::string_view plural) {
  return first_of(table, [&](const Resource& resource) {
    return resource.plural == plural && resource.group == group && resource.version == version;
  });
}

const Resource& core_resource(std::string_view plural) { return *find_resource("", "v1", plural); }

const Resource* find_kind(std::string_view api_version, std::string_view kind) {
  return first_of(table, [&](const Resource& resource) {
    return resource.kind == kind && api_version_of(resource) == api_version;
  });
}

const Resource* resource_called(std::string_view plural) {
  return first_of(table, [&](const Resource& resource) { return resource.plural == plural; });
}

const Resource* resource_of_kind(std::string_view kind) {
  return first_of(table, [&](const Resource& resource) { return resource.kind == kind; });
}

const Subresource* find_subresource(const Resource& resource, std::string_view name) {
  return first_of(resource.subresources,
                  [&](const Subresource& subresource) { return subresource.name == name; });
}

std::string api_version_of(const Resource& resource) {
  if (resource.group.empty()) return std::string(resource.version);
  return std::string(resource.group) + "/" + std::string(resource.version);
}

std::string go_package(const Resource& resource) {
  if (resource.group.empty()) return "core";
  return std::string(resource.group.substr(0, resource.group.find('.')));
}

std::string qualified_name(const Resource& resource) {
  if (resource.group.empty()) return std::string(resource.plural);
  return std::string(resource.plural) + "." + std::string(resource.group);
}

}  // namespace nlc::sim
