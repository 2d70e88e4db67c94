#include "sim/apiserver/registry/storage.h"

#include <cassert>
#include <cstring>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <utility>

#include "sim/apiserver/types/json_text.h"

namespace nlc::sim {

using Json = nlohmann::json;

namespace {

/// As it stands in an object's text, and nowhere else there: within strings quotes are escaped.
std::string version_member(std::uint64_t version) {
  return "\"resourceVersion\":\"" + std::to_string(version) + "\"";
}

/// `memmem` is many times faster here than `find`, which stops at every quote.
bool replace_once(std::string& text, std::string_view piece, std::string_view replacement) {
  const void* at = ::memmem(text.data(), text.size(), piece.data(), piece.size());
  if (at == nullptr) return false;
  text.replace(static_cast<std::size_t>(static_cast<const char*>(at) - text.data()), piece.size(),
               replacement);
  return true;
}

}  // namespace

std::string_view StoredObject::name() const {
  const std::size_t slash = key.find('/');
  return slash == std::string::npos ? std::string_view(key)
                                    : std::string_view(key).substr(slash + 1);
}

std::string_view StoredObject::namespace_name() const {
  const std::size_t slash = key.find('/');
  return slash == std::string::npos ? std::string_view{} : std::string_view(key).substr(0, slash);
}

Storage::Storage(const Clock& clock, HistoryLimits limits)
    : clock_(clock),
      limits_(limits),
      version_(limits.first_version),
      collections_(resources().size()) {
  for (Collection& collection : collections_) collection.progress = version_;
}

ObjectRef Storage::find(const Resource& resource, std::string_view key) const {
  const Collection& collection = collection_of(resource);
  const auto found = collection.objects.find(key);
  return found == collection.objects.end() ? nullptr : found->second;
}

std::size_t Storage::count(const Resource& resource) const {
  return collection_of(resource).objects.size();
}

ObjectRef Storage::make(const Resource& resource, std::string key, Json object,
                        ManagedFields managed) {
  StoredObject stored;
  stored.key = std::move(key);
  stored.managed = managed;
  stored.version = ++version_;
  object["metadata"]["resourceVersion"] = std::to_string(stored.version);
  object.erase("kind");
  object.erase("apiVersion");
  if (resource.kind == "Pod") {
    if (const auto spec = object.find("spec"); spec != object.end()) {
      stored.node = node_id(spec->value("nodeName", ""));
    }
  }
  stored.bytes = object.dump(-1, ' ', false, Json::error_handler_t::replace);
  Collection& collection = collection_of(resource);
  collection.last = std::make_shared<const StoredObject>(std::move(stored));
  collection.last_tree = std::make_shared<Json>(std::move(object));
  return collection.last;
}

Json Storage::tree(const Resource& resource, const ObjectRef& stored) {
  Collection& collection = collection_of(resource);
  if (collection.last != stored || !collection.last_tree) return parse_json(stored->bytes);
  return std::move(*std::exchange(collection.last_tree, nullptr));
}

ObjectRef Storage::put(const Resource& resource, std::string key, Json object,
                       ManagedFields managed) {
  ObjectRef stored = make(resource, std::move(key), std::move(object), managed);
  ObjectRef& place = collection_of(resource).objects[stored->key];
  ObjectRef previous = std::exchange(place, stored);
  if (resource.kind == "Pod") index_pod(previous, stored);
  const Change change = previous ? Change::Modified : Change::Added;
  record(resource, {change, clock_.now(), stored, std::move(previous)});
  return stored;
}

ObjectRef Storage::amend(const Resource& resource, std::string_view key, std::string_view piece,
                         std::string_view replacement) {
  Collection& collection = collection_of(resource);
  const auto found = collection.objects.find(key);
  if (found == collection.objects.end()) return nullptr;
  const ObjectRef previous = found->second;
  StoredObject amended = *previous;
  if (!replace_once(amended.bytes, piece, replacement)) return nullptr;
  amended.version = version_ + 1;
  if (!replace_once(amended.bytes, version_member(previous->version),
                    version_member(amended.version))) {
    return nullptr;
  }
  ++version_;
  found->second = std::make_shared<const StoredObject>(std::move(amended));
  record(resource, {Change::Modified, clock_.now(), found->second, previous});
  return found->second;
}

ObjectRef Storage::erase(const Resource& resource, std::string_view key) {
  Collection& collection = collection_of(resource);
  const auto found = collection.objects.find(key);
  if (found == collection.objects.end()) return nullptr;
  ObjectRef previous = std::move(found->second);
  collection.objects.erase(found);
  ObjectRef last = make(resource, previous->key, parse_json(previous->bytes), previous->managed);
  if (resource.kind == "Pod") index_pod(previous, nullptr);
  record(resource, {Change::Deleted, clock_.now(), last, std::move(previous)});
  return last;
}

void Storage::record(const Resource& resource, HistoryEvent event) {
  Collection& collection = collection_of(resource);
  assert(event.object->version > collection.progress || collection.history.empty());
  collection.progress = event.object->version;
  collection.history.push_back(event);
  const Instant oldest = event.at - limits_.age;
  while (collection.history.size() > limits_.events || collection.history.front().at < oldest) {
    collection.history_start = collection.history.front().object->version;
    collection.history.pop_front();
  }
  if (listener_) listener_(resource, event);
}

void Storage::index_pod(const ObjectRef& before, const ObjectRef& after) {
  if (before && after && before->node == after->node) return;
  if (before) pods_of_node_[before->node].erase(before->key);
  if (after) pods_of_node_[after->node].insert(after->key);
}

void Storage::visit(const Resource& resource, const Range& range, const Visitor& visitor) const {
  const Collection& collection = collection_of(resource);
  const bool past = range.version != 0 && !collection.history.empty() &&
                    collection.history.back().object->version > range.version;
  if (past) return visit_past(collection, range, visitor);
  auto at = collection.objects.lower_bound(range.from.empty() ? range.prefix : range.from);
  for (; at != collection.objects.end() && at->first.starts_with(range.prefix); ++at) {
    if (!visitor(at->second)) return;
  }
}

void Storage::visit_past(const Collection& collection, const Range& range,
                         const Visitor& visitor) const {
  // What an object was at that version is what the first later event found.
  std::map<std::string_view, ObjectRef> then;
  for (auto event = collection.history.rbegin();
       event != collection.history.rend() && event->object->version > range.version; ++event) {
    then[event->object->key] = event->previous;
  }
  const std::string_view first = range.from.empty() ? range.prefix : range.from;
  auto now = collection.objects.lower_bound(first);
  auto old = then.lower_bound(first);
  const auto within = [&](std::string_view key) { return key.starts_with(range.prefix); };
  while (true) {
    const bool has_now = now != collection.objects.end() && within(now->first);
    const bool has_old = old != then.end() && within(old->first);
    if (!has_now && !has_old) return;
    const bool take_old = has_old && (!has_now || old->first <= now->first);
    const ObjectRef object = take_old ? old->second : now->second;
    if (has_now && (!take_old || now->first == old->first)) ++now;
    if (take_old) ++old;
    if (object && !visitor(object)) return;
  }
}

void Storage::visit_pods_of(std::string_view node, const Visitor& visitor) const {
  const auto id = node_ids_.find(std::string(node));
  if (id == node_ids_.end()) return;
  const Resource& pods = core_resource("pods");
  for (const std::string& key : pods_of_node_[id->second]) {
    if (!visitor(find(pods, key))) return;
  }
}

std::uint64_t Storage::history_start(const Resource& resource) const {
  const Collection& collection = collection_of(resource);
  const std::size_t events = collection.history.size();
  if (!shortened_to_ || *shortened_to_ >= events) return collection.history_start;
  return collection.history[events - *shortened_to_ - 1].object->version;
}

void Storage::visit_history(const Resource& resource, std::uint64_t version,
                            const std::function<void(const HistoryEvent&)>& visitor) const {
  const std::deque<HistoryEvent>& history = collection_of(resource).history;
  // From the end: whoever asks after every write has seen nearly all of it.
  auto at = history.end();
  while (at != history.begin() && std::prev(at)->object->version > version) --at;
  for (; at != history.end(); ++at) visitor(*at);
}

void Storage::compact() {
  for (Collection& collection : collections_) {
    collection.history.clear();
    collection.history_start = version_;
    collection.progress = version_;
  }
}

Storage::Snapshot Storage::snapshot() const {
  Snapshot now{
      .version = version_, .objects = {}, .node_names = {node_names_.begin(), node_names_.end()}};
  for (const Collection& collection : collections_) now.objects.push_back(collection.objects);
  return now;
}

void Storage::restore(const Snapshot& then, std::uint64_t version) {
  assert(version >= then.version);
  for (std::size_t i = 0; i < collections_.size(); ++i) collections_[i].objects = then.objects[i];
  version_ = version;
  compact();
  for (std::size_t id = 0; id < then.node_names.size(); ++id) {
    const std::uint32_t known = node_id(then.node_names[id]);
    assert(known == id);
  }
  for (auto& pods : pods_of_node_) pods.clear();
  for (const auto& [key, pod] : collection_of(core_resource("pods")).objects) {
    index_pod(nullptr, pod);
  }
}

std::uint64_t Storage::progress(const Resource& resource) const {
  return collection_of(resource).progress;
}

void Storage::note_consistent_read(const Resource& resource) {
  collection_of(resource).progress = version_;
}

std::uint32_t Storage::node_id(std::string_view name) {
  const auto [place, is_new] =
      node_ids_.emplace(std::string(name), static_cast<std::uint32_t>(node_names_.size()));
  if (is_new) {
    node_names_.emplace_back(name);
    pods_of_node_.emplace_back();
  }
  return place->second;
}

}  // namespace nlc::sim
