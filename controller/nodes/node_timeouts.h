#pragma once

#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "controller/nodes/node_health.h"
#include "controller/options/policy.h"
#include "controller/pause/pauses.h"
#include "controller/rules/decision.h"
#include "controller/rules/view.h"
#include "controller/server/api_availability.h"
#include "controller/zones/eviction_queue.h"

namespace nlc::controller {

/// All pods of a node are to leave, or are no longer: only where nodes get no NoExecute taints.
struct NodeEviction {
  enum class Kind { Begun, Ended } kind;
  NodeRef node;
};

/// Nodes whose pods go after a timeout, because nodes get no NoExecute taints
/// (spec/node-lifecycle.md "Eviction by timeout"). Whoever's timeout has run out waits in the queue
/// of its zone; where nodes get taints nobody's ever does.
///
/// Pure, on one thread; what is borrowed outlives this.
class NodeTimeouts {
 public:
  NodeTimeouts(View view, const Policy& policy, const Pauses& pauses,
               const ApiAvailability& availability, const NodeHealth& health, EvictionQueue& queue)
      : view_(view),
        policy_(policy),
        pauses_(pauses),
        availability_(availability),
        health_(health),
        queue_(queue) {}

  void node_stored(Slot slot, Instant now) { follow(slot, availability_.at(now)); }
  void node_removed(Slot slot, const api::Node& node) { end(slot, node); }
  /// Whose timeout has run out by now waits.
  void follow_all(Instant now);
  /// Nobody is evicted any more, nor waits for it.
  void end_all();
  /// It had its turn, and was read: its pods leave. False: they stay after all.
  bool begin(Slot slot, Instant now);

  /// When the first ends that has not.
  std::optional<Instant> next(Instant now) const;
  /// The last moment at which a node's pods may stay; nothing for a node that is ready.
  std::optional<AvailableTime> end_of(Slot slot) const;
  /// Its pods are leaving.
  bool is_evicting(Slot slot) const { return evicting_.contains(slot); }

  /// What began or ended since the last call.
  std::vector<NodeEviction> take_evictions() { return std::exchange(evictions_, {}); }

 private:
  bool is_over(Slot slot, AvailableTime now) const;
  void follow(Slot slot, AvailableTime now);
  void end(Slot slot, const api::Node& node);

  const View view_;
  const Policy& policy_;
  const Pauses& pauses_;
  const ApiAvailability& availability_;
  const NodeHealth& health_;
  EvictionQueue& queue_;
  std::set<Slot> evicting_;
  std::optional<AvailableTime> next_;
  std::vector<NodeEviction> evictions_;
};

}  // namespace nlc::controller
