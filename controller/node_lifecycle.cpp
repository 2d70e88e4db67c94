#include "controller/node_lifecycle.h"

#include <algorithm>
#include <cstdlib>

#include "api/version.h"
#include "controller/conditions.h"

namespace nlc::controller {

NodeLifecycle::NodeLifecycle(View view, const Policy& policy, Sight& sight, Instant start,
                             std::uint64_t seed)
    : view_(view),
      policy_(policy),
      sight_(sight),
      zones_(policy),
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
  const bool dated = node.created && !at.calendar_off;
  const Duration age = dated ? age_of(*node.created, at) : Duration{0};
  if (const std::optional<api::NodeLease> lease = view_.leases.find(node.name)) {
    states_[slot].lease_version = api::version_number(lease->resource_version);
  }
  remember(slot, first_sight(heartbeats_now(node), sight_.at(at.now), age));
}

void NodeLifecycle::remember(Slot slot, const HeartbeatMemory& heartbeat) {
  states_[slot].heartbeat = heartbeat;
  glances_[slot].grace_ends = grace_end(heartbeat, policy_);
}

/// Of its lease what is remembered: the view may be behind what was read.
Heartbeats NodeLifecycle::heartbeats_now(const api::Node& node) const {
  const std::optional<api::NodeLease> lease = view_.leases.find(node.name);
  return heartbeats_of(node, lease ? &*lease : nullptr);
}

