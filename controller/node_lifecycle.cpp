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

// --- observations -------------------------------------------------------------------------------

void NodeLifecycle::meet(Slot slot, const api::Node& node, Moment at) {
  if (slot >= states_.size()) {
    states_.resize(view_.nodes.slot_count());
    glances_.resize(view_.nodes.slot_count());
  }
  const Duration age = node.created ? age_of(*node.created, at) : Duration{0};
  remember(slot, first_sight(heartbeats_now(node), sight_.at(at.now), age));
}

void NodeLifecycle::remember(Slot slot, const HeartbeatMemory& heartbeat) {
  states_[slot].heartbeat = heartbeat;
  glances_[slot].grace_ends = grace_end(heartbeat, policy_);
}

Heartbeats NodeLifecycle::heartbeats_now(const api::Node& node) const {
  const std::optional<api::NodeLease> lease = view_.leases.find(node.name);
  return heartbeats_of(node, lease ? &*lease : nullptr);
}

void NodeLifecycle::node_stored(Slot slot, const api::Node& node, const api::Node* before,
                                Moment at) {
  if (before == nullptr || before->uid != node.uid) {
    if (before != nullptr) node_removed(slot, *before);
    meet(slot, node, at);
    before = nullptr;
  } else {
    const Heartbeats seen = heartbeats_now(node);
    const bool rewound = informer::older_version(node.resource_version, before->resource_version);
    if (rewound) remember(slot, rewound_sight(states_[slot].heartbeat, seen));
    if (!rewound) beat(slot, seen, at.now);
  }
  NodeState& known = states_[slot];
  const std::optional<api::ConditionStatus> ready = ready_status(node);
  glances_[slot].ready = ready;
  join_zone(slot, node, before, at.now);
  if (before == nullptr || ready_status(*before) != ready) {
    known.ready_changed = sight_.at(at.now);
  }
  if (!is_ready(node) && (before == nullptr || is_ready(*before))) {
    known.not_ready_since = judged_silent(node) ? known.heartbeat.last_moved : sight_.at(at.now);
  }
  follow_seen_taint(slot, node, before, at.now);
  if (!policy_.evict_by_taints) follow_timeout(slot, sight_.at(at.now));
  if (before != nullptr && judged_silent(node) && !judged_silent(*before)) {
    news_.push_back({NodeNews::Kind::BecameSilent, ref_of(node)});
  }
  if (before != nullptr && judged_silent(*before) && is_ready(node)) {
    news_.push_back({NodeNews::Kind::CameBack, ref_of(node)});
  }
  mark_dirty(slot);
}

/// A node that is new, or whose labels changed, belongs to the zone they name.
void NodeLifecycle::join_zone(Slot slot, const api::Node& node, const api::Node* before,
                              Instant now) {
  if (before != nullptr && before->labels == node.labels) return;
  dequeue(slot);
  glances_[slot].zone = &zones_.of(zone_key(node), now);
  glances_[slot].excluded = excluded_from_disruption(node);
}

/// The rate follows the taints that are seen, whoever wrote them: a standby's buckets stand where
/// the leader's do.
void NodeLifecycle::follow_seen_taint(Slot slot, const api::Node& node, const api::Node* before,
                                      Instant now) {
  if (!policy_.evict_by_taints) return;
  if (before == nullptr || has_managed_no_execute(*before) || !has_managed_no_execute(node)) return;
  NodeState& known = states_[slot];
  Zone& zone = *glances_[slot].zone;
  const bool ours = known.spent_token || std::exchange(known.maybe_tainted, false);
  if (ours) zone.metrics.evictions.add();
  if (!known.spent_token) zone.evictions.take(now);
}

void NodeLifecycle::node_removed(Slot slot, const api::Node& node) {
  dequeue(slot);
  end_eviction(slot);
  if (glances_[slot].registered) news_.push_back({NodeNews::Kind::Removed, ref_of(node)});
  states_[slot] = {};
  glances_[slot] = {};
  dirty_.erase(slot);
}

void NodeLifecycle::lease_stored(const api::NodeLease& lease, Moment at) {
  const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
  if (!slot) return;
  hear(*slot, lease, at.now);
}

/// The status heartbeat is still the one that was seen with the node itself.
void NodeLifecycle::hear(Slot slot, const api::NodeLease& lease, Instant now) {
  Heartbeats seen = states_[slot].heartbeat.last;
  seen.lease = renewal_of(lease);
  beat(slot, seen, now);
}

void NodeLifecycle::beat(Slot slot, const Heartbeats& seen, Instant now) {
  const HeartbeatMemory& before = states_[slot].heartbeat;
  // A lease is moved by a kubelet through the server: it proves that the server takes writes.
  if (seen.lease && before.last.lease && *seen.lease > *before.last.lease) sight_.prove(now);
  const HeartbeatMemory after = next_sight(before, seen, sight_.at(now));
  const bool moved = after.last_moved != before.last_moved;
  remember(slot, after);
  if (!moved || !std::exchange(glances_[slot].silent, false)) return;
  states_[slot].confirmed = false;
  mark_dirty(slot);
}

void NodeLifecycle::mark_all_dirty() {
  view_.nodes.each_slot([this](Slot slot) { mark_dirty(slot); });
}

void NodeLifecycle::begin_leading() {
  for (Glance& known : glances_) known.registered = false;
  mark_all_dirty();
}

void NodeLifecycle::end_leading() {
  if (!policy_.evict_by_taints) return;  // that queue is followed by a standby as well
  view_.nodes.each_slot([this](Slot slot) { dequeue(slot); });
}

// --- answers ------------------------------------------------------------------------------------

/// The node whose answer was waited for; nothing when it has gone, or another has its name.
std::optional<informer::Slot> NodeLifecycle::in_flight(const NodeRef& node) const {
  const std::optional<Slot> slot = view_.nodes.slot_of(node.name);
  if (!slot || !view_.nodes.has_uid(*slot, node.uid)) return std::nullopt;
  return states_[*slot].attempt.in_flight() ? slot : std::nullopt;
}

void NodeLifecycle::written(const NodeRef& node, Instant now) {
  sight_.prove(now);
  const std::optional<Slot> slot = in_flight(node);
  if (!slot) return;
  states_[*slot].attempt.succeeded();
  states_[*slot].spent_token = false;
  mark_dirty(*slot);
}

void NodeLifecycle::refused(const NodeRef& node, const Error& error, Instant now) {
  const std::optional<Slot> slot = in_flight(node);
  if (!slot) return;
  NodeState& known = states_[*slot];
  if (std::exchange(known.spent_token, false)) {
    glances_[*slot].zone->evictions.put_back(now);
    known.maybe_tainted = error.fault == Fault::Timeout || error.fault == Fault::Unavailable;
  }
  known.confirmed = false;  // judged again, with a new read, before every retry
  if (error.fault == Fault::Conflict) {
    known.attempt.met_conflict(now, random_);
  } else {
    known.attempt.failed(now, random_, error.retry_after);
  }
  mark_dirty(*slot);
}

// --- when ---------------------------------------------------------------------------------------

Instant NodeLifecycle::next_look(Instant now) const {
  Instant next = last_look_ + policy_.monitor_period;
  // While blind nothing of them ends, and while many leases are read those whose grace ends gather
  // for the next read: when thousands fall silent one by one, that spares a look for each.
  const bool busy = asked_ >= few_reads;
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
