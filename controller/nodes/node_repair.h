#pragma once

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "client/limits/room.h"
#include "controller/nodes/node_env.h"
#include "controller/nodes/node_health.h"
#include "controller/nodes/node_life.h"
#include "controller/nodes/node_timeouts.h"
#include "controller/nodes/node_writes.h"
#include "controller/rules/decision.h"
#include "controller/rules/moment.h"
#include "controller/rules/taints.h"
#include "controller/zones/eviction_queue.h"

namespace nlc::controller {

/// What nodes need to match what is seen of them: conditions, taints and labels, NoExecute taints
/// at the pace of their zones. Where nodes get none, their pods leave after a timeout instead, at
/// the same pace (spec/node-lifecycle.md "Eviction by timeout").
///
/// What is paused for a node is not wished for; what only takes off what we wrote always is.
///
/// Level-triggered, pure, on one thread. It judges nobody: that is for `NodeHealth`.
class NodeRepair {
 public:
  NodeRepair(NodeEnv env, NodeHealth& health, std::uint64_t seed)
      : view_(env.view),
        policy_(env.policy),
        pauses_(env.pauses),
        availability_(env.availability),
        health_(health),
        life_{env.view, health, env.availability},
        writes_(seed),
        timeouts_(env, health, queue_) {}

  // --- observe

  /// The node's health has been told already; `before` is nothing for a new one.
  void node_stored(Slot slot, const api::Node& node, const api::Node* before, Instant now);
  /// The node's health is told afterwards.
  void node_removed(Slot slot, const api::Node& node, Instant now);
  void mark_dirty(Slot slot) { writes_.mark_dirty(slot); }
  void mark_dirty(const std::vector<Slot>& slots);
  void mark_troubled_dirty() { writes_.mark_troubled_dirty(); }
  /// Decisions are withheld from now on.
  void end_leading();

  // --- decide

  /// See `NodeLifecycle`.
  enum class Evictions { Allowed, Held };
  std::vector<Decision> repair(Moment at, client::Room& room, Evictions evictions);
  std::optional<Instant> next_repair(Instant now, Evictions evictions) const;

  // --- answers

  /// True: others that were refused for good are tried again, and a monitor pass is due.
  bool written(Slot slot, NodePart part, Instant now);
  bool refused(Slot slot, NodePart part, const Error& error, Instant now);
  void not_sent(Slot slot, NodePart part, Instant now);
  void node_read(Slot slot, Evictions evictions, Instant now);

  const NodeWrites& writes() const { return writes_; }
  const EvictionQueue& queue() const { return queue_; }
  NodeTimeouts& timeouts() { return timeouts_; }
  const NodeTimeouts& timeouts() const { return timeouts_; }

  std::vector<NodeEvent> take_undone();
  std::vector<std::string> take_zones_evicting();

 private:
  struct Pass {
    Moment at;
    client::Room& room;
    std::vector<Decision>& out;
    bool waited = false;   ///< something about the node in hand waits out a failure
    bool refused = false;  ///< which will not change by itself
  };
  Zone& zone_of(Slot slot) const { return *health_.summary(slot).zone; }
  std::vector<std::pair<Slot, NoExecuteStep>> repair_dirty(Pass& pass);
  void repair(Slot slot, const api::Node& node, NoExecuteStep step, Pass& pass);
  bool verdict_waits(Slot slot, Instant now) const;
  bool turn_waits(Slot slot) const;
  bool wish_conditions(Slot slot, const api::Node& node, Pass& pass);
  std::vector<api::Taint> taints_for(Slot slot, const api::Node& node, NoExecuteStep step,
                                     Moment at);
  bool wish_taints(Slot slot, const api::Node& node, NoExecuteStep step, Pass& pass);
  bool wish_labels(Slot slot, const api::Node& node, Pass& pass);
  bool clear_up(Slot slot, const api::Node& node, Pass& pass);
  bool wish_read(Slot slot, const api::Node& node, Pass& pass);
  bool waits(Slot slot, const NodeWrites::Key& key, Pass& pass);
  std::optional<api::Node> idle_node(Slot slot, Pass& pass);
  NoExecuteStep step_for(Slot slot, const api::Node& node, Instant now);
  void grant_evictions(Pass& pass, std::set<Slot>& done);
  bool may_be_granted(Slot slot, Instant zone_waits_until, Instant now);
  bool grant(Slot slot, Zone& zone, Pass& pass);

  const View view_;
  const Policy& policy_;
  const Pauses& pauses_;
  const ApiAvailability& availability_;
  NodeHealth& health_;
  const NodeLife life_;
  NodeWrites writes_;
  EvictionQueue queue_;
  std::vector<std::string> zones_evicting_;
  NodeTimeouts timeouts_;
};

}  // namespace nlc::controller
