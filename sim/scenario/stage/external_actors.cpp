#include "sim/scenario/stage/external_actors.h"

#include "api/objects.h"
#include "runtime/time.h"
#include "sim/apiserver/types/json_text.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

std::string path_of(const Resource& resource, const ObjectName& object) {
  std::string path =
      resource.group.empty() ? "/api/" : "/apis/" + std::string(resource.group) + "/";
  path.append(resource.version).append("/");
  if (resource.namespaced) path += "namespaces/" + object.namespace_name + "/";
  return path.append(resource.plural).append("/").append(object.name);
}

/// Nobody waits for the answer.
class Indifferent final : public client::Reply {
 public:
  void send(client::Response, std::string_view) override {}
  void open(std::string_view, std::optional<WallTime>) override {}
  void write(std::shared_ptr<const std::string>) override {}
  void close() override {}
};

void keep(const Json& before, Json& after, const char* key) {
  if (!after.contains(key) && before.contains(key)) after[key] = before[key];
}

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

constexpr std::string_view user_agent = "somebody-else";

bool evicts(const Json& taint) { return taint.value("effect", "") == "NoExecute"; }

}  // namespace

const Resource* resource_of_kind(std::string_view kind) {
  for (const Resource& resource : resources()) {
    if (resource.kind == kind) return &resource;
  }
  return nullptr;
}

std::string key_of(const ObjectName& object) {
  return object.namespace_name.empty() ? object.name : object.namespace_name + "/" + object.name;
}

Json object_in(const Storage& storage, std::string_view kind, const std::string& key) {
  const Resource* resource = resource_of_kind(kind);
  if (resource == nullptr) return nullptr;
  const ObjectRef stored = storage.find(*resource, key);
  if (!stored) return nullptr;
  Json object = parse_json(stored->bytes);
  object["kind"] = resource->kind;
  object["apiVersion"] = api_version_of(*resource);
  return object;
}

Json ExternalActors::find(const ObjectName& object) const {
  return object_in(env_.server.storage(), object.kind, key_of(object));
}

bool ExternalActors::exists(const ObjectName& object) const {
  const Resource* resource = resource_of_kind(object.kind);
  return resource != nullptr && env_.server.storage().find(*resource, key_of(object)) != nullptr;
}

SentRequest ExternalActors::request_of(const UserWrite& write) const {
  SentRequest request;
  const Resource* resource = resource_of_kind(write.object.kind);
  if (resource != nullptr) request.info.resource = resource->plural;
  request.info.subresource = write.subresource;
  request.info.namespace_name = write.object.namespace_name;
  request.info.name = write.object.name;
  request.verb = write.verb;
  return request;
}

/// Past webhooks, policies and a storage that takes nothing: whoever is refused does not try again.
void ExternalActors::submit(const UserWrite& write, std::function<void()> store,
                            Admissions::Delayed delayed) {
  const Admission* against =
      env_.admissions.empty()
          ? nullptr
          : env_.admissions.against(request_of(write), Admissions::Writer::SomebodyElse, delayed);
  if (against == nullptr) return store();
  if (against->action != Admission::Action::Delay) return;
  env_.later(against->delay, [this, write, store = std::move(store)] {
    submit(write, store, Admissions::Delayed::Yes);
  });
}

void ExternalActors::store(const UserWrite& write, Json object) {
  if (!env_.admissions.empty()) {
    const Json before = find(write.object);
    env_.admissions.mutate(request_of(write), Admissions::Writer::SomebodyElse,
                           before.is_object() ? &before : nullptr, object);
  }
  env_.server.load(std::move(object));
}

void ExternalActors::put(Json object) {
  const Json& metadata = object["metadata"];
  const ObjectName name{.kind = object.value("kind", ""),
                        .namespace_name = metadata.value("namespace", ""),
                        .name = metadata.value("name", "")};
  const char* verb = exists(name) ? "PUT" : "POST";
  submit({.verb = verb, .object = name},
         [this, name, object = std::move(object)]() mutable { replace(name, std::move(object)); });
}

