#include "sim/field_check.h"

#include <array>
#include <string_view>

#include "sim/protobuf_schema.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

/// The types of which the protobuf tables name every field.
constexpr std::array<std::string_view, 18> complete_types{
    "ConfigMap",    "DaemonSet",       "EndpointAddress",
    "EndpointPort", "EndpointSubset",  "Endpoints",
    "Event",        "Lease",           "LeaseSpec",
    "Namespace",    "NamespaceSpec",   "Node",
    "ObjectMeta",   "ObjectReference", "OwnerReference",
    "Pod",          "ServiceAccount",  "Taint"};

bool is_complete(std::string_view type) {
  for (const std::string_view complete : complete_types) {
    if (complete == type) return true;
  }
  return false;
}

/// In JSON only: not in a protobuf body, or kept by the server itself.
bool is_json_only(std::string_view type, std::string_view field, bool top) {
  if (top && (field == "kind" || field == "apiVersion")) return true;
  return type == "ObjectMeta" && field == "managedFields";
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
