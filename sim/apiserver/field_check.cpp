#include "sim/apiserver/field_check.h"

#include <algorithm>
#include <array>
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

std::string cannot_unmarshal(const Json& value, const Place& place, const std::string& wanted) {
  return "json: cannot unmarshal " + std::string(value.is_boolean() ? "bool" : value.type_name()) +
         " into Go struct field " + std::string(place.type) + "." + place.path + " of type " +
         wanted;
}

std::string mistyped(const Json& object, const Place& place);

/// `at` says the type that has the field, and the field's path.
std::string mistyped_value(const FieldSchema& field, const Json& value, const Place& at) {
  if (value.is_null()) return "";
  if (!fits(field, value)) return cannot_unmarshal(value, at, go_type(field));
  return field.type == FieldType::Message ? mistyped(value, {field.message, at.path}) : "";
}

std::string mistyped(const Json& object, const Place& place) {
  for (const auto& [name, value] : object.items()) {
    const FieldSchema* field = find_field_named(place.type, name);
    if (field == nullptr || value.is_null()) continue;
    const Place at{place.type, place.path.empty() ? name : place.path + "." + name};
    const bool many = field->count == FieldCount::Many;
    if (many && !value.is_array()) return cannot_unmarshal(value, at, "[]" + go_type(*field));
    if (field->count == FieldCount::Map && !value.is_object())
      return cannot_unmarshal(value, at, "map[string]" + go_type(*field));
    if (!many && field->count != FieldCount::Map) {
      if (std::string fault = mistyped_value(*field, value, at); !fault.empty()) return fault;
      continue;
    }
    for (const Json& element : value) {
      if (std::string fault = mistyped_value(*field, element, at); !fault.empty()) return fault;
    }
  }
  return "";
}

}  // namespace

std::string mistyped_field(std::string_view kind, const Json& object) {
  return mistyped(object, {kind, ""});
}

std::vector<std::string> drop_unknown_fields(const Resource& resource, Json& object) {
  std::vector<std::string> unknown;
  check(object, {resource.kind, ""}, unknown);
  return unknown;
}

}  // namespace nlc::sim