void ExternalActors::replace(const ObjectName& name, Json object) {
  ensure_namespace(name.namespace_name);
  const Json before = find(name);
  Json& metadata = object["metadata"];
  if (before.is_object()) {
    const Json& known = before["metadata"];
    const bool same = metadata.value("uid", known.value("uid", "")) == known.value("uid", "");
    for (const char* key : {"uid", "creationTimestamp", "generation"}) keep(known, metadata, key);
    for (const char* key : {"deletionTimestamp", "deletionGracePeriodSeconds"}) {
      if (same) keep(known, metadata, key);
    }
  }
  store({.verb = before.is_object() ? "PUT" : "POST", .object = name}, std::move(object));
}

/// Events are refused in a namespace that does not exist.
void ExternalActors::ensure_namespace(const std::string& name) {
  if (name.empty() || exists({.kind = "Namespace", .name = name})) return;
  env_.server.load({{"apiVersion", "v1"},
                    {"kind", "Namespace"},
                    {"metadata", {{"name", name}}},
                    {"status", {{"phase", "Active"}}}});
}

void ExternalActors::perform(const Apply& apply) {
  for (const Json& object : apply.objects) put(object);
}

void ExternalActors::perform(const MergePatch& patch) {
  const UserWrite write{.verb = "PATCH", .object = patch.object};
  submit(write, [this, write, merge = patch.merge] {
    Json object = find(write.object);
    if (!object.is_object()) return;
    object.merge_patch(merge);
    store(write, std::move(object));
  });
}

void ExternalActors::perform(const ApplyPatch& patch) {
  const UserWrite write{.verb = "PATCH", .object = patch.object};
  submit(write, [this, write, added = patch.add_taints] {
    Json object = find(write.object);
    if (!object.is_object()) return;
    Json& taints = object["spec"]["taints"];
    if (!taints.is_array()) taints = Json::array();
    for (const TaintName& name : added) {
      std::erase_if(taints.get_ref<Json::array_t&>(), [&](const Json& there) {
        return there.value("key", "") == name.key && there.value("effect", "") == name.effect;
      });
      Json taint{{"key", name.key}, {"effect", name.effect}};
      if (!name.value.empty()) taint["value"] = name.value;
      taints.push_back(std::move(taint));
    }
    store(write, std::move(object));
  });
}

std::string ExternalActors::perform(const Delete& deletion) {
  ObjectName object = deletion.object;
  if (!object.one_of_untainted.empty()) object.name = first_untainted(object.one_of_untainted);
  if (resource_of_kind(object.kind) == nullptr || object.name.empty()) return object.name;
  submit({.verb = "DELETE", .object = object},
         [this, object, grace = deletion.grace_seconds] { remove(object, grace); });
  return object.name;
}

void ExternalActors::remove(const ObjectName& object, std::optional<long long> grace_seconds) {
  client::IncomingRequest request{.method = "DELETE",
                                  .target = path_of(*resource_of_kind(object.kind), object),
                                  .accept = "application/json",
                                  .user_agent = std::string(user_agent)};
  if (grace_seconds) {
    request.content_type = "application/json";
    request.body = Json{{"gracePeriodSeconds", *grace_seconds}}.dump();
  }
  (void)env_.server.serve(std::move(request), std::make_unique<Indifferent>());
}

std::string ExternalActors::first_untainted(const std::vector<std::string>& nodes) const {
  for (const std::string& name : nodes) {
    const Json node = find({.kind = "Node", .name = name});
    if (!node.is_object()) continue;
    bool tainted = false;
    for (const Json& taint : node.value("spec", Json::object()).value("taints", Json::array())) {
      tainted = tainted || evicts(taint);
    }
    if (!tainted) return name;
  }
  return {};
}

void ExternalActors::perform(const Heartbeat& heartbeat) {
  for (const std::string& node : heartbeat.nodes) post_heartbeat(node, heartbeat);
}

