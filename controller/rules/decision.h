#pragma once

#include <string>
#include <variant>
#include <vector>

#include "api/objects.h"
#include "api/patches.h"
#include "client/transport.h"
#include "runtime/time.h"

/// Wishes to change the cluster, or to look at it more closely. Plain values: deciding one changes
/// nothing, and memory moves only when its answer comes.
namespace nlc::controller {

/// Which object a decision is about. The uid tells it from another of the same name.
struct NodeRef {
  std::string name;
  std::string uid;
};
struct PodRef {
  std::string namespace_;
  std::string name;
  std::string uid;
  std::string key() const { return namespace_ + "/" + name; }
};

using client::Try;

/// What of a node a write changes. The server keeps the two apart, and so does who may refuse it.
enum class NodePart : std::uint8_t { Status, Spec };

inline NodeRef ref_of(const api::Node& node) { return {.name = node.name, .uid = node.uid}; }
inline PodRef ref_of(const api::Pod& pod) {
  return {.namespace_ = pod.namespace_, .name = pod.name, .uid = pod.uid};
}

/// Write Unknown conditions on a node that fell silent.
struct MarkSilent {
  NodeRef node;
  std::string resource_version;
  std::vector<api::NodeCondition> conditions;
  std::vector<std::string> order;  ///< of all conditions then; empty: as it is
  Duration silent_for{0};
  Duration late{0};  ///< since its grace ended
  Try attempt = Try::First;
};

/// Write a node's complete list of taints.
struct SetTaints {
  NodeRef node;
  std::string resource_version;
  std::vector<api::Taint> taints;
  // For logs.
  std::string added;
  std::string removed;
  std::string ready;   ///< the status of its Ready condition
  std::string reason;  ///< of that condition
  Try attempt = Try::First;
};

/// Write the deprecated labels that mirror stable ones (spec/node-lifecycle.md "Node labels").
struct SetLabels {
  NodeRef node;
  std::string resource_version;
  api::Labels labels;
  Try attempt = Try::First;
};

struct MarkPodNotReady {
  PodRef pod;
  std::string resource_version;
  std::string node;  ///< for logs
  Try attempt = Try::First;
};

/// What a pod's eviction asks for: to say of it why it goes, and then to delete it.
enum class EvictionStep : std::uint8_t { Mark, Delete };

/// The next step of a pod's eviction: mark it as a disruption target, or delete it.
struct EvictPod {
  PodRef pod;
  std::string resource_version;  ///< that its deletion is decided on; empty: it was read just now
  std::string node;              ///< for logs
  bool marked = false;           ///< delete it
  bool first = true;             ///< nothing of this eviction was asked for yet
  std::optional<WallTime>
      target_since;  ///< kept as lastTransitionTime of a condition that was True
  std::int64_t generation = 0;
  Instant deadline;
  Try attempt = Try::First;
};

/// The next step of it where nodes get no taints: say of a pod that its node is lost, or delete it
/// (spec/node-lifecycle.md "Eviction by timeout").
struct EvictLostPod {
  PodRef pod;
  std::string resource_version;
  std::string node;
  bool marked = false;       ///< delete it
  bool first = true;         ///< nothing of this eviction was asked for yet
  bool terminating = false;  ///< it is being deleted already
  Try attempt = Try::First;
};

/// Read a node as the server has it, before its pods are evicted for what was last seen of it.
struct ReadNode {
  NodeRef node;
  Try attempt = Try::First;
};

/// Read the leases of nodes whose grace has ended, by quorum, before anything is said about them.
struct ReadLeases {
  std::vector<std::string> nodes;
  bool in_one_list = false;  ///< else one by one, each answered for itself
  Instant asked{};           ///< what is answered may be of then
  /// No stream of leases shows what was renewed before: one by one, too, they are read in lists,
  /// which have a version.
  bool dated = false;
  std::uint64_t expected = 0;  ///< of that version, see `ServerVersions`
  bool came_late = false;      ///< a list whose last page did

  /// Whoever came back since then shows in no list: one whose pages took longer is late.
  static constexpr Duration in_time = std::chrono::seconds(10);
  /// Where a write has to bear it out that is sent when another is answered: each may take as long.
  Duration good_for() const { return dated ? 3 * in_time : in_time; }
  /// A stream dates what is read by itself when the answer comes.
  bool dated_by_stream() const { return !dated && !in_one_list; }
  bool counts(Instant now) const {
    return dated_by_stream() || (!came_late && now - asked <= good_for());
  }
};

using Decision = std::variant<MarkSilent, SetTaints, SetLabels, MarkPodNotReady, EvictPod,
                              EvictLostPod, ReadLeases, ReadNode>;

}  // namespace nlc::controller
