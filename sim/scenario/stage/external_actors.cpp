#include "sim/scenario/stage/external_actors.h"

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

constexpr std::string_view user_agent = "somebody-else";

bool evicts(const Json& taint) { return taint.value("effect", "") == "NoExecute"; }

}  // namespace

void ExternalActors::put(Json object) {
  const Json& metadata = object["metadata"];
  const ObjectName name{.kind = object.value("kind", ""),
                        .namespace_name = metadata.value("namespace", ""),
                        .name = metadata.value("name", "")};
  const char* verb = writes_.exists(name) ? "PUT" : "POST";
  writes_.submit({.verb = verb, .object = name},
                 [this, name, object = std::move(object)]() mutable {
                   writes_.replace(name, std::move(object));
                 });
}

void ExternalActors::perform(const Apply& apply) {
  for (const Json& object : apply.objects) put(object);
}

void ExternalActors::perform(const MergePatch& patch) {
  const OutsideWrites::Write write{.verb = "PATCH", .object = patch.object};
  writes_.submit(write, [this, write, merge = patch.merge] {
    Json object = writes_.find(write.object);
    if (!object.is_object()) return;
    object.merge_patch(merge);
    writes_.store(write, std::move(object));
  });
}

void ExternalActors::perform(const ApplyPatch& patch) {
  const OutsideWrites::Write write{.verb = "PATCH", .object = patch.object};
  writes_.submit(write, [this, write, added = patch.add_taints] {
    Json object = writes_.find(write.object);
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
    writes_.store(write, std::move(object));
  });
}

std::string ExternalActors::perform(const Delete& deletion) {
  ObjectName object = deletion.object;
  if (!object.one_of_untainted.empty()) object.name = first_untainted(object.one_of_untainted);
  if (resource_of_kind(object.kind) == nullptr || object.name.empty()) return object.name;
  writes_.submit({.verb = "DELETE", .object = object},
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
  (void)writes_.server().serve(std::move(request), std::make_unique<Indifferent>());
}

std::string ExternalActors::first_untainted(const std::vector<std::string>& nodes) const {
  for (const std::string& name : nodes) {
    const Json node = writes_.find({.kind = "Node", .name = name});
    if (!node.is_object()) continue;
    bool tainted = false;
    for (const Json& taint : node.value("spec", Json::object()).value("taints", Json::array())) {
      tainted = tainted || evicts(taint);
    }
    if (!tainted) return name;
  }
  return {};
}

}  // namespace nlc::sim::scenario
