#include "sim/apiserver/field_check.h"

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

#include "sim/apiserver/protobuf_schema.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

/// The types of which the protobuf tables, with what `other_fields` adds, name every field.
constexpr std::array<std::string_view, 28> complete_types{
    "ConfigMap",     "Container",      "ContainerPort",   "DaemonSet",
    "DaemonSetSpec", "EndpointPort",   "EndpointAddress", "EndpointSubset",
    "Endpoints",     "EnvVar",         "Event",           "LabelSelector",
    "Lease",         "LeaseSpec",      "Namespace",       "NamespaceSpec",
    "Node",          "NodeSpec",       "ObjectMeta",      "ObjectReference",
    "Pod",           "PodSpec",        "PodTemplateSpec", "OwnerReference",
    "Taint",         "ServiceAccount", "Toleration",      "ResourceRequirements"};

/// Fields of these types that no client of ours writes in protobuf; what stands in them passes.
struct OtherField {
  std::string_view type;
  std::string_view name;
};
constexpr OtherField other_fields[] = {
    {"Container", "envFrom"},
    {"Container", "lifecycle"},
    {"Container", "livenessProbe"},
    {"Container", "readinessProbe"},
    {"Container", "resizePolicy"},
    {"Container", "restartPolicy"},
    {"Container", "restartPolicyRules"},
    {"Container", "securityContext"},
    {"Container", "startupProbe"},
    {"Container", "volumeDevices"},
    {"EnvVar", "valueFrom"},
    {"NodeSpec", "configSource"},
    {"PodSpec", "affinity"},
    {"PodSpec", "dnsConfig"},
    {"PodSpec", "ephemeralContainers"},
    {"PodSpec", "hostAliases"},
    {"PodSpec", "hostUsers"},
    {"PodSpec", "hostnameOverride"},
    {"PodSpec", "os"},
    {"PodSpec", "resourceClaims"},
    {"PodSpec", "resources"},
    {"PodSpec", "schedulingGates"},
    {"PodSpec", "schedulingGroup"},
    {"PodSpec", "setHostnameAsFQDN"},
    {"PodSpec", "topologySpreadConstraints"},
    {"ResourceRequirements", "claims"},
};

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
  return std::any_of(
      std::begin(other_fields), std::end(other_fields),
      [&](const OtherField& other) { return other.type == type && other.name == field; });
}

struct FieldPlace {
  std::string_view type;
  std::string path;
};

void check(Json& object, const FieldPlace& place, std::vector<std::string>& unknown) {
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

/// What Go calls the type of one value of such a field.
std::string go_type(const FieldSchema& field) {
  switch (field.type) {
    case FieldType::Integer:
      return "int64";
    case FieldType::Boolean:
      return "bool";
    case FieldType::Message:
      return "v1." + std::string(field.message);
    case FieldType::Bytes:
      return "[]uint8";
    default:
      return "string";
  }
}

bool fits(const FieldSchema& field, const Json& value) {
  switch (field.type) {
    case FieldType::Integer:
      return value.is_number_integer();
    case FieldType::Boolean:
      return value.is_boolean();
    case FieldType::Message:
      return value.is_object();
    case FieldType::Quantity:
      return value.is_string() || value.is_number();
    case FieldType::IntOrString:
      return value.is_string() || value.is_number_integer();
    default:
      return value.is_string();
  }
}

/// A value that does not fit. Its path grows on the way back, so that what fits costs no text.
struct Mistyped {
  std::string_view type;  ///< that has the field
  std::string path;
  std::string_view found;
  std::string wanted;
};

std::optional<Mistyped> find_mistyped(const Json& object, std::string_view type);

std::optional<Mistyped> mistyped_value(const FieldSchema& field, const Json& value,
                                       std::string_view type) {
  if (value.is_null()) return std::nullopt;
  if (!fits(field, value)) return Mistyped{type, "", value.type_name(), go_type(field)};
  return field.type == FieldType::Message ? find_mistyped(value, field.message) : std::nullopt;
}

/// Of all the values that a field holds: one, a list of them, or a map.
std::optional<Mistyped> mistyped_values(const FieldSchema& field, const Json& held,
                                        std::string_view type) {
  const bool list = field.count == FieldCount::Many;
  const bool map = field.count == FieldCount::Map;
  if (held.is_null() || (!list && !map)) return mistyped_value(field, held, type);
  if (list ? !held.is_array() : !held.is_object()) {
    return Mistyped{type, "", held.type_name(), (list ? "[]" : "map[string]") + go_type(field)};
  }
  for (const Json& value : held) {
    if (auto fault = mistyped_value(field, value, type)) return fault;
  }
  return std::nullopt;
}

std::optional<Mistyped> find_mistyped(const Json& object, std::string_view type) {
  for (const auto& [name, held] : object.items()) {
    const FieldSchema* field = find_field_named(type, name);
    if (field == nullptr) continue;
    if (auto fault = mistyped_values(*field, held, type)) {
      fault->path = fault->path.empty() ? name : name + "." + fault->path;
      return fault;
    }
  }
  return std::nullopt;
}

}  // namespace

std::string mistyped_field(std::string_view kind, const Json& object) {
  const std::optional<Mistyped> fault = find_mistyped(object, kind);
  if (!fault) return "";
  const std::string_view found = fault->found == "boolean" ? "bool" : fault->found;
  return "json: cannot unmarshal " + std::string(found) + " into Go struct field " +
         std::string(fault->type) + "." + fault->path + " of type " + fault->wanted;
}

std::vector<std::string> drop_unknown_fields(const Resource& resource, Json& object) {
  std::vector<std::string> unknown;
  check(object, {resource.kind, ""}, unknown);
  return unknown;
}

}  // namespace nlc::sim
