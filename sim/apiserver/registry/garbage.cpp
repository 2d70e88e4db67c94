#include "sim/apiserver/registry/garbage.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "sim/apiserver/types/json_text.h"

namespace nlc::sim {
namespace {

using Json = nlohmann::json;

/// A namespace is left alone for a moment, so that all servers of a cluster can see that it ends.
constexpr Duration before_a_namespace_is_emptied = std::chrono::seconds(5);
/// kube-apiserver's --event-ttl by default.
constexpr Duration event_ttl = std::chrono::hours(1);
/// As a garbage collector that has much to do.
constexpr Duration before_a_finalizer_goes = std::chrono::seconds(30);

/// `memmem` is many times faster here than `find`, which stops at every letter that is the first.
bool is_ending(const StoredObject& object) {
  constexpr std::string_view mark = "deletionTimestamp";
  return ::memmem(object.bytes.data(), object.bytes.size(), mark.data(), mark.size()) != nullptr;
}

/// The finalizer that is for the garbage collector; empty when there is none.
std::string finalizer_of(const Json& object) {
  for (const Json& finalizer : object.at("metadata").value("finalizers", Json::array())) {
    if (finalizer == "orphan" || finalizer == "foregroundDeletion") return finalizer;
  }
  return "";
}

/// True when the object is owned and none of its owners is left but that one.
bool is_orphaned_by(const StoredObject& object, const std::string& uid) {
  if (object.bytes.find(uid) == std::string::npos) return false;  // spares parsing nearly all
  const Json owners =
      parse_json(object.bytes).at("metadata").value("ownerReferences", Json::array());
  bool owned = false;
  for (const Json& owner : owners) {
    if (owner.value("uid", "") != uid) return false;
    owned = true;
  }
  return owned;
}

}  // namespace

Garbage::Garbage(Storage& storage, Registry& registry, const Clock& clock, Executor& executor)
    : storage_(storage), registry_(registry), clock_(clock), executor_(executor) {}

/// Never inside the write that is being told of: changes must be seen one after the other.
void Garbage::later(Duration delay, std::function<void()> work) {
  const std::uint64_t id = ++last_id_;
  posted_.emplace(id, executor_.run_at(clock_.now() + delay, [this, id, work = std::move(work)] {
    const auto self = posted_.extract(id);  // keeps this closure alive while it runs
    work();
  }));
}

void Garbage::changed(const Resource& resource, const HistoryEvent& event) {
  if (resource.kind == "Event" && event.change != Change::Deleted) {
    expiries_.push_back({event.at + event_ttl, event.object->key, event.object->version});
    if (expiries_.size() == 1) schedule_expiry();
  }
  if (event.change == Change::Deleted &&
      (resource.kind == "Node" || resource.kind == "DaemonSet")) {
    const std::string uid = parse_json(event.object->bytes).at("metadata").value("uid", "");
    const std::string node = resource.kind == "Node" ? event.object->key : "";
    later(Duration{0}, [this, uid, node] { collect_owned_by(uid, node); });
  }
  if (event.change != Change::Modified || !is_ending(*event.object)) return;
  if (resource.kind == "Namespace")
    later(before_a_namespace_is_emptied,
          [this, name = event.object->key] { empty_namespace(name); });
  else if (finalizer_of(parse_json(event.object->bytes)) != "")
    later(before_a_finalizer_goes,
          [this, &resource, key = event.object->key] { finalize(resource, key); });
}

/// What the owner's finalizer says is done about those it owns, then the owner may go.
void Garbage::finalize(const Resource& resource, const std::string& key) {
  const ObjectRef owner = storage_.find(resource, key);
  if (!owner) return;
  const Json object = parse_json(owner->bytes);
  const std::string finalizer = finalizer_of(object);
  if (finalizer.empty()) return;
  const std::string uid = object.at("metadata").value("uid", "");
  if (finalizer == "orphan")
    release_owned_by(uid);
  else
    collect_owned_by(uid, resource.kind == "Node" ? owner->key : "");
  Json kept = Json::array();
  for (const Json& each : object.at("metadata").at("finalizers")) {
    if (each != finalizer) kept.push_back(each);
  }
  change(resource, *owner, {{"metadata", {{"finalizers", kept}}}});
}

void Garbage::release_owned_by(const std::string& uid) {
  for (const Resource& resource : resources()) {
    std::vector<ObjectRef> owned;
    storage_.visit(resource, {"", "", 0}, [&](const ObjectRef& object) {
      if (object->bytes.find(uid) != std::string::npos) owned.push_back(object);
      return true;
    });
    for (const ObjectRef& object : owned) {
      Json others = Json::array();
      const Json parsed = parse_json(object->bytes);
      for (const Json& owner : parsed.at("metadata").value("ownerReferences", Json::array())) {
        if (owner.value("uid", "") != uid) others.push_back(owner);
      }
      if (parsed.at("metadata").contains("ownerReferences"))
        change(resource, *object, {{"metadata", {{"ownerReferences", others}}}});
    }
  }
}

void Garbage::change(const Resource& resource, const StoredObject& object, const Json& patch) {
  const WriteTarget target{std::string(object.namespace_name()), std::string(object.name()), "",
                           false};
  std::vector<std::string> complaints;
  (void)registry_.patch(resource, target,
                        {patch, PatchType::Merge, FieldValidation::Ignore, complaints});
}

void Garbage::schedule_expiry() {
  expiry_timer_ = {};
  if (!expiries_.empty())
    expiry_timer_ = executor_.run_at(expiries_.front().at, [this] { expire_events(); });
}

void Garbage::expire_events() {
  const Resource& events = core_resource("events");
  while (!expiries_.empty() && expiries_.front().at <= clock_.now()) {
    const Expiry due = std::move(expiries_.front());
    expiries_.pop_front();
    const ObjectRef event = storage_.find(events, due.key);
    if (event && event->version == due.version) storage_.erase(events, due.key);
  }
  schedule_expiry();
}

void Garbage::collect_owned_by(const std::string& uid, const std::string& node_name) {
  for (const Resource& resource : resources()) {
    std::vector<ObjectRef> orphans;
    const auto look = [&](const ObjectRef& object) {
      if (is_orphaned_by(*object, uid)) orphans.push_back(object);
      return true;
    };
    const bool pods = resource.kind == "Pod";
    // A node owns the mirror pods that run on it and no others, so the million others need not be
    // looked at.
    if (pods && !node_name.empty())
      storage_.visit_pods_of(node_name, look);
    else if (resource.kind != "Event")
      storage_.visit(resource, {"", "", 0}, look);
    for (const ObjectRef& orphan : orphans) {
      const WriteTarget target{std::string(orphan->namespace_name()), std::string(orphan->name()),
                               "", false};
      (void)registry_.remove(resource, target, {});
    }
  }
}

/// An empty namespace is gone, unless somebody else has a finalizer there too.
void Garbage::finish_namespace(const std::string& name) {
  const Resource& namespaces = core_resource("namespaces");
  const ObjectRef ended = storage_.find(namespaces, name);
  if (!ended) return;
  Json object = parse_json(ended->bytes);
  if (!object.at("metadata").contains("finalizers")) {
    storage_.erase(namespaces, name);
  } else if (object.at("spec").contains("finalizers")) {
    object["spec"].erase("finalizers");
    storage_.put(namespaces, name, std::move(object), ended->managed);
  }
}

void Garbage::empty_namespace(const std::string& name) {
  bool empty = true;
  for (const Resource& resource : resources()) {
    if (!resource.namespaced) continue;
    const std::string prefix = name + "/";
    std::vector<ObjectRef> contents;
    storage_.visit(resource, {prefix, "", 0}, [&](const ObjectRef& object) {
      contents.push_back(object);
      return true;
    });
    for (const ObjectRef& object : contents) {
      const WriteTarget target{name, std::string(object->name()), "", false};
      const Outcome<Removed> removed = registry_.remove(resource, target, {});
      empty = empty && removed && removed->gone;
    }
  }
  if (empty) return finish_namespace(name);
  later(std::chrono::seconds(1), [this, name] { empty_namespace(name); });
}

}  // namespace nlc::sim
