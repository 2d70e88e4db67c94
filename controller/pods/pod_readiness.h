#pragma once

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "client/limits/room.h"
#include "controller/rules/decision.h"
#include "controller/rules/view.h"
#include "controller/writes/pending_writes.h"
#include "informer/string_map.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Marks NotReady every pod that still says Ready on a node whose kubelet fell silent, so that
/// Services stop sending traffic there. Level-triggered (against D-PN-2, D-PN-3): a pod that comes
/// late, or whose write failed, is marked for as long as its node is Unknown. Nobody but the
/// kubelet turns a pod Ready again.
///
/// Pure, on one thread; the view has been changed already when an observation is told.
class PodReadiness {
 public:
  PodReadiness(View view, std::uint64_t seed) : view_(view), pending_(seed) {}

  void node_stored(const api::Node& node, const api::Node* before, Instant now);
  void node_removed(const api::Node& node) { unready_.erase(node.name); }
  void pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, Instant now);
  /// The pod was bound to its node just now: if that node is not Ready for whatever reason, the pod
  /// is marked once (spec/node-lifecycle.md "Late pods"). Told after `pod_stored`.
  void pod_bound(Slot slot, const api::Pod& pod, Instant now);
  void pod_removed(Slot slot);

  /// Whether pods of that node are left alone for now; empty: no node's are.
  using Spared = std::function<bool(const std::string& node)>;
  std::vector<Decision> due(Instant now, client::Room& room, const Spared& spared = {});
  std::optional<Instant> next_due(Instant now) const { return pending_.next_after(now); }

  void written(const PodRef& pod, Instant now);
  /// True: that is worth telling; a first conflict is not.
  bool refused(const PodRef& pod, const Error& error, Instant now);
  /// The write never left this process: nothing was learned.
  void not_sent(const PodRef& pod, Instant now);

  const PendingWrites& pending() const { return pending_; }
  /// Pods that somebody turned Ready again behind us, since the last call.
  std::vector<PodRef> take_undone();

 private:
  bool wanted(Slot slot, const api::Pod& pod) const;
  void follow(Slot slot, const api::Pod& pod, Instant now);

  const View view_;
  PendingWrites pending_;
  /// Nodes whose Ready condition is there and not True; true: because we judged them silent. A pod
  /// is asked about far more often than a node is in trouble.
  informer::StringMap<bool> unready_;
  std::set<Slot> late_;  ///< bound to a node that was not Ready, and not marked yet
};

}  // namespace nlc::controller
