#include "api/lease.h"

#include <array>
#include <nlohmann/json.hpp>

#include "api/json_fields.h"

namespace nlc::api {
namespace {

void read_spec(Json spec, Lease& lease) {
  lease.holder = text(spec, "holderIdentity");
  lease.duration_seconds = integer(spec, "leaseDurationSeconds");
  lease.acquired = timestamp(spec, "acquireTime");
  lease.renewed = timestamp(spec, "renewTime");
  lease.transitions = integer(spec, "leaseTransitions").value_or(0);
  lease.strategy = text(spec, "strategy");
  lease.preferred_holder = text(spec, "preferredHolder");
}

/// What others put on the object, which a PUT must not lose.
std::string foreign_metadata(Json metadata) {
  constexpr std::array kept{"labels", "annotations", "ownerReferences", "finalizers"};
  std::string object;
  for (const char* name : kept) {
    const std::optional<Json> found = field(metadata, name);
    if (!found) continue;
    object += object.empty() ? "{\"" : ",\"";
    object += std::string(name) + "\":" + simdjson::minify(*found);
  }
  return object.empty() ? object : object + "}";
}

}  // namespace

Result<Lease> decode_lease(const std::string& body) try {
  simdjson::dom::parser parser;
  Json root;
  if (const auto error = parser.parse(body).get(root); error != simdjson::SUCCESS) {
    return Error{Fault::Malformed, simdjson::error_message(error)};
  }
  const std::optional<Json> metadata = field(root, "metadata");
  if (text(root, "kind") != "Lease" || !metadata) return Error{Fault::Malformed, "no Lease"};
  Lease lease;
  lease.namespace_ = text(*metadata, "namespace");
  lease.name = text(*metadata, "name");
  if (lease.name.empty()) return Error{Fault::Malformed, "metadata.name is missing"};
  lease.uid = text(*metadata, "uid");
  lease.resource_version = text(*metadata, "resourceVersion");
  lease.foreign_metadata = foreign_metadata(*metadata);
  if (const std::optional<Json> spec = field(root, "spec")) read_spec(*spec, lease);
  return lease;
} catch (const std::runtime_error& problem) {
  return Error{Fault::Malformed, problem.what()};
}

std::string encode_lease(const Lease& lease) {
  nlohmann::ordered_json metadata{{"name", lease.name}, {"namespace", lease.namespace_}};
  if (!lease.uid.empty()) metadata["uid"] = lease.uid;
  if (!lease.resource_version.empty()) metadata["resourceVersion"] = lease.resource_version;
  if (!lease.foreign_metadata.empty()) {
    metadata.update(nlohmann::ordered_json::parse(lease.foreign_metadata));
  }
  if (!lease.owner_node.empty()) {
    metadata["ownerReferences"] = {{{"apiVersion", "v1"},
                                    {"kind", "Node"},
                                    {"name", lease.owner_node},
                                    {"uid", lease.owner_node_uid}}};
  }
  nlohmann::ordered_json spec{{"holderIdentity", lease.holder}};
  if (lease.duration_seconds) spec["leaseDurationSeconds"] = *lease.duration_seconds;
  if (lease.acquired) spec["acquireTime"] = rfc3339_micro(*lease.acquired);
  if (lease.renewed) spec["renewTime"] = rfc3339_micro(*lease.renewed);
  if (lease.acquired) spec["leaseTransitions"] = lease.transitions;
  if (!lease.strategy.empty()) spec["strategy"] = lease.strategy;
  if (!lease.preferred_holder.empty()) spec["preferredHolder"] = lease.preferred_holder;
  return nlohmann::ordered_json{{"kind", "Lease"},
                                {"apiVersion", "coordination.k8s.io/v1"},
                                {"metadata", std::move(metadata)},
                                {"spec", std::move(spec)}}
      .dump();
}

}  // namespace nlc::api
