#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "client/limits/room.h"
#include "controller/decisions/foreign_writes.h"
#include "controller/decisions/operator_holds.h"
#include "controller/decisions/restraints.h"
#include "controller/nodes/node_life.h"
#include "controller/nodes/node_lifecycle.h"
#include "controller/nodes/node_reads.h"
#include "controller/options/controllers.h"
#include "controller/options/policy.h"
#include "controller/pods/eviction_checks.h"
#include "controller/pods/pod_readiness.h"
#include "controller/pods/taint_eviction.h"
#include "controller/pods/timeout_eviction.h"
#include "controller/rules/decision.h"
#include "controller/rules/moment.h"
#include "controller/rules/view.h"
#include "controller/server/api_server_health.h"
#include "controller/server/calendar_votes.h"

namespace nlc::controller {

/// All that is decided about the cluster by those controllers that run: who is told what was
/// observed, who decides before whom, and what holds whom back.
///
/// Pure, on one thread; the view has been changed already when an observation is told.
class Decisions {
 public:
  struct Options {
    Policy policy;
    Controllers controllers;
    std::uint64_t seed = 0;
    bool performed = true;  ///< false: nobody performs what is decided, and all writes are others'
  };
  Decisions(View view, ApiServerHealth& server, const Options& options, Instant start);

  const Policy& policy() const { return options_.policy; }
  bool judges_nodes() const { return options_.controllers.node_lifecycle; }
  bool evicts_by_taints() const {
    return options_.controllers.taint_eviction && options_.policy.evict_by_taints;
  }

  // --- observe

  void node_stored(Slot slot, const api::Node& node, const api::Node* before, Moment at);
  void node_removed(Slot slot, const api::Node& node, Instant now);
  /// Some list has been taken over; told while that of nodes is.
  void listed(Instant now) { machines_.taint_eviction.listed(now); }
  /// `came`: when its event did, which may be a moment ago; nothing where a list or a read tells
  /// it.
  void lease_stored(const api::NodeLease& lease, const api::NodeLease* before,
                    std::optional<Instant> came, Moment at);
  void lease_removed(const api::NodeLease& lease) { machines_.nodes.lease_removed(lease); }
  void lease_missing(const api::NodeLease& lease, Instant now) {
    machines_.nodes.lease_missing(lease, now);
  }
  /// `bound`: to its node, just now.
  void pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, bool bound, Moment at);
  void pod_removed(Slot slot, const api::Pod& pod);

  /// How the watch of the operator's ConfigMap stands; what it says, the holds have been told.
  void follow_policy(const PolicyAccess& access, Instant now);

  /// The first lists are complete: what they show of nodes, and of leases where nodes are judged.
  ApiServerHealth::FirstLists view_synced(Moment at);
  /// The server went back in time, and everything has been listed since.
  void view_renewed(Instant now);
  /// Whether our calendar is close to the server's.
  void follow_calendar(bool close, Moment at);
  /// Decisions are performed from now on, or withheld.
  void lead(bool leading, Instant now);

  // --- decide

  /// A monitor pass over all nodes: whose leases are to be read.
  std::vector<Decision> monitor_pass(Moment at, bool leading);
  /// What the cluster needs now, as far as there is room for it.
  std::vector<Decision> act(Moment at, client::Room& room);
  /// When something is due even if nothing is observed until then; monitor passes aside.
  std::optional<Instant> next(Instant now) const;

  /// A `ReadNode` was answered, and the view has what it found: where nodes get no taints its pods
  /// leave from now on, unless evictions are held by now.
  void node_read(const NodeRef& node, Instant now);

  /// Nodes whose pods leave from now on, where nodes get no taints. A standby follows as well: what
  /// it remembers must not begin to act when it leads.
  struct Leaving {
    NodeRef node;
    bool has_pods = false;
  };
  std::vector<Leaving> follow_node_evictions(Instant now);

  // --- answers, and what is known

  /// Who decides, each about its own. What was answered is told to whoever decided.
  struct Machines {
    /// What is borrowed outlives this, the policy within `options` too.
    Machines(View view, ApiServerHealth& server, const Options& options, Instant start);

    OperatorHolds holds;
    NodeLifecycle nodes;
    PodReadiness pod_readiness;
    TaintEviction taint_eviction;
    TimeoutEviction timeout_eviction;
    NodeReads node_reads;
    /// Told of each answer to a write about a node, after the machine that wished for it; the view
    /// has what the answer showed. Tells what another controller of this kind was seen to write.
    ForeignWrites foreign;
  };
  Machines& machines() { return machines_; }

  const NodeLifecycle& nodes() const { return machines_.nodes; }
  NodeLife node_life() const { return {view_, machines_.nodes.health(), server_.availability()}; }
  const PodReadiness& pod_readiness() const { return machines_.pod_readiness; }
  const TaintEviction& taint_eviction() const { return machines_.taint_eviction; }
  const TimeoutEviction& timeout_eviction() const { return machines_.timeout_eviction; }
  const NodeReads& node_reads() const { return machines_.node_reads; }
  const OperatorHolds& operator_holds() const { return machines_.holds; }
  /// No pod is evicted for what is known of its node, whoever it is.
  bool holds_evictions(Instant now) const { return restraints_.hold_evictions(now); }

 private:
  bool evicts_by_timeout() const { return judges_nodes() && !options_.policy.evict_by_taints; }
  void hold_back_paused_unseen(Instant since);
  ApiServerHealth::FirstLists first_lists(Moment at);
  NodeLifecycle::Evictions evictions(Instant now) const;
  bool may_evict_from(const std::string& node, Instant now);
  void follow_turns();
  bool has_turn(const std::string& node, Instant now);
  EvictionChecks eviction_checks(Instant now);
  void evict(Moment at, client::Room& room, std::vector<Decision>& out);
  void mark_pods(Moment at, client::Room& room, std::vector<Decision>& out);
  void add(std::vector<Decision> more, Instant now, std::vector<Decision>& out);

  const View view_;
  const ApiServerHealth& server_;
  const Options options_;
  Machines machines_;
  CalendarVotes calendars_;
  Restraints restraints_;
  bool view_synced_ = false;
  bool knew_policy_ = false;
  /// When evictions were last seen to be paused before all nodes and pods had been seen.
  std::optional<Instant> paused_unseen_;
  bool marks_first_ = true;  ///< marks of pods and evictions share a room, and take turns
};

}  // namespace nlc::controller
