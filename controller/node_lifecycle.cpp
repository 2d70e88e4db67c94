#include "controller/node_lifecycle.h"

#include <algorithm>

#include "controller/conditions.h"
#include "informer/version.h"

namespace nlc::controller {

NodeLifecycle::NodeLifecycle(View view, const Policy& policy, metrics::Metrics& metrics,
                             Instant start, std::uint64_t seed)
    : view_(view),
      policy_(policy),
      sight_(policy.blind_after, start),
      zones_(policy, metrics),
      random_(seed),
      read_again_(start),
      last_look_(start - policy.monitor_period) {}

namespace {

/// Nothing where there is no Ready condition.
std::optional<api::ConditionStatus> ready_status(const api::Node& node) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  return ready == nullptr ? std::nullopt : std::optional(ready->status);
}

}  // namespace

NodeLifecycle::NodeState& NodeLifecycle::state(Slot slot) {
  if (slot >= states_.size()) states_.resize(view_.nodes.slot_count());
  return states_[slot];
}

NodeLifecycle::NodeState* NodeLifecycle::find_state(const NodeRef& node) {
  const std::optional<Slot> slot = view_.nodes.slot_of(node.name);
  if (!slot || !view_.nodes.has_uid(*slot, node.uid)) return nullptr;
  return &state(*slot);
}

// --- observations -------------------------------------------------------------------------------

void NodeLifecycle::meet(NodeState& state, const api::Node& node, Moment at) {
  dequeue(state);
  state = NodeState{};
  const Duration age = node.created ? Duration(at.wall - *node.created) : Duration{0};
  state.heartbeat = first_sight(heartbeats_now(node), sight_.at(at.now), age);
}

Heartbeats NodeLifecycle::heartbeats_now(const api::Node& node) const {
  const std::optional<api::NodeLease> lease = view_.leases.find(node.name);
  return heartbeats_of(node, lease ? &*lease : nullptr);
}

void NodeLifecycle::node_stored(Slot slot, const api::Node& node, const api::Node* before,
                                Moment at) {
  NodeState& known = state(slot);
  if (before == nullptr || before->uid != node.uid) {
    meet(known, node, at);
    before = nullptr;
  } else {
    const Heartbeats seen = heartbeats_now(node);
    const bool rewound = informer::older_version(node.resource_version, before->resource_version);
    if (rewound) known.heartbeat = rewound_sight(known.heartbeat, seen);
    if (!rewound) beat(known, slot, seen, at.now);
  }
  known.ready = ready_status(node);
  join_zone(known, node, before, at.now);
  if (before == nullptr || ready_status(*before) != known.ready) {
    known.ready_changed = sight_.at(at.now);
  }
  if (!is_ready(node) && (before == nullptr || is_ready(*before))) {
    known.not_ready_since = judged_silent(node) ? known.heartbeat.last_moved : sight_.at(at.now);
  }
  follow_seen_taint(known, node, before, at.now);
  if (!policy_.evict_by_taints) follow_timeout(known, slot, sight_.at(at.now));
  if (before != nullptr && judged_silent(node) && !judged_silent(*before)) {
    news_.push_back({NodeNews::Kind::BecameSilent, ref_of(node)});
  }
  if (before != nullptr && judged_silent(*before) && is_ready(node)) {
    news_.push_back({NodeNews::Kind::CameBack, ref_of(node)});
  }
  mark_dirty(slot);
}

/// A node that is new, or whose labels changed, belongs to the zone they name.
void NodeLifecycle::join_zone(NodeState& state, const api::Node& node, const api::Node* before,
                              Instant now) {
  if (before != nullptr && before->labels == node.labels && state.zone != nullptr) return;
  dequeue(state);
  state.zone = &zones_.of(zone_key(node), now);
  state.excluded = excluded_from_disruption(node);
}

/// The rate follows the taints that are seen, whoever wrote them: a standby's buckets stand where
/// the leader's do.
void NodeLifecycle::follow_seen_taint(NodeState& state, const api::Node& node,
                                      const api::Node* before, Instant now) {
  if (!policy_.evict_by_taints) return;
  if (before == nullptr || has_managed_no_execute(*before) || !has_managed_no_execute(node)) return;
  const bool ours = state.spent_token || std::exchange(state.maybe_tainted, false);
  if (ours) state.zone->metrics.evictions.add();
  if (!state.spent_token) state.zone->evictions.take(now);
}

