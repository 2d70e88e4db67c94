#pragma once

#include <string>
#include <vector>

#include "client/limits/room.h"
#include "controller/nodes/lease_reads.h"
#include "controller/nodes/node_env.h"
#include "controller/nodes/node_health.h"
#include "controller/nodes/node_repair.h"
#include "controller/rules/decision.h"
#include "controller/rules/moment.h"
#include "controller/zones/zones.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Judges nodes by their heartbeats and wishes for the conditions, taints and labels they should
/// have: `NodeHealth` judges, `NodeRepair` wishes.
///
/// Pure: observations go in, decisions come out, and memory moves only by observations and answers.
/// Called on one thread. Reads the view by reference; the view has been changed already when an
/// observation is told.
///
/// Conditions are written with the resourceVersion they were decided on. Everything after that is
/// level-triggered: the taints follow the conditions that are seen.
class NodeLifecycle {
 public:
  using Evictions = NodeRepair::Evictions;

  NodeLifecycle(NodeEnv env, Instant start, std::uint64_t seed)
      : view_(env.view),
        health_(env.view, env.policy, env.availability, start),
        repair_(env, health_, seed) {}

  // --- observe

  void node_stored(Slot slot, const api::Node& node, const api::Node* before, Moment at);
  void node_removed(Slot slot, const api::Node& node, Instant now);
  /// `before`: the same lease as the store had it; nothing when it is new.
  void lease_stored(const api::NodeLease& lease, const api::NodeLease* before, Moment at);
  /// Something else is to be done about it than before, though it has not changed.
  void look_again(Slot slot) { repair_.mark_dirty(slot); }
  void lease_removed(const api::NodeLease& lease) { health_.lease_removed(lease); }
  void lease_missing(const api::NodeLease& lease, Instant now) {
    health_.lease_missing(lease, now);
  }
  void view_synced(Instant now) { health_.view_synced(now); }
  /// The server went back in time, or a read contradicted what was known, and all leases have been
  /// listed since: versions that were read before that are held against nobody.
  void leases_listed_anew() { health_.leases_listed_anew(); }

  // --- decide

  /// One monitor pass over all nodes: who is to be suspected, and whose leases are read. Not before
  /// the view is synced.
  std::vector<Decision> monitor_pass(Moment at, Acting acting);
  /// What the nodes that changed since the last call need, and what the zones' rates now allow, as
  /// far as there is room. While evictions are held the zones allow nothing.
  std::vector<Decision> repair(Moment at, client::Room& room,
                               Evictions evictions = Evictions::Allowed);
  /// Zones follow what was seen also where nothing is repaired.
  void settle_zones(Moment at);

  /// When a monitor pass has something to do even if nothing is observed until then.
  Instant next_pass(Instant now) const;

  // --- answers

  /// Leases that a `ReadLeases` asked for, all or some: what the server holds, absent ones left
  /// out. Nodes whose lease moved are alive, the others are silent for sure; but of one that is
  /// absent although it was seen nothing is learned. Nor of one that was answered in an older
  /// version than had been seen: the first of these, or null.
  const api::NodeLease* leases_read(const ReadLeases& asked,
                                    const std::vector<api::NodeLease>& found, Moment at);
  /// Some that were read for another reason: what is newer in them than what is known counts.
  void leases_shown(const std::vector<api::NodeLease>& leases, Instant now);
  /// Nothing was learned.
  void lease_read_failed(const ReadLeases& asked, const Error& error, Instant now) {
    health_.lease_read_failed(asked, error, now);
  }

  /// The write about that node was acknowledged (the view has the object as it was answered), or
  /// refused. True: that is worth telling; a first conflict is not.
  void written(const NodeRef& node, NodePart part, Instant now);
  bool refused(const NodeRef& node, NodePart part, const Error& error, Instant now);
  /// The write never left this process: nothing was learned.
  void not_sent(const NodeRef& node, NodePart part, Instant now);

  /// A `ReadNode` was answered, and the view has what it found; or it was not. True: an eviction
  /// waits for that, and it is worth telling. While evictions are held it waits for another turn.
  void node_read(const NodeRef& node, Evictions evictions, Instant now);
  bool node_not_read(const NodeRef& node, const Error& error, Instant now);
  /// To be told of turns by timeout.
  NodeTimeouts& timeouts() { return repair_.timeouts(); }

  // --- what is known

  /// Everything that this process knows to be wrong with that node has been tried.
  bool is_settled(const std::string& node) const;
  const Zones& zones() const { return health_.zones(); }
  const NodeHealth& health() const { return health_; }
  const NodeRepair& repairs() const { return repair_; }

  // What happened since the last call.
  std::vector<NodeEvent> take_events();
  std::vector<ZoneEvent> take_zone_events() { return health_.take_zone_events(); }
  /// The keys of zones in which a node began to be evicted, each as often.
  std::vector<std::string> take_zones_evicting() { return repair_.take_zones_evicting(); }
  std::vector<NodeEviction> take_node_evictions() { return repair_.timeouts().take_evictions(); }

  /// Decisions were withheld so far and will be performed from now on: everything is looked at
  /// anew.
  void begin_leading();
  /// Decisions are withheld from now on: nobody waits for a taint of ours any more.
  void end_leading();

 private:
  void follow_changes() { repair_.mark_dirty(health_.take_changed()); }

  const View view_;
  NodeHealth health_;
  NodeRepair repair_;
};

}  // namespace nlc::controller
