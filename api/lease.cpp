#include "api/lease.h"

#include <array>

#include "api/json_fields.h"
#include "api/json_members.h"

namespace nlc::api {
namespace {

void read_spec(JsonElement spec, Lease& lease) {
  lease.holder = text(spec, "holderIdentity");
  lease.duration_seconds = integer(spec, "leaseDurationSeconds");
  lease.acquired = timestamp(spec, "acquireTime");
  lease.renewed = timestamp(spec, "renewTime");
  lease.transitions = integer(spec, "leaseTransitions").value_or(0);
}

/// What others put on the object, which a PUT must not lose.
std::string foreign_metadata(JsonElement metadata) {
  constexpr std::array kept{"labels", "annotations", "ownerReferences", "finalizers"};
  std::string object;
  for (const char* name : kept) {
    const std::optional<JsonElement> found = field(metadata, name);
    if (!found) continue;
    object += object.empty() ? "{\"" : ",\"";
    object += std::string(name) + "\":" + simdjson::minify(*found);
  }
  return object.empty() ? object : object + "}";
}

}  // namespace

Result<Lease> decode_lease(const std::string& body) try {
  simdjson::dom::parser parser;
  JsonElement root;
  if (const auto error = parser.parse(body).get(root); error != simdjson::SUCCESS) {
    return Error{Fault::Malformed, simdjson::error_message(error)};
  }
  const std::optional<JsonElement> metadata = field(root, "metadata");
  if (text(root, "kind") != "Lease" || !metadata) return Error{Fault::Malformed, "no Lease"};
  Lease lease;
  lease.namespace_ = text(*metadata, "namespace");
  lease.name = text(*metadata, "name");
  if (lease.name.empty()) return Error{Fault::Malformed, "metadata.name is missing"};
  lease.uid = text(*metadata, "uid");
  lease.resource_version = text(*metadata, "resourceVersion");
  lease.foreign_metadata = foreign_metadata(*metadata);
  if (const std::optional<JsonElement> spec = field(root, "spec")) read_spec(*spec, lease);
  return lease;
} catch (const std::runtime_error& problem) {
  return Error{Fault::Malformed, problem.what()};
}

std::string encode_lease(const Lease& lease) {
  JsonMembers metadata;
  metadata.set("name", json_string(lease.name));
  metadata.set("namespace", json_string(lease.namespace_));
  if (!lease.uid.empty()) metadata.set("uid", json_string(lease.uid));
  if (!lease.resource_version.empty())
    metadata.set("resourceVersion", json_string(lease.resource_version));
  simdjson::dom::parser parser;
  if (!lease.foreign_metadata.empty()) metadata.keep(parser.parse(lease.foreign_metadata).value());
  if (!lease.owner_node.empty()) {
    metadata.set("ownerReferences", R"([{"apiVersion":"v1","kind":"Node","name":)" +
                                        json_string(lease.owner_node) + R"(,"uid":)" +
                                        json_string(lease.owner_node_uid) + "}]");
  }
  JsonMembers spec;
  spec.set("holderIdentity", json_string(lease.holder));
  if (lease.duration_seconds)
    spec.set("leaseDurationSeconds", std::to_string(*lease.duration_seconds));
  if (lease.acquired) spec.set("acquireTime", json_string(rfc3339_micro(*lease.acquired)));
  if (lease.renewed) spec.set("renewTime", json_string(rfc3339_micro(*lease.renewed)));
  if (lease.acquired) spec.set("leaseTransitions", std::to_string(lease.transitions));
  return R"({"kind":"Lease","apiVersion":"coordination.k8s.io/v1","metadata":)" + metadata.text() +
         R"(,"spec":)" + spec.text() + "}";
}

}  // namespace nlc::api
