#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "runtime/time.h"
#include "sim/apiserver/registry/storage.h"

namespace nlc::sim::scenario {

/// A node was newly given a NoExecute taint of the controller's, or, on the legacy path, lost its
/// first pod to it.
struct Eviction {
  std::string node;
  std::string zone;  ///< the key of the node's zone at that moment
  Instant at;
};

/// The controller had a pod's deletion begun, or the pod removed at once.
struct PodEvicted {
  std::string key;
  std::string node;
  Instant at;
};

/// An event was written, or counted up.
struct EventSeen {
  nlohmann::json event;  ///< as stored then
  long long occurrences = 1;
  Instant at;
};

/// What the controller did to the cluster, read from the history of the storage.
class ChangeLog {
 public:
  struct Options {
    bool legacy = false;  ///< evictions are deleted pods
  };
  ChangeLog(const Storage& storage, Options options);

  enum class Author { Controller, SomebodyElse };
  /// Takes in what was written since the last call; all of it by one author.
  void catch_up(Author author);

  /// Another state took the place of the present one, and its history with it.
  void begin_anew();

  const std::vector<Eviction>& evictions() const { return evictions_; }
  const std::vector<EventSeen>& events() const { return events_; }
  const std::vector<PodEvicted>& pods_evicted() const { return pods_evicted_; }
  /// Whether a pod of that key ever was.
  bool knew_pod(const std::string& key) const { return pods_.contains(key); }

 private:
  void read_nodes(Author author);
  void read_pods(Author author);
  void note_legacy_eviction(const std::string& node, Instant at);
  void read_events();

  const Storage& storage_;
  const Options options_;
  std::uint64_t version_ = 0;
  std::vector<Eviction> evictions_;
  std::vector<EventSeen> events_;
  std::vector<PodEvicted> pods_evicted_;
  std::set<std::string, std::less<>> pods_;
};

}  // namespace nlc::sim::scenario
