#include "sim/scenario/stage/outside_writes.h"

#include "sim/apiserver/types/json_text.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;

void keep(const Json& before, Json& after, const char* key) {
  if (!after.contains(key) && before.contains(key)) after[key] = before[key];
}

}  // namespace

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

Json OutsideWrites::find(const ObjectName& object) const {
  return object_in(env_.server.storage(), object.kind, key_of(object));
}

bool OutsideWrites::exists(const ObjectName& object) const {
  const Resource* resource = resource_of_kind(object.kind);
  return resource != nullptr && env_.server.storage().find(*resource, key_of(object)) != nullptr;
}

SentRequest OutsideWrites::request_of(const Write& write) const {
  SentRequest request;
  const Resource* resource = resource_of_kind(write.object.kind);
  if (resource != nullptr) request.info.resource = resource->plural;
  request.info.subresource = write.subresource;
  request.info.namespace_name = write.object.namespace_name;
  request.info.name = write.object.name;
  request.verb = write.verb;
  return request;
}

void OutsideWrites::submit(const Write& write, std::function<void()> store,
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

void OutsideWrites::store(const Write& write, Json object) {
  if (!env_.admissions.empty()) {
    const Json before = find(write.object);
    env_.admissions.mutate(request_of(write), Admissions::Writer::SomebodyElse,
                           before.is_object() ? &before : nullptr, object);
  }
  env_.server.load(std::move(object));
}

void OutsideWrites::replace(const ObjectName& name, Json object) {
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
void OutsideWrites::ensure_namespace(const std::string& name) {
  if (name.empty() || exists({.kind = "Namespace", .name = name})) return;
  env_.server.load({{"apiVersion", "v1"},
                    {"kind", "Namespace"},
                    {"metadata", {{"name", name}}},
                    {"status", {{"phase", "Active"}}}});
}

}  // namespace nlc::sim::scenario