void NodeLifecycle::node_stored(Slot slot, const api::Node& node, const api::Node* before,
                                Moment at) {
  if (before == nullptr || before->uid != node.uid) {
    if (before != nullptr) node_removed(slot, *before, at.now);
    meet(slot, node, at);
    before = nullptr;
  } else {
    Heartbeats seen = heartbeats_of(node, nullptr);
    seen.lease = states_[slot].heartbeat.last.lease;
    const bool rewound = api::older_version(node.resource_version, before->resource_version);
    rewound ? beat_of_the_past(slot, seen, at.now) : beat(slot, seen, at.now);
  }
  NodeState& known = states_[slot];
  const std::optional<api::ConditionStatus> ready = ready_status(node);
  join_zone(slot, node, before, at.now);
  change(slot, [&](Glance& glance) { glance.ready = ready; });
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

/// A node judged silent counts as not ready before its conditions say so, so that its zone's state
/// is right when its taint becomes due.
Zones::Member NodeLifecycle::member(const Glance& glance) {
  return {.excluded = glance.excluded,
          .ready = glance.ready == api::ConditionStatus::True && !glance.silent};
}

/// Whatever changes what a node adds to its zone.
template <typename Change>
void NodeLifecycle::change(Slot slot, Change change) {
  Glance& glance = glances_[slot];
  const Zones::Member before = member(glance);
  Zone* zone = glance.zone;
  change(glance);
  const Zones::Member after = member(glance);
  if (zone == glance.zone && before.excluded == after.excluded && before.ready == after.ready) {
    return;
  }
  if (zone != nullptr) zones_.leave(*zone, before);
  if (glance.zone != nullptr) zones_.join(*glance.zone, after);
}

void NodeLifecycle::set_silent(Slot slot, bool silent) {
  change(slot, [&](Glance& glance) { glance.silent = silent; });
}

/// A node that is new, or whose labels changed, belongs to the zone they name.
void NodeLifecycle::join_zone(Slot slot, const api::Node& node, const api::Node* before,
                              Instant now) {
  if (before != nullptr && before->labels == node.labels) return;
  dequeue(slot);
  Zone& zone = zones_.of(zone_key(node), now);
  change(slot, [&](Glance& glance) {
    glance.zone = &zone;
    glance.excluded = excluded_from_disruption(node);
  });
}

/// The rate follows the taints that are seen, whoever wrote them: a standby's buckets stand where
/// the leader's do.
void NodeLifecycle::follow_seen_taint(Slot slot, const api::Node& node, const api::Node* before,
                                      Instant now) {
  if (!policy_.evict_by_taints) return;
  if (before == nullptr || has_managed_no_execute(*before) || !has_managed_no_execute(node)) return;
  const auto writes = writes_.find(slot);
  const bool spent = writes != writes_.end() && writes->second.spent_token;
  const bool ours =
      spent || (writes != writes_.end() && std::exchange(writes->second.maybe_tainted, false));
  Zone& zone = *glances_[slot].zone;
  if (ours) zones_evicting_.push_back(zone.key);
  if (!spent) zone.evictions.take(now);
}

void NodeLifecycle::node_removed(Slot slot, const api::Node& node, Instant now) {
  dequeue(slot);
  end_eviction(slot);
  if (glances_[slot].registered) news_.push_back({NodeNews::Kind::Removed, ref_of(node)});
  if (const auto writes = writes_.find(slot); writes != writes_.end()) {
    give_token_back(slot, writes->second, now);
    writes_.erase(writes);
  }
  change(slot, [](Glance& glance) { glance = {}; });
  states_[slot] = {};
  forget_unread(slot);
  suspicions_.erase(slot);
  dirty_.erase(slot);
  troubled_.erase(slot);
}

void NodeLifecycle::lease_stored(const api::NodeLease& lease, const api::NodeLease* before,
                                 Moment at) {
  const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
  if (!slot) return;
  const bool same = before != nullptr && before->uid == lease.uid;
  const bool rewound = same && api::older_version(lease.resource_version, before->resource_version);
  NodeState& known = states_[*slot];
  if (!same) known.lease_version = 0;
  if (!rewound) return hear(*slot, lease, at.now);
  known.lease_version = api::version_number(lease.resource_version);
  Heartbeats seen = known.heartbeat.last;
  seen.lease = renewal_of(lease);
  beat_of_the_past(*slot, seen, at.now);
}

/// One that comes after it may have smaller versions, where the server was restored.
void NodeLifecycle::lease_removed(const api::NodeLease& lease) {
  if (const auto slot = view_.nodes.slot_of(lease.name)) states_[*slot].lease_version = 0;
}

void NodeLifecycle::leases_listed_anew() {
  view_.leases.each([this](Slot, const api::NodeLease& lease) {
    const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
    if (slot) states_[*slot].lease_version = api::version_number(lease.resource_version);
  });
}

/// Only what is newer than what was heard says something: a stream may be behind a read. The status
/// heartbeat is still the one that was seen with the node itself.
void NodeLifecycle::hear(Slot slot, const api::NodeLease& lease, Instant now) {
  NodeState& known = states_[slot];
  Heartbeats seen = known.heartbeat.last;
  seen.lease = renewal_of(lease);
  const std::uint64_t version = api::version_number(lease.resource_version);
  const bool older = version != 0 && version < known.lease_version;
  if (older && !shows_later_write(known.heartbeat.last, seen)) return;
  if (!older) known.lease_version = version;
  beat(slot, seen, now);
}

void NodeLifecycle::beat(Slot slot, const Heartbeats& seen, Instant now) {
  const HeartbeatMemory& before = states_[slot].heartbeat;
  if (proves_writes(before.last, seen)) sight_.prove(now);
  const HeartbeatMemory after = next_sight(before, seen, sight_.at(now));
  const bool moved = after.last_moved != before.last_moved;
  remember(slot, after);
  if (moved && unread_.leases > 0) forget_unread(slot);
  if (!moved || !glances_[slot].silent) return;
  set_silent(slot, false);
  doubt(slot);
  mark_dirty(slot);
}

/// Of an object that is older than the one that was seen, after the server went back in time.
void NodeLifecycle::beat_of_the_past(Slot slot, const Heartbeats& seen, Instant now) {
  const HeartbeatMemory& before = states_[slot].heartbeat;
  if (shows_later_write(before.last, seen)) return beat(slot, seen, now);
  remember(slot, rewound_sight(before, seen));
}

void NodeLifecycle::mark_all_dirty() {
  view_.nodes.each_slot([this](Slot slot) { mark_dirty(slot); });
}

void NodeLifecycle::begin_leading() {
  for (Glance& known : glances_) known.registered = false;
  mark_all_dirty();
}

void NodeLifecycle::end_leading() {
  troubled_.clear();
  for (auto& [slot, suspicion] : suspicions_) suspicion.failures = 0;
  unread_ = {};
  if (!policy_.evict_by_taints) return;  // that queue is followed by a standby as well
  view_.nodes.each_slot([this](Slot slot) { dequeue(slot); });
}

// --- answers ------------------------------------------------------------------------------------

/// Nothing when the node has gone, or another has its name.
std::optional<informer::Slot> NodeLifecycle::slot_of(const NodeRef& node) const {
  const std::optional<Slot> slot = view_.nodes.slot_of(node.name);
  if (!slot || !view_.nodes.has_uid(*slot, node.uid)) return std::nullopt;
  return slot;
}

/// Anything about that node but its conditions.
NodeLifecycle::NodeWrites* NodeLifecycle::in_flight(Slot slot) {
  const auto found = writes_.find(slot);
  const bool free = found == writes_.end() || found->second.in_flight.first == Writing::Nothing;
  return free ? nullptr : &found->second;
}

NodeLifecycle::NodeWrites* NodeLifecycle::in_flight(Slot slot, NodePart part) {
  if (part == NodePart::Spec) return in_flight(slot);
  const auto found = writes_.find(slot);
  return found == writes_.end() || !found->second.marking ? nullptr : &found->second;
}

/// It is not on its way any more.
RetryState& NodeLifecycle::answered(Slot slot, NodeWrites& writes, NodePart part) {
  mark_dirty(slot);
  if (part == NodePart::Spec) {
    return writes.tries.at(std::exchange(writes.in_flight, {Writing::Nothing, {}}));
  }
  writes.marking = false;
  return writes.tries.at(unknown);
}

void NodeLifecycle::release_refused(const RetryState& taken, Instant now) {
  if (!release_.begins_with(taken, now)) return;
  for (const Slot slot : troubled_) {
    for (auto& [key, retry] : writes_[slot].tries) retry.hurry();
    mark_dirty(slot);
  }
  look_again_at(now);  // a verdict is written after a look only
}

void NodeLifecycle::written(const NodeRef& node, NodePart part, Instant now) {
  sight_.prove(now);
  const std::optional<Slot> slot = slot_of(node);
  NodeWrites* writes = slot ? in_flight(*slot, part) : nullptr;
  if (writes == nullptr) return;
  const WriteKey done = part == NodePart::Status ? unknown : writes->in_flight;
  release_refused(writes->tries.at(done), now);
  if (part == NodePart::Status) return answered(*slot, *writes, part).succeeded(now);
  // Another write of that kind was right in its time: this one has taken its place.
  for (auto& [key, retry] : writes->tries) {
    if (key.first == done.first && key != done) retry.was_replaced();
  }
  answered(*slot, *writes, part).succeeded(now);
  if (done.first == Writing::Taints) writes->taints_taken = now;
  if (!has_managed_no_execute(view_.nodes.at(*slot))) give_token_back(*slot, *writes, now);
  writes->spent_token = false;
}

bool NodeLifecycle::refused(const NodeRef& node, NodePart part, const Error& error, Instant now) {
  const std::optional<Slot> slot = slot_of(node);
  NodeWrites* writes = slot ? in_flight(*slot, part) : nullptr;
  if (writes == nullptr) return false;
  if (part == NodePart::Spec) {
    writes->maybe_tainted = writes->spent_token && may_have_been_applied(error.fault);
    give_token_back(*slot, *writes, now);
  } else {
    doubt(*slot);  // judged again, with a new read, before every retry
  }
  RetryState& retry = answered(*slot, *writes, part);
  if (error.fault == Fault::Conflict && !retry.met_conflict(now, random_)) return false;
  if (error.fault != Fault::Conflict) retry.failed(now, random_, error);
  troubled_.insert(*slot);
  return true;
}

bool NodeLifecycle::is_settled(const std::string& node) const {
  const std::optional<Slot> slot = view_.nodes.slot_of(node);
  if (!slot) return true;
  const auto writes = writes_.find(*slot);
  const bool free = writes == writes_.end() ||
                    (!writes->second.marking && writes->second.in_flight.first == Writing::Nothing);
  return free && !dirty_.contains(*slot);
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

std::optional<Instant> NodeLifecycle::next_repair(Instant now, Evictions evictions) const {
  std::optional<Instant> next;
  if (evictions == Evictions::Allowed) next = zones_.next_token(now);
  if (retries_.empty()) return next;
  const Instant retry = retries_.begin()->first;
  return next ? std::min(*next, retry) : retry;
}

}  // namespace nlc::controller
