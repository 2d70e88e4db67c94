#include "sim/apiserver/registry/storage.h"

#include <cassert>
#include <cstring>
#include <iterator>
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
bool replace_once(std::string& text, std::string_view piece, std::string_view other) {
  const void* at = ::memmem(text.data(), text.size(), piece.data(), piece.size());
  if (at == nullptr) return false;
  text.replace(static_cast<std::size_t>(static_cast<const char*>(at) - text.data()), piece.size(),
               other);
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
    : clock_(clock), limits_(limits), version_(limits.first_version), shelves_(resources().size()) {
  for (Shelf& shelf : shelves_) shelf.progress = version_;
}

ObjectRef Storage::find(const Resource& resource, std::string_view key) const {
  const Shelf& shelf = shelf_of(resource);
  const auto found = shelf.objects.find(key);
  return found == shelf.objects.end() ? nullptr : found->second;
}

std::size_t Storage::count(const Resource& resource) const {
  return shelf_of(resource).objects.size();
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
  Shelf& shelf = shelf_of(resource);
  shelf.last = std::make_shared<const StoredObject>(std::move(stored));
  shelf.last_tree = std::make_shared<Json>(std::move(object));
  return shelf.last;
}

Json Storage::tree(const Resource& resource, const ObjectRef& stored) {
  Shelf& shelf = shelf_of(resource);
  if (shelf.last != stored || !shelf.last_tree) return parse_json(stored->bytes);
  return std::move(*std::exchange(shelf.last_tree, nullptr));
}

ObjectRef Storage::put(const Resource& resource, std::string key, Json object,
                       ManagedFields managed) {
  ObjectRef stored = make(resource, std::move(key), std::move(object), managed);
  ObjectRef& place = shelf_of(resource).objects[stored->key];
  ObjectRef previous = std::exchange(place, stored);
  if (resource.kind == "Pod") move_pod(previous, stored);
  const Change change = previous ? Change::Modified : Change::Added;
  record(resource, {change, clock_.now(), stored, std::move(previous)});
  return stored;
}

ObjectRef Storage::amend(const Resource& resource, std::string_view key, std::string_view piece,
                         std::string_view other) {
  Shelf& shelf = shelf_of(resource);
  const auto found = shelf.objects.find(key);
  if (found == shelf.objects.end()) return nullptr;
  const ObjectRef previous = found->second;
  StoredObject amended = *previous;
  if (!replace_once(amended.bytes, piece, other)) return nullptr;
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
  Shelf& shelf = shelf_of(resource);
  const auto found = shelf.objects.find(key);
  if (found == shelf.objects.end()) return nullptr;
  ObjectRef previous = std::move(found->second);
  shelf.objects.erase(found);
  ObjectRef last = make(resource, previous->key, parse_json(previous->bytes), previous->managed);
  if (resource.kind == "Pod") move_pod(previous, nullptr);
  record(resource, {Change::Deleted, clock_.now(), last, std::move(previous)});
  return last;
}

void Storage::record(const Resource& resource, HistoryEvent event) {
  Shelf& shelf = shelf_of(resource);
  assert(event.object->version > shelf.progress || shelf.history.empty());
  shelf.progress = event.object->version;
  shelf.history.push_back(event);
  const Instant oldest = event.at - limits_.age;
  while (shelf.history.size() > limits_.events || shelf.history.front().at < oldest) {
    shelf.history_start = shelf.history.front().object->version;
    shelf.history.pop_front();
  }
  if (listener_) listener_(resource, event);
}

void Storage::move_pod(const ObjectRef& before, const ObjectRef& after) {
  if (before && after && before->node == after->node) return;
  if (before) pods_of_node_[before->node].erase(before->key);
  if (after) pods_of_node_[after->node].insert(after->key);
}

void Storage::visit(const Resource& resource, const Range& range, const Visitor& visitor) const {
  const Shelf& shelf = shelf_of(resource);
  const bool past = range.version != 0 && !shelf.history.empty() &&
                    shelf.history.back().object->version > range.version;
  if (past) return visit_past(shelf, range, visitor);
  auto at = shelf.objects.lower_bound(range.from.empty() ? range.prefix : range.from);
  for (; at != shelf.objects.end() && at->first.starts_with(range.prefix); ++at) {
    if (!visitor(at->second)) return;
  }
}

void Storage::visit_past(const Shelf& shelf, const Range& range, const Visitor& visitor) const {
  // What an object was at that version is what the first later event found.
  std::map<std::string_view, ObjectRef> then;
  for (auto event = shelf.history.rbegin();
       event != shelf.history.rend() && event->object->version > range.version; ++event) {
    then[event->object->key] = event->previous;
  }
  const std::string_view first = range.from.empty() ? range.prefix : range.from;
  auto now = shelf.objects.lower_bound(first);
  auto old = then.lower_bound(first);
  const auto within = [&](std::string_view key) { return key.starts_with(range.prefix); };
  while (true) {
    const bool has_now = now != shelf.objects.end() && within(now->first);
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
  const Shelf& shelf = shelf_of(resource);
  const std::size_t events = shelf.history.size();
  if (!shortened_to_ || *shortened_to_ >= events) return shelf.history_start;
  return shelf.history[events - *shortened_to_ - 1].object->version;
}

void Storage::visit_history(const Resource& resource, std::uint64_t version,
                            const std::function<void(const HistoryEvent&)>& visitor) const {
  const std::deque<HistoryEvent>& history = shelf_of(resource).history;
  // From the end: whoever asks after every write has seen nearly all of it.
  auto at = history.end();
  while (at != history.begin() && std::prev(at)->object->version > version) --at;
  for (; at != history.end(); ++at) visitor(*at);
}

void Storage::compact() {
  for (Shelf& shelf : shelves_) {
    shelf.history.clear();
    shelf.history_start = version_;
    shelf.progress = version_;
  }
}

Storage::Snapshot Storage::snapshot() const {
  Snapshot now{
      .version = version_, .objects = {}, .node_names = {node_names_.begin(), node_names_.end()}};
  for (const Shelf& shelf : shelves_) now.objects.push_back(shelf.objects);
  return now;
}

void Storage::restore(const Snapshot& then, std::uint64_t version) {
  assert(version >= then.version);
  for (std::size_t i = 0; i < shelves_.size(); ++i) shelves_[i].objects = then.objects[i];
  version_ = version;
  compact();
  for (std::size_t id = 0; id < then.node_names.size(); ++id) {
    const std::uint32_t known = node_id(then.node_names[id]);
    assert(known == id);
  }
  for (auto& pods : pods_of_node_) pods.clear();
  for (const auto& [key, pod] : shelf_of(core_resource("pods")).objects) {
    move_pod(nullptr, pod);
  }
}

std::uint64_t Storage::progress(const Resource& resource) const {
  return shelf_of(resource).progress;
}

void Storage::note_consistent_read(const Resource& resource) {
  shelf_of(resource).progress = version_;
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
