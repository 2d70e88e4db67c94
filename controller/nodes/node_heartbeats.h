#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "controller/nodes/heartbeat.h"
#include "controller/options/policy.h"
#include "controller/rules/moment.h"
#include "controller/rules/view.h"
#include "controller/server/api_availability.h"

namespace nlc::controller {

/// When each node was last heard of, by its status and by its lease, and when its grace ends.
///
/// Only what is newer than what was heard says something: a watch may be behind a read. After the
/// server went back in time nothing of the past is life, and what comes later is compared with it.
///
/// Pure, on one thread. Whatever changes says whether the node moved: it lives.
class NodeHeartbeats {
 public:
  NodeHeartbeats(View view, const Policy& policy, ApiAvailability& availability)
      : view_(view), policy_(policy), availability_(availability) {}

  /// The node's name was not there before, or stood for another node.
  void add(Slot slot, const api::Node& node, Moment at);
  void forget(Slot slot) { nodes_[slot] = {}; }
  /// All is listed for the first time. Nothing tells what was before: the server may have been
  /// away, or may be restored from before a kubelet's first word. So the grace of whoever never
  /// reported begins now. Where no node has a lease it began at creation, as
  /// kube-controller-manager has it.
  void view_synced(Instant now);

  /// The same node, newer or, after the server went back, older than `before`.
  bool status_seen(Slot slot, const api::Node& node, const api::Node& before, Instant now);
  /// The node's lease came by the watch; `before` is nothing when it is new.
  bool lease_stored(Slot slot, const api::NodeLease& lease, const api::NodeLease* before,
                    Instant now);
  /// The node's lease was read.
  bool lease_read(Slot slot, const api::NodeLease& lease, Instant now);
  /// The lease that comes next may have smaller versions: it is another, or the server was
  /// restored.
  void forget_version(Slot slot) { nodes_[slot].lease_version = 0; }
  /// All leases have been listed since the server went back in time, or a read contradicted what
  /// was known of one: versions that were read before that are held against nobody.
  void leases_listed_anew();
  /// The node's lease, which was seen, is missing, and no stream told when it went: it may have
  /// been renewed until then. The grace begins at the first look that missed it. False: at one
  /// before.
  bool lease_missed(Slot slot, Instant now);
  /// The node may not have been able to say that it lives: its grace begins now.
  void begin_anew(Slot slot, Instant now);

  /// What was last seen of the node's status and its lease.
  const Heartbeats& last(Slot slot) const { return nodes_[slot].memory.last; }
  AvailableTime last_moved(Slot slot) const { return nodes_[slot].memory.last_moved; }
  std::uint64_t lease_version(Slot slot) const { return nodes_[slot].lease_version; }
  AvailableTime grace_ends(Slot slot) const { return grace_ends_[slot]; }
  /// A heartbeat moved since we came, or since the node's grace began anew.
  bool was_heard(Slot slot) const { return nodes_[slot].memory.heard; }
  /// And within its grace.
  bool is_known_to_live(Slot slot, Instant now) const {
    return was_heard(slot) && in_grace(slot, now);
  }
  /// Where it is known to live: since when, without a silence of its grace period.
  AvailableTime lives_since(Slot slot) const { return nodes_[slot].lives_since; }
  bool in_grace(Slot slot, Instant now) const { return availability_.at(now) <= grace_ends(slot); }

 private:
  struct Known {
    HeartbeatMemory memory;
    AvailableTime lives_since;
    std::uint64_t lease_version = 0;  ///< of the newest that was seen; 0: unknown
    bool lease_missed = false;        ///< since it was last seen
  };
  void remember(Slot slot, const HeartbeatMemory& memory);
  bool note(Slot slot, const Heartbeats& seen, Instant now);
  bool note_from_before_rewind(Slot slot, const Heartbeats& seen, Instant now);

  const View view_;
  const Policy& policy_;
  ApiAvailability& availability_;
  // Both run beside the slots of the node store; a pass over all nodes reads the second alone.
  std::deque<Known> nodes_;
  std::vector<AvailableTime> grace_ends_;
};

}  // namespace nlc::controller
