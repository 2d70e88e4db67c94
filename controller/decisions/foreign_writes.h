#pragma once

#include <array>
#include <bitset>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controller/rules/decision.h"
#include "controller/rules/view.h"
#include "metrics/metrics.h"
#include "runtime/log.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Another node-lifecycle or taint-eviction controller did this while ours leads: two masters.
struct ForeignWrite {
  metrics::Write kind;  ///< NodeStatus, NodeTaints or PodStatus
  LogField object;      ///< {"node", name} or {"pod", namespace/name}
  std::string what;     ///< "node.kubernetes.io/unreachable:NoSchedule added"
};

/// Finds writes of another node-lifecycle or taint-eviction controller (kube-controller-manager's
/// own, left on) by what they do, for who wrote is not kept in what is watched:
///   - a Ready condition becomes Unknown for a silent kubelet;
///   - a not-ready or unreachable taint follows the node's Ready condition: added when it asks for
///     one, taken off when it does not. What contradicts the condition is a user's doing: ours
///     undoes it, and so would the other controller;
///   - a pod whose toleration of a taint runs here is marked as deleted by the taint manager.
///
/// A change is somebody else's if no write of ours can have made it. Each of ours names the version
/// it was decided on:
///   - one that was not answered can only have made the next version after that;
///   - what is not newer than our last answer happened before it: a watch that goes on from a list
///     of a moment ago tells it once more;
///   - what refuses a write that was decided on our own last answer was written since that answer.
/// Nothing is concluded from lists and reads, which hide the steps between; nor from anything for a
/// while after leading began: the leader before may have written it.
///
/// Pure, on one thread. Nothing is done for a lease; nodes cost a look at two conditions.
class ForeignWrites {
 public:
  explicit ForeignWrites(View view) : view_(view) {}

  /// A request of the leader before ends, and shows, within so long.
  static constexpr Duration settling = std::chrono::seconds(15);

  void begin_leading(Instant now) { counts_from_ = now + settling; }
  void end_leading();
  /// The server went back in time: it gives the versions that our answers had to other states.
  void versions_begin_anew();

  // --- observe. `before`: as it was; nothing when it is new. `sure`: the server is known to show
  // its present state

  void node_stored(Slot slot, const api::Node& node, const api::Node* before, bool sure,
                   Instant now);
  void node_removed(Slot slot) { sent_.erase(slot); }
  /// `due`: its time on a tainted node runs here, and nothing was asked for yet.
  void pod_stored(const api::Pod& pod, const api::Pod* before, bool due, bool sure, Instant now);

  // --- our own writes

  /// About to be performed.
  void sent(const Decision& decision);
  /// The write about that node was answered; the view has what the answer showed.
  void acknowledged(const NodeRef& node, NodePart part);
  void refused(const NodeRef& node, NodePart part, const Error& error, Instant now);

  std::vector<ForeignWrite> take() { return std::exchange(found_, {}); }

 private:
  /// What of a node only such a controller writes.
  struct Marks {
    bool unknown = false;
    std::bitset<4> taints;  ///< not-ready and unreachable, each NoSchedule and NoExecute
  };
  /// The last write of one part of a node, until nothing of it can show any more.
  struct Sent {
    std::string version;  ///< that it was decided on: it can only make the next one
    Marks before;
    bool in_flight = true;
    bool unclear = false;        ///< it, or one before it, may have been applied unanswered
    bool on_our_answer = false;  ///< `version` is our own work, as acknowledged while we lead
  };
  struct OfNode {
    std::array<std::optional<Sent>, 2> parts;
    std::string answered;  ///< the version of our last acknowledged write
  };

  static Marks marks_of(const api::Node& node);
  bool counts(Instant now) const { return counts_from_ && now >= *counts_from_; }
  bool was_answered(Slot slot, const std::string& version) const;
  bool may_be_ours(Slot slot, NodePart part, const std::string& version) const;
  std::optional<Slot> slot_of(const NodeRef& node) const;
  void sent(const NodeRef& node, NodePart part, const std::string& version);
  void note_status(const api::Node& node, Marks before, Marks now);
  void note_taints(const api::Node& node, Marks before, Marks now);

  const View view_;
  std::optional<Instant> counts_from_;  ///< nothing: others lead
  std::map<Slot, OfNode> sent_;         ///< of nodes that were written
  std::vector<ForeignWrite> found_;
};

}  // namespace nlc::controller
