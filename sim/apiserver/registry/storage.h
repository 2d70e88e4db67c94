#pragma once

#include <absl/container/btree_map.h>
#include <absl/container/btree_set.h>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/clock.h"
#include "sim/apiserver/registry/managed_fields.h"
#include "sim/apiserver/types/resource.h"

/// All objects of the embedded cluster: each once, as the JSON text that goes to clients, and never
/// as a tree.
///
/// There is one counter of versions for all resources, as in etcd: each change takes the next
/// number. A bounded history per resource serves watches and lists of the past. Single-threaded.
namespace nlc::sim {

/// One version of one object. Immutable, so that storage, history and streams share it.
struct StoredObject {
  std::string key;  ///< "name", or "namespace/name": the order of lists is the order of keys
  std::uint64_t version = 0;  ///< its metadata.resourceVersion
  std::uint32_t node = 0;     ///< pods: `Storage::node_id` of spec.nodeName
  ManagedFields managed;
  std::string bytes;  ///< the object without kind and apiVersion, which its resource knows

  std::string_view name() const;
  std::string_view namespace_name() const;  ///< empty for cluster-wide objects
};

/// Shared by design: an object lives as long as the store, the history or a stream still needs it.
using ObjectRef = std::shared_ptr<const StoredObject>;

enum class Change : std::uint8_t { Added, Modified, Deleted };

struct HistoryEvent {
  Change change;
  Instant at;
  /// After the change; of a deletion the last state, with the deletion's version.
  ObjectRef object;
  ObjectRef previous;  ///< null when added
};

struct HistoryLimits {
  std::size_t events = 102'400;  ///< per resource
  Duration age = std::chrono::minutes(5);
  std::uint64_t first_version = 1;  ///< where the counter of versions begins
};

/// A stretch of one resource in key order, as it was at a version.
struct Range {
  std::string_view prefix;  ///< "" or "namespace/"
  std::string_view from;    ///< the first key not excluded; empty: from the beginning
  std::uint64_t version = 0;
};

/// What etcd is to a real server. Decides nothing: whether a write may be, and what it becomes, is
/// the `Registry`'s business. What it gives out stays as it is; the clock outlives it. Visitors
/// must not change it.
class Storage {
 public:
  using Objects = absl::btree_map<std::string, ObjectRef, std::less<>>;

  /// Every object at one moment. The objects are shared and not copied.
  struct Snapshot {
    std::uint64_t version;
    std::vector<Objects> objects;         ///< by `Resource::id`
    std::vector<std::string> node_names;  ///< by the numbers that the pods carry
  };

  using Listener = std::function<void(const Resource&, const HistoryEvent&)>;
  /// Returns false to stop.
  using Visitor = std::function<bool(const ObjectRef&)>;

  Storage(const Clock& clock, HistoryLimits limits);

  /// Is told of every change, after it was made. At most one.
  void on_change(Listener listener) { listener_ = std::move(listener); }

  /// The newest version of anything.
  std::uint64_t version() const { return version_; }

  ObjectRef find(const Resource& resource, std::string_view key) const;
  std::size_t count(const Resource& resource) const;

  /// Stores `object` under a new version, which is written into its metadata.
  ObjectRef put(const Resource& resource, std::string key, nlohmann::json object,
                ManagedFields managed = {});

  /// What is stored, to be read or changed. The last of each resource that was put there need not
  /// be parsed, once: a lock is read and written every two seconds.
  nlohmann::json tree(const Resource& resource, const ObjectRef& stored);

  /// Stores the object again with one piece of its text replaced: a renewal costs a hundredth of
  /// what reading and writing the whole object would. Null, and nothing happens, when the object is
  /// not there or its text has no such piece.
  ObjectRef amend(const Resource& resource, std::string_view key, std::string_view piece,
                  std::string_view replacement);

  /// Removes what is there; null when nothing is. Returns the last state with the version of the
  /// deletion.
  ObjectRef erase(const Resource& resource, std::string_view key);

  /// Visits what `range` holds. Its version must not be newer than `version()` nor older than
  /// `history_start(resource)`; 0 stands for now.
  void visit(const Resource& resource, const Range& range, const Visitor& visitor) const;

  /// Now, and only pods of one node, or of none: without looking at the others.
  void visit_pods_of(std::string_view node, const Visitor& visitor) const;

  /// Versions before this one are forgotten: neither watches nor lists can begin there.
  std::uint64_t history_start(const Resource& resource) const;
  /// From now on it lies so many events of each resource back at most; without a number, as far as
  /// the limits let it. `visit_history` still visits all that the limits keep: it serves those who
  /// watch from inside, and no client.
  void shorten_history(std::optional<std::size_t> events) { shortened_to_ = events; }
  /// What happened after `version`, oldest first.
  void visit_history(const Resource& resource, std::uint64_t version,
                     const std::function<void(const HistoryEvent&)>& visitor) const;
  /// Forgets all history, as a restarted server has.
  void compact();

  Snapshot snapshot() const;
  /// The objects are again those of then, with the uids and versions of then; the history is
  /// forgotten, and nobody is told. The counter goes on from `version`, which is not before
  /// `then.version`. The storage is that of the snapshot, or a new one.
  void restore(const Snapshot& then, std::uint64_t version);

  /// The version up to which the resource's readers are known to be current: that of its last
  /// event, or of its last consistent read. Bookmarks tell this one.
  std::uint64_t progress(const Resource& resource) const;
  void note_consistent_read(const Resource& resource);

  /// Of the small number that a pod carries for its node.
  std::string_view node_name(std::uint32_t id) const { return node_names_[id]; }

 private:
  /// All that is kept of one resource.
  struct Collection {
    Objects objects;
    ObjectRef last;                             ///< that was put there
    std::shared_ptr<nlohmann::json> last_tree;  ///< of that, until it is asked for
    std::deque<HistoryEvent> history;
    std::uint64_t history_start = 1;  ///< nothing is forgotten yet
    std::uint64_t progress = 0;
  };

  Collection& collection_of(const Resource& resource) { return collections_[resource.id]; }
  const Collection& collection_of(const Resource& resource) const {
    return collections_[resource.id];
  }
  ObjectRef make(const Resource& resource, std::string key, nlohmann::json object,
                 ManagedFields managed);
  void record(const Resource& resource, HistoryEvent event);
  /// A small number for a node's name, 0 for the empty one. None is ever forgotten.
  std::uint32_t node_id(std::string_view name);
  void index_pod(const ObjectRef& before, const ObjectRef& after);
  void visit_past(const Collection& collection, const Range& range, const Visitor& visitor) const;

  const Clock& clock_;
  const HistoryLimits limits_;
  std::optional<std::size_t> shortened_to_;
  Listener listener_;
  std::uint64_t version_;
  std::vector<Collection> collections_;
  std::unordered_map<std::string, std::uint32_t> node_ids_{{"", 0}};
  std::deque<std::string> node_names_{""};
  std::vector<absl::btree_set<std::string, std::less<>>> pods_of_node_{{}};
};

}  // namespace nlc::sim
