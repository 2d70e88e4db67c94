#include "sim/field_check.h"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <string_view>

#include "sim/protobuf_schema.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

/// The types of which the protobuf tables, with what `other_fields` adds, name every field.
constexpr std::array<std::string_view, 28> complete_types{
    "ConfigMap",     "Container",     "ContainerPort",   "DaemonSet",
    "DaemonSetSpec", "EndpointPort",  "EndpointAddress", "EndpointSubset",
    "Endpoints",     "EnvVar",        "Event",           "LabelSelector",
    "Lease",         "LeaseSpec",     "Namespace",       "NamespaceSpec",
    "Node",          "NodeSpec",      "ObjectMeta",      "ObjectReference",
    "Pod",           "PodSpec",       "PodTemplateSpec", "OwnerReference",
    "Taint",         "ServiceAccount", "Toleration",     "ResourceRequirements"};

/// Fields of these types that no client of ours writes in protobuf; what stands in them passes.
struct OtherFields {
  std::string_view type;
  std::initializer_list<std::string_view> names;
};
constexpr std::initializer_list<std::string_view> of_container{
    "livenessProbe", "readinessProbe", "lifecycle",    "securityContext", "envFrom",
    "volumeDevices", "startupProbe",   "resizePolicy", "restartPolicy",   "restartPolicyRules"};
constexpr std::initializer_list<std::string_view> of_pod_spec{
    "affinity",         "hostAliases",     "dnsConfig",
    "topologySpreadConstraints",           "ephemeralContainers",
    "setHostnameAsFQDN", "os",             "hostUsers",
    "schedulingGates",  "resourceClaims",  "resources",
    "hostnameOverride", "workloadRef",     "schedulingGroup"};
constexpr std::initializer_list<std::string_view> of_node_spec{"configSource"};
constexpr std::initializer_list<std::string_view> of_env_var{"valueFrom"};
constexpr std::initializer_list<std::string_view> of_resources{"claims"};
constexpr std::array<OtherFields, 5> other_fields{{{"Container", of_container},
                                                   {"PodSpec", of_pod_spec},
                                                   {"NodeSpec", of_node_spec},
                                                   {"EnvVar", of_env_var},
                                                   {"ResourceRequirements", of_resources}}};

bool is_complete(std::string_view type) {
  for (const std::string_view complete : complete_types) {
    if (complete == type) return true;
  }
  return false;
}

/// In JSON only: not in a protobuf body, or kept by the server itself.
bool is_json_only(std::string_view type, std::string_view field, bool top) {
  if (top && (field == "kind" || field == "apiVersion")) return true;
  if (type == "ObjectMeta" && field == "managedFields") return true;
  if (field.starts_with('$')) return true;  // a directive of a patch
  for (const OtherFields& others : other_fields) {
    if (others.type != type) continue;
    return std::find(others.names.begin(), others.names.end(), field) != others.names.end();
  }
  return false;
}

struct Place {
  std::string_view type;
  std::string path;
};

void check(Json& object, const Place& place, std::vector<std::string>& unknown) {
  if (!object.is_object() || !is_complete(place.type)) return;
  for (auto at = object.begin(); at != object.end();) {
    const std::string path = place.path.empty() ? at.key() : place.path + "." + at.key();
    const FieldSchema* field = find_field_named(place.type, at.key());
    if (field == nullptr && !is_json_only(place.type, at.key(), place.path.empty())) {
      unknown.push_back(path);
      at = object.erase(at);
      continue;
    }
    if (field != nullptr && field->count == FieldCount::Many && at->is_array()) {
      for (std::size_t i = 0; i < at->size(); ++i) {
        check((*at)[i], {field->message, path + "[" + std::to_string(i) + "]"}, unknown);
      }
    } else if (field != nullptr) {
      check(*at, {field->message, path}, unknown);
    }
    ++at;
  }
}

}  // namespace

std::vector<std::string> drop_unknown_fields(const Resource& resource, Json& object) {
  std::vector<std::string> unknown;
  check(object, {resource.kind, ""}, unknown);
  return unknown;
}

}  // namespace nlc::sim