bool ExternalActors::known_to_be(const std::string& node, const std::string& ready) {
  const ObjectRef stored = env_.server.storage().find(*resource_of_kind("Node"), node);
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

void ExternalActors::post_heartbeat(const std::string& node, const Heartbeat& heartbeat) {
  if (heartbeat.only_changes && known_to_be(node, *heartbeat.ready)) return;
  const std::string now =
      rfc3339(env_.clock.wall_now() +
              std::chrono::floor<std::chrono::microseconds>(heartbeat.clock_offset));
  submit({.verb = "PATCH", .object = {.kind = "Node", .name = node}, .subresource = "status"},
         [this, node, heartbeat, now] { post_status(node, heartbeat, now); });
}

/// A node that does not exist posts nothing.
void ExternalActors::post_status(const std::string& node, const Heartbeat& heartbeat,
                                 const std::string& now) {
  const ObjectName name{.kind = "Node", .name = node};
  Json object = find(name);
  if (!object.is_object()) return;
  Json& status = object["status"];
  if (heartbeat.ready) report_ready(status, *heartbeat.ready, now);
  if (status.contains("conditions")) {
    for (Json& condition : status["conditions"]) condition["lastHeartbeatTime"] = now;
  }
  store({.verb = "PATCH", .object = name, .subresource = "status"}, std::move(object));
}

void ExternalActors::perform(const RenewLease& renewal) {
  for (const std::string& node : renewal.nodes) renew(node, renewal);
}

/// Only the first renewals make or complete a lease.
bool ExternalActors::renewed_in_place(const std::string& key, WallTime renewed) {
  constexpr std::string_view name = "\"renewTime\":\"";
  const Resource& leases = *resource_of_kind("Lease");
  const ObjectRef stored = env_.server.storage().find(leases, key);
  if (!stored) return false;
  // The spec is the last of a Lease, and this the last of its members.
  const std::size_t begin = stored->bytes.rfind(name);
  if (begin == stored->bytes.npos) return false;
  const std::size_t end = stored->bytes.find('"', begin + name.size());
  const std::string_view piece = std::string_view(stored->bytes).substr(begin, end - begin);
  return env_.server.amend(leases, key, piece, std::string(name) + rfc3339_micro(renewed)) !=
         nullptr;
}

void ExternalActors::renew(const std::string& node, const RenewLease& renewal) {
  const WallTime now =
      env_.clock.wall_now() + std::chrono::floor<std::chrono::microseconds>(renewal.clock_offset);
  // Renewals are most of what happens on a day, and nearly none meets anybody on its way.
  const bool in_place = !renewal.step && env_.admissions.empty();
  if (in_place && renewed_in_place(renewal.namespace_name + "/" + node, now)) return;
  const ObjectName name{.kind = "Lease", .namespace_name = renewal.namespace_name, .name = node};
  submit({.verb = exists(name) ? "PUT" : "POST", .object = name},
         [this, name, &renewal, now] { write_renewal(name, renewal, now); });
}

void ExternalActors::write_renewal(const ObjectName& name, const RenewLease& renewal,
                                   WallTime now) {
  const bool plain = !renewal.step && !env_.admissions.mutates();
  if (plain && renewed_in_place(key_of(name), now)) return;
  Json lease = find(name);
  if (!lease.is_object()) lease = new_lease(name);
  WallTime renewed = now;
  if (renewal.step) {
    const auto before = parse_rfc3339(lease["spec"].value("renewTime", ""));
    renewed = before.value_or(env_.clock.wall_now()) +
              std::chrono::floor<std::chrono::microseconds>(*renewal.step);
  }
  lease["spec"]["renewTime"] = rfc3339_micro(renewed);
  replace(name, std::move(lease));
}

/// As a kubelet makes its own: owned by its node.
Json ExternalActors::new_lease(const ObjectName& name) const {
  Json lease{{"apiVersion", "coordination.k8s.io/v1"},
             {"kind", "Lease"},
             {"metadata", {{"name", name.name}, {"namespace", name.namespace_name}}},
             {"spec", {{"holderIdentity", name.name}, {"leaseDurationSeconds", 40}}}};
  const Json owner = find({.kind = "Node", .name = name.name});
  if (owner.is_object()) {
    lease["metadata"]["ownerReferences"] = {{{"apiVersion", "v1"},
                                             {"kind", "Node"},
                                             {"name", name.name},
                                             {"uid", owner["metadata"].value("uid", "")}}};
  }
  return lease;
}

}  // namespace nlc::sim::scenario
