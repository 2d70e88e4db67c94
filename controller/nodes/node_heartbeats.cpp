#include "controller/nodes/node_heartbeats.h"

#include <algorithm>
#include <utility>

#include "api/version.h"

namespace nlc::controller {

void NodeHeartbeats::add(Slot slot, const api::Node& node, Moment at) {
  if (slot >= nodes_.size()) {
    nodes_.resize(view_.nodes.slot_count());
    grace_ends_.resize(view_.nodes.slot_count());
  }
  const std::optional<api::NodeLease> lease = view_.leases.find(node.name);
  nodes_[slot].lease_version = lease ? api::version_number(lease->resource_version) : 0;
  const bool dated = node.created && !at.calendar_off;
  // While the server was away its kubelet could not have said anything, nor is it told for how long
  // that was before we came.
  const Duration age =
      dated ? std::min(age_of(*node.created, at), availability_.well_for(at.now)) : Duration{0};
  const Heartbeats seen = heartbeats_of(node, lease ? &*lease : nullptr);
  remember(slot, first_memory(seen, availability_.at_latest(at.now), age));
}

void NodeHeartbeats::view_synced(Instant now) {
  if (view_.leases.size() == 0) return;
  view_.nodes.each_slot([this, now](Slot slot) {
    if (!ever_moved(nodes_[slot].memory.last)) begin_anew(slot, now);
  });
}

void NodeHeartbeats::remember(Slot slot, const HeartbeatMemory& memory) {
  nodes_[slot].memory = memory;
  grace_ends_[slot] = grace_end(memory, policy_);
}

/// Of its lease what is remembered: the view may be behind what was read.
bool NodeHeartbeats::status_seen(Slot slot, const api::Node& node, const api::Node& before,
                                 Instant now) {
  Heartbeats seen = heartbeats_of(node, nullptr);
  seen.lease = nodes_[slot].memory.last.lease;
  const bool rewound = api::older_version(node.resource_version, before.resource_version);
  return rewound ? note_from_before_rewind(slot, seen, now) : note(slot, seen, now);
}

bool NodeHeartbeats::lease_stored(Slot slot, const api::NodeLease& lease,
                                  const api::NodeLease* before, Instant now) {
  const bool same = before != nullptr && before->uid == lease.uid;
  const bool rewound = same && api::older_version(lease.resource_version, before->resource_version);
  if (!same) forget_version(slot);
  if (!rewound) return lease_read(slot, lease, now);
  nodes_[slot].lease_missed = false;
  nodes_[slot].lease_version = api::version_number(lease.resource_version);
  Heartbeats seen = nodes_[slot].memory.last;
  seen.lease = renewal_of(lease);
  return note_from_before_rewind(slot, seen, now);
}

/// The status heartbeat is still the one that was seen with the node itself.
bool NodeHeartbeats::lease_read(Slot slot, const api::NodeLease& lease, Instant now) {
  Known& known = nodes_[slot];
  known.lease_missed = false;
  Heartbeats seen = known.memory.last;
  seen.lease = renewal_of(lease);
  const std::uint64_t version = api::version_number(lease.resource_version);
  const bool older = version != 0 && version < known.lease_version;
  if (older && !shows_later_write(known.memory.last, seen)) return false;
  if (!older) known.lease_version = version;
  return note(slot, seen, now);
}

void NodeHeartbeats::leases_listed_anew() {
  view_.leases.each([this](Slot, const api::NodeLease& lease) {
    const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
    if (slot) nodes_[*slot].lease_version = api::version_number(lease.resource_version);
  });
}

bool NodeHeartbeats::lease_missed(Slot slot, Instant now) {
  if (std::exchange(nodes_[slot].lease_missed, true)) return false;
  begin_anew(slot, now);
  return true;
}

void NodeHeartbeats::begin_anew(Slot slot, Instant now) {
  remember(slot, {.last = nodes_[slot].memory.last, .last_moved = availability_.at_latest(now)});
}

bool NodeHeartbeats::note(Slot slot, const Heartbeats& seen, Instant now) {
  const HeartbeatMemory before = nodes_[slot].memory;
  if (proves_writes(before.last, seen, view_.leases.size() > 0)) availability_.heartbeat_seen(now);
  const HeartbeatMemory after = next_memory(before, seen, availability_.at_latest(now));
  const bool begins = after.heard && !is_known_to_live(slot, now);
  if (begins) nodes_[slot].lives_since = after.last_moved;
  remember(slot, after);
  return after.last_moved != before.last_moved;
}

/// Of an object that is older than the one that was seen, after the server went back in time.
bool NodeHeartbeats::note_from_before_rewind(Slot slot, const Heartbeats& seen, Instant now) {
  const HeartbeatMemory before = nodes_[slot].memory;
  if (shows_later_write(before.last, seen)) return note(slot, seen, now);
  remember(slot, rewound_memory(before, seen));
  return false;
}

}  // namespace nlc::controller