void NodeLifecycle::node_removed(Slot slot, const api::Node& node) {
  NodeState& known = state(slot);
  dequeue(known);
  end_eviction(known, slot);
  if (known.registered) news_.push_back({NodeNews::Kind::Removed, ref_of(node)});
  known = NodeState{};
  dirty_.erase(slot);
}

void NodeLifecycle::lease_stored(const api::NodeLease& lease, Moment at) {
  const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
  if (!slot) return;
  hear(*slot, lease, at.now);
}

/// The status heartbeat is still the one that was seen with the node itself.
void NodeLifecycle::hear(Slot slot, const api::NodeLease& lease, Instant now) {
  NodeState& known = state(slot);
  Heartbeats seen = known.heartbeat.last;
  seen.lease = lease.renewed;
  beat(known, slot, seen, now);
}

void NodeLifecycle::beat(NodeState& state, Slot slot, const Heartbeats& seen, Instant now) {
  // A lease is moved by a kubelet through the server: it proves that the server takes writes.
  if (seen.lease && state.heartbeat.last.lease && *seen.lease > *state.heartbeat.last.lease) {
    sight_.prove(now);
  }
  const HeartbeatMemory after = next_sight(state.heartbeat, seen, sight_.at(now));
  const bool moved = after.last_moved != state.heartbeat.last_moved;
  state.heartbeat = after;
  if (!moved || !state.silent) return;
  state.silent = false;
  state.confirmed = false;
  mark_dirty(slot);
}

void NodeLifecycle::mark_all_dirty() {
  view_.nodes.each_slot([this](Slot slot) { mark_dirty(slot); });
}

void NodeLifecycle::begin_leading() {
  for (NodeState& known : states_) known.registered = false;
  mark_all_dirty();
}

// --- answers ------------------------------------------------------------------------------------

void NodeLifecycle::written(const NodeRef& node, Instant now) {
  sight_.prove(now);
  NodeState* known = find_state(node);
  if (known == nullptr || !known->attempt.in_flight()) return;
  known->attempt.succeeded();
  known->spent_token = false;
  mark_dirty(*view_.nodes.slot_of(node.name));
}

void NodeLifecycle::refused(const NodeRef& node, const Error& error, Instant now) {
  NodeState* known = find_state(node);
  if (known == nullptr || !known->attempt.in_flight()) return;
  if (std::exchange(known->spent_token, false) && known->zone != nullptr) {
    known->zone->evictions.put_back(now);
    known->maybe_tainted = error.fault == Fault::Timeout || error.fault == Fault::Unavailable;
  }
  known->confirmed = false;  // judged again, with a new read, before every retry
  if (error.fault == Fault::Conflict) {
    known->attempt.succeeded();  // the live object has been read: no need to wait
  } else {
    known->attempt.failed(now, random_, error.retry_after);
  }
  mark_dirty(*view_.nodes.slot_of(node.name));
}

// --- when ---------------------------------------------------------------------------------------

Instant NodeLifecycle::next_look(Instant now) const {
  Instant next = last_look_ + policy_.monitor_period;
  // While blind nothing of them ends, and while many leases are read nobody could be asked about
  // another end: when thousands fall silent one by one, that spares a look for each.
  const bool busy = asked_ >= single_lease_reads;
  const bool pointless = sight_.blind(now) || (busy && policy_.evict_by_taints);
  if (next_end_ && !pointless) {
    next = std::min(next, sight_.reaches(*next_end_) + Duration(1));
  }
  if (look_again_) next = std::min(next, *look_again_);
  if (!suspects_.empty() && may_ask()) next = std::min(next, read_again_);
  return next;
}

std::optional<Instant> NodeLifecycle::next_repair(Evictions evictions) const {
  std::optional<Instant> next;
  if (evictions == Evictions::Allowed) next = zones_.next_eviction();
  if (retries_.empty()) return next;
  const Instant retry = retries_.begin()->first;
  return next ? std::min(*next, retry) : retry;
}

}  // namespace nlc::controller
