#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "controller/nodes/lease_reads.h"
#include "controller/nodes/node_heartbeats.h"
#include "controller/nodes/node_summaries.h"
#include "controller/nodes/node_writes.h"
#include "controller/options/policy.h"
#include "controller/rules/decision.h"
#include "controller/rules/moment.h"
#include "controller/rules/view.h"
#include "controller/server/api_availability.h"
#include "controller/zones/zones.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Something that happened to a node, for events and logs.
struct NodeEvent {
  enum class Kind {
    Registered,
    Removed,
    BecameSilent,
    CameBack,
    Undone  ///< what we wrote was taken and did not last: somebody undoes it
  } kind;
  NodeRef node;
  std::string detail = {};  ///< of Undone: what was written
};
struct ZoneEvent {
  std::string key;
  ZoneState before;
  ZoneState after;
  ZoneCount count;
};

/// A standby monitors as the leader does, but wishes for nothing. By lists: a lease that is read by
/// itself has no date.
enum class Acting { No, ByLists, Yes };

/// Judges nodes by their heartbeats, and zones by their nodes.
///
/// A node is judged in three steps: its grace ends (by available time), a quorum read begun after
/// that moment shows its lease unmoved, and then it is silent for sure. A heartbeat seen at any
/// point ends it.
///
/// Pure, on one thread; the view has been changed already when an observation is told.
class NodeHealth {
 public:
  NodeHealth(View view, const Policy& policy, ApiAvailability& availability, Instant start);

  // --- observe

  void node_stored(Slot slot, const api::Node& node, const api::Node* before, Moment at);
  void node_removed(Slot slot, const api::Node& node);
  void lease_stored(const api::NodeLease& lease, const api::NodeLease* before, Moment at);
  void lease_removed(const api::NodeLease& lease);
  /// A list does not have one that was seen.
  void lease_missing(const api::NodeLease& lease, Instant now);
  void view_synced(Instant now) { heartbeats_.view_synced(now); }
  void leases_listed_anew() { heartbeats_.leases_listed_anew(); }
  /// All are registered anew.
  void begin_leading();
  void end_leading() { reads_.forget_all_failures(); }

  // --- judge

  /// One monitor pass over all nodes: whose leases are to be read. What is being written about a
  /// node, or was refused, keeps it from being suspected anew.
  std::optional<ReadLeases> monitor_pass(Moment at, Acting acting, const NodeWrites& writes);
  Instant next_pass(Instant now) const;
  void pass_again_at(Instant when);

  /// See `NodeLifecycle`.
  const api::NodeLease* leases_read(const ReadLeases& asked,
                                    const std::vector<api::NodeLease>& found, Moment at);
  void leases_shown(const std::vector<api::NodeLease>& leases, Instant now);
  void lease_read_failed(const ReadLeases& asked, const Error& error, Instant now);

  struct Settled {
    bool some_changed = false;   ///< a zone's state is another now
    bool all_disrupted = false;  ///< all have become fully disrupted
  };
  /// Zones follow their counts.
  Settled settle_zones(Instant now);

  // --- what is known

  const NodeSummary& summary(Slot slot) const { return summaries_[slot]; }
  const NodeHeartbeats& heartbeats() const { return heartbeats_; }
  const LeaseReads& reads() const { return reads_; }
  /// By a read that is not too old.
  bool is_silent_for_sure(Slot slot, Instant now) const {
    return summary(slot).silent && reads_.is_confirmed(slot, now);
  }
  /// The node is judged again, with a new read.
  void doubt(Slot slot) { reads_.doubt(slot); }
  Zones& zones() { return summaries_.zones(); }
  const Zones& zones() const { return summaries_.zones(); }

  /// Nodes of which something else is known since the last call, in any order.
  std::vector<Slot> take_changed() { return std::exchange(changed_, {}); }
  std::vector<NodeEvent> take_events() { return std::exchange(events_, {}); }
  std::vector<ZoneEvent> take_zone_events() { return std::exchange(zone_events_, {}); }

 private:
  void tell_of(const api::Node& node, const api::Node& before);
  void moved(Slot slot);
  void suspect(Slot slot, Moment at, const NodeWrites& writes);
  void left_full_disruption(Instant now);

  const View view_;
  const Policy& policy_;
  ApiAvailability& availability_;
  NodeHeartbeats heartbeats_;
  LeaseReads reads_;
  NodeSummaries summaries_;
  Instant last_pass_;
  std::optional<AvailableTime> next_end_;  ///< of a grace
  std::optional<Instant> pass_again_;      ///< at some silent node whose write was refused
  std::vector<Slot> changed_;
  std::vector<NodeEvent> events_;
  std::vector<ZoneEvent> zone_events_;
};

}  // namespace nlc::controller
