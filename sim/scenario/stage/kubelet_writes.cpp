#include "sim/scenario/stage/kubelet_writes.h"

#include "api/objects.h"
#include "runtime/time.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

Json& condition_in(Json& status, const std::string& type) {
  Json& conditions = status["conditions"];
  if (!conditions.is_array()) conditions = Json::array();
  for (Json& condition : conditions) {
    if (condition.value("type", "") == type) return condition;
  }
  conditions.push_back({{"type", type}});
  return conditions.back();
}

void report_ready(Json& status, const std::string& ready, const std::string& now) {
  Json& condition = condition_in(status, "Ready");
  if (condition.value("status", "") == ready) return;
  condition["status"] = ready;
  condition["lastTransitionTime"] = now;
  condition["reason"] = ready == "True" ? "KubeletReady" : "KubeletNotReady";
  condition["message"] = ready == "True" ? "kubelet is posting ready status" : "not ready";
}

}  // namespace

void KubeletWrites::perform(const Heartbeat& heartbeat) {
  for (const std::string& node : heartbeat.nodes) post_heartbeat(node, heartbeat);
}

bool KubeletWrites::known_to_be(const std::string& node, const std::string& ready) {
  const ObjectRef stored = writes_.server().storage().find(*resource_of_kind("Node"), node);
  if (!stored) return true;
  auto& [seen, said] = unchanged_[node];
  if (seen == stored && said == ready) return true;
  const std::optional<api::Node> known = rules::decoded<api::Node>(stored);
  const api::NodeCondition* condition = known ? known->condition("Ready") : nullptr;
  if (condition == nullptr || name_of(condition->status) != ready) return false;
  seen = stored;
  said = ready;
  return true;
}

void KubeletWrites::post_heartbeat(const std::string& node, const Heartbeat& heartbeat) {
  if (heartbeat.only_changes && known_to_be(node, *heartbeat.ready)) return;
  const std::string now =
      rfc3339(writes_.clock().wall_now() +
              std::chrono::floor<std::chrono::microseconds>(heartbeat.clock_offset));
  writes_.submit(
      {.verb = "PATCH", .object = {.kind = "Node", .name = node}, .subresource = "status"},
      [this, node, heartbeat, now] { post_status(node, heartbeat, now); });
}

/// A node that does not exist posts nothing.
void KubeletWrites::post_status(const std::string& node, const Heartbeat& heartbeat,
                                const std::string& now) {
  const ObjectName name{.kind = "Node", .name = node};
  Json object = writes_.find(name);
  if (!object.is_object()) return;
  Json& status = object["status"];
  if (heartbeat.ready) report_ready(status, *heartbeat.ready, now);
  if (status.contains("conditions")) {
    for (Json& condition : status["conditions"]) condition["lastHeartbeatTime"] = now;
  }
  writes_.store({.verb = "PATCH", .object = name, .subresource = "status"}, std::move(object));
}

void KubeletWrites::perform(const RenewLease& renewal) {
  for (const std::string& node : renewal.nodes) renew(node, renewal);
}

/// Only the first renewals make or complete a lease.
bool KubeletWrites::renewed_in_place(const std::string& key, WallTime renewed) {
  constexpr std::string_view name = "\"renewTime\":\"";
  const Resource& leases = *resource_of_kind("Lease");
  const ObjectRef stored = writes_.server().storage().find(leases, key);
  if (!stored) return false;
  // The spec is the last of a Lease, and this the last of its members.
  const std::size_t begin = stored->bytes.rfind(name);
  if (begin == stored->bytes.npos) return false;
  const std::size_t end = stored->bytes.find('"', begin + name.size());
  const std::string_view piece = std::string_view(stored->bytes).substr(begin, end - begin);
  return writes_.server().amend(leases, key, piece, std::string(name) + rfc3339_micro(renewed)) !=
         nullptr;
}

void KubeletWrites::renew(const std::string& node, const RenewLease& renewal) {
  const WallTime now = writes_.clock().wall_now() +
                       std::chrono::floor<std::chrono::microseconds>(renewal.clock_offset);
  // Renewals are most of what happens on a day, and nearly none meets anybody on its way.
  const bool in_place = !renewal.step && writes_.admissions().empty();
  if (in_place && renewed_in_place(renewal.namespace_name + "/" + node, now)) return;
  const ObjectName name{.kind = "Lease", .namespace_name = renewal.namespace_name, .name = node};
  writes_.submit({.verb = writes_.exists(name) ? "PUT" : "POST", .object = name},
                 [this, name, &renewal, now] { write_renewal(name, renewal, now); });
}

void KubeletWrites::write_renewal(const ObjectName& name, const RenewLease& renewal, WallTime now) {
  const bool plain = !renewal.step && !writes_.admissions().mutates();
  if (plain && renewed_in_place(key_of(name), now)) return;
  Json lease = writes_.find(name);
  if (!lease.is_object()) lease = new_lease(name);
  WallTime renewed = now;
  if (renewal.step) {
    const auto before = parse_rfc3339(lease["spec"].value("renewTime", ""));
    renewed = before.value_or(writes_.clock().wall_now()) +
              std::chrono::floor<std::chrono::microseconds>(*renewal.step);
  }
  lease["spec"]["renewTime"] = rfc3339_micro(renewed);
  writes_.replace(name, std::move(lease));
}

/// As a kubelet makes its own: owned by its node.
Json KubeletWrites::new_lease(const ObjectName& name) const {
  Json lease{{"apiVersion", "coordination.k8s.io/v1"},
             {"kind", "Lease"},
             {"metadata", {{"name", name.name}, {"namespace", name.namespace_name}}},
             {"spec", {{"holderIdentity", name.name}, {"leaseDurationSeconds", 40}}}};
  const Json owner = writes_.find({.kind = "Node", .name = name.name});
  if (owner.is_object()) {
    lease["metadata"]["ownerReferences"] = {{{"apiVersion", "v1"},
                                             {"kind", "Node"},
                                             {"name", name.name},
                                             {"uid", owner["metadata"].value("uid", "")}}};
  }
  return lease;
}

}  // namespace nlc::sim::scenario
