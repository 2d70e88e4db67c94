#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controller/nodes/node_env.h"
#include "controller/nodes/node_health.h"
#include "controller/rules/decision.h"
#include "controller/zones/eviction_queue.h"

namespace nlc::controller {

/// All pods of a node are to leave, or are no longer: only where nodes get no NoExecute taints.
struct NodeEviction {
  enum class Kind { Begun, Ended } kind;
  NodeRef node;
};

/// Nodes whose pods are evicted after `--pod-eviction-timeout`, because nodes get no NoExecute
/// taints (spec/node-lifecycle.md "Eviction by timeout"). A node whose timeout has run out waits in
/// the queue of its zone for its turn, which takes a token. Where nodes get taints none ever waits.
///
/// A node without pods to evict has lost them already, perhaps while another process led. It counts
/// as evicted at once and takes no token. For a pod that comes later it needs a turn.
///
/// Once a pod of the node has left, the others follow when they can. Before that a turn may be
/// missed: when a write about the node's pods fails, or when nothing is asked of the API server for
/// a while, for want of room or because it is throttled. The node then waits for another turn,
/// behind all that have had none. So what could not leave for a while keeps to the pace of its zone
/// afterwards, and stays while the zone evicts nobody.
///
/// Pure, on one thread; what is borrowed outlives this.
class NodeTimeouts {
 public:
  NodeTimeouts(NodeEnv env, const NodeHealth& health, EvictionQueue& queue)
      : view_(env.view),
        policy_(env.policy),
        pauses_(env.pauses),
        availability_(env.availability),
        health_(health),
        queue_(queue) {}

  void node_stored(Slot slot, Instant now) { follow(slot, now); }
  void node_removed(Slot slot, const api::Node& node) { end(slot, node); }
  /// Puts all nodes whose timeout has run out into the queues.
  void follow_all(Instant now);
  /// No node is evicted any more, nor waits for it.
  void end_all();
  /// The node has its turn, and was read: its pods leave. False: they stay after all.
  bool begin(Slot slot, Instant now);
  /// Something is asked for one of its pods.
  void asked(Slot slot, Instant now);
  /// One of its pods leaves.
  void left(Slot slot);
  /// A write about one of its pods failed.
  void refused(Slot slot);
  /// The server lost what it had accepted: pods that had left may be back.
  void doubt_accepted();
  /// Whether its pods may leave. If they are to, and its turn came to nothing, it waits for
  /// another.
  bool has_turn(Slot slot, Instant now);

  /// When the next timeout runs out.
  std::optional<Instant> next(Instant now) const;
  /// The last moment at which a node's pods may stay; nothing for a node that is ready.
  std::optional<AvailableTime> end_of(Slot slot) const;
  /// The node's pods are leaving.
  bool is_evicting(Slot slot) const { return evicting_.contains(slot); }
  struct Turn {
    enum class State : std::uint8_t {
      None,    ///< since its pods came, or came back with a restore
      Missed,  ///< it came to nothing
      Given,
      Used  ///< a pod has left
    } state;
    Instant asked;  ///< for a pod of the node, for the last time, or given
  };
  /// Null: the node's pods are not leaving.
  const Turn* turn(Slot slot) const {
    const auto evicted = evicting_.find(slot);
    return evicted == evicting_.end() ? nullptr : &evicted->second;
  }

  /// What began or ended since the last call.
  std::vector<NodeEviction> take_evictions() { return std::exchange(evictions_, {}); }
  /// The key of its zone for each eviction that began since the last call.
  std::vector<std::string> take_zones_evicting() { return std::exchange(zones_evicting_, {}); }

 private:
  bool is_over(Slot slot, AvailableTime now) const;
  bool has_pods_to_evict(Slot slot) const;
  void follow(Slot slot, Instant now);
  void set_turn(Slot slot, const Turn& turn);
  void end(Slot slot, const api::Node& node);

  const View view_;
  const Policy& policy_;
  const Pauses& pauses_;
  const ApiAvailability& availability_;
  const NodeHealth& health_;
  EvictionQueue& queue_;
  std::map<Slot, Turn> evicting_;
  std::optional<AvailableTime> next_;
  std::vector<NodeEviction> evictions_;
  std::vector<std::string> zones_evicting_;
};

}  // namespace nlc::controller
