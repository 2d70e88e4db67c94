#include "controller/node_lifecycle.h"

#include <algorithm>
#include <cassert>

#include "controller/conditions.h"
#include "controller/labels.h"

namespace nlc::controller {
namespace {

using api::ConditionStatus;

/// Between two tries of a read that failed.
constexpr Duration read_pause = std::chrono::seconds(1);

bool is_ready(const api::Node& node) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  return ready != nullptr && ready->status == ConditionStatus::True;
}

/// A zone that has not been counted yet may turn out to be disrupted.
bool may_evict(const Zone& zone, Instant now) {
  return zone.state != ZoneState::Initial && zone.evictions.has_token(now);
}

NodeRef ref(const api::Node& node) { return {.name = node.name, .uid = node.uid}; }

}  // namespace

NodeLifecycle::NodeLifecycle(View view, const Policy& policy, metrics::Metrics& metrics,
                             Instant start, std::uint64_t seed)
    : view_(view),
      policy_(policy),
      sight_(policy.blind_after, start),
      zones_(policy, metrics),
      random_(seed),
      read_again_(start),
      last_look_(start - policy.monitor_period) {}

NodeLifecycle::NodeState& NodeLifecycle::state(Slot slot) {
  if (slot >= states_.size()) states_.resize(view_.nodes.slot_count());
  return states_[slot];
}

const NodeLifecycle::NodeState* NodeLifecycle::find_state(const NodeRef& node) const {
  const std::optional<Slot> slot = view_.nodes.slot_of(node.name);
  if (!slot || *slot >= states_.size() || states_[*slot].uid != node.uid) return nullptr;
  return &states_[*slot];
}

NodeLifecycle::NodeState* NodeLifecycle::find_state(const NodeRef& node) {
  return const_cast<NodeState*>(std::as_const(*this).find_state(node));
}

// --- observations -------------------------------------------------------------------------------

void NodeLifecycle::meet(NodeState& state, const api::Node& node, Moment at) {
  dequeue(state);
  state = NodeState{};
  state.uid = node.uid;
  const Duration age = node.created ? Duration(at.wall - *node.created) : Duration{0};
  state.heartbeat =
      first_sight(heartbeats_of(node, view_.leases.find(node.name)), sight_.at(at.now), age);
}

void NodeLifecycle::node_stored(Slot slot, const api::Node& node, const api::Node* before,
                                Moment at) {
  NodeState& known = state(slot);
  if (known.uid != node.uid) {
    meet(known, node, at);
    before = nullptr;
  } else {
    beat(known, slot, heartbeats_of(node, view_.leases.find(node.name)), at.now);
  }
  join_zone(known, node, before, at.now);
  if (!is_ready(node) && (before == nullptr || is_ready(*before))) {
    known.not_ready_since = judged_silent(node) ? known.heartbeat.last_moved : sight_.at(at.now);
  }
  follow_seen_taint(known, node, before, at.now);
  if (before != nullptr && judged_silent(node) && !judged_silent(*before)) {
    news_.push_back({NodeNews::Kind::BecameSilent, ref(node)});
  }
  if (before != nullptr && judged_silent(*before) && is_ready(node)) {
    news_.push_back({NodeNews::Kind::CameBack, ref(node)});
  }
  mark_dirty(known, slot);
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
  if (before == nullptr || has_managed_no_execute(*before) || !has_managed_no_execute(node)) return;
  state.zone->metrics.evictions.add();
  if (!state.spent_token) state.zone->evictions.take(now);
}

void NodeLifecycle::node_removed(Slot slot, const api::Node& node) {
  NodeState& known = state(slot);
  dequeue(known);
  if (known.registered) news_.push_back({NodeNews::Kind::Removed, ref(node)});
  known = NodeState{};
  dirty_.erase(slot);
}

void NodeLifecycle::lease_stored(const api::NodeLease& lease, Moment at) {
  const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
  if (!slot) return;
  beat(state(*slot), *slot, heartbeats_of(view_.nodes.at(*slot), &lease), at.now);
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
  mark_dirty(state, slot);
}

void NodeLifecycle::mark_dirty(NodeState& state, Slot slot) {
  state.dirty = true;
  dirty_.insert(slot);
}

void NodeLifecycle::mark_all_dirty() {
  view_.nodes.each([this](Slot slot, const api::Node&) { mark_dirty(state(slot), slot); });
}

void NodeLifecycle::begin_leading() {
  for (NodeState& known : states_) known.registered = false;
  mark_all_dirty();
}

// --- the look at all nodes ----------------------------------------------------------------------

bool NodeLifecycle::is_over(const NodeState& state, Sighted now) const {
  return now > grace_end(state.heartbeat, policy_);
}

/// A node judged silent counts as not ready before its conditions say so, so that its zone's state
/// is right when its taint becomes due.
bool NodeLifecycle::counts_as_ready(const NodeState& state, const api::Node& node) const {
  return is_ready(node) && !state.silent;
}

std::vector<Decision> NodeLifecycle::look(Moment at, Acting acting) {
  std::vector<Decision> out;
  const Sighted now = sight_.at(at.now);
  last_look_ = at.now;
  next_grace_end_.reset();
  suspects_.clear();
  zones_.begin_look();
  view_.nodes.each([&](Slot slot, const api::Node& node) {
    NodeState& known = state(slot);
    if (!known.registered) {
      known.registered = true;
      news_.push_back({NodeNews::Kind::Registered, ref(node)});
    }
    if (!is_over(known, now)) {
      note_grace_end(known);
    } else if (acting == Acting::Yes) {
      judge(slot, at, out);
    }
    zones_.count(*known.zone, known.excluded, counts_as_ready(known, node));
  });
  ask_for_leases(at.now, out);
  settle_zones(at);
  return out;
}

void NodeLifecycle::note_grace_end(const NodeState& state) {
  const Sighted end = grace_end(state.heartbeat, policy_);
  if (!next_grace_end_ || end < *next_grace_end_) next_grace_end_ = end;
}

/// For a node whose grace has ended.
void NodeLifecycle::judge(Slot slot, Moment at, std::vector<Decision>& out) {
  NodeState& known = state(slot);
  if (sight_.blind(at.now) || !known.attempt.may_begin(at.now)) return;
  const api::Node& node = view_.nodes.at(slot);
  std::vector<api::NodeCondition> conditions = silent_conditions(node, at.wall);
  if (conditions.empty()) return;
  if (!known.confirmed) return suspects_.push_back(slot);
  known.attempt.begin();
  out.push_back(MarkSilent{.node = ref(node),
                           .resource_version = node.resource_version,
                           .conditions = std::move(conditions),
                           .silent_for = sight_.at(at.now) - known.heartbeat.last_moved});
}

void NodeLifecycle::ask_for_leases(Instant now, std::vector<Decision>& out) {
  if (suspects_.empty() || reading_ || now < read_again_) return;
  reading_ = true;
  ReadLeases read;
  for (const Slot slot : suspects_) read.nodes.push_back(view_.nodes.at(slot).name);
  out.push_back(std::move(read));
}

void NodeLifecycle::leases_read(const ReadLeases& asked, const std::vector<api::NodeLease>& found,
                                Moment at) {
  reading_ = false;
  sight_.prove(at.now);
  const Sighted now = sight_.at(at.now);
  for (const std::string& name : asked.nodes) {
    const std::optional<Slot> slot = view_.nodes.slot_of(name);
    if (!slot) continue;
    const auto lease = std::ranges::find(found, name, &api::NodeLease::name);
    NodeState& known = state(*slot);
    if (lease != found.end()) {
      beat(known, *slot, heartbeats_of(view_.nodes.at(*slot), &*lease), at.now);
    }
    if (is_over(known, now)) known.silent = known.confirmed = true;
  }
}

void NodeLifecycle::lease_read_failed(Instant now) {
  reading_ = false;
  read_again_ = now + read_pause;
}

void NodeLifecycle::settle_zones(Moment at) {
  std::vector<Zones::Change> changes;
  const Zones::Turn turn = zones_.settle(at.now, changes);
  for (const Zones::Change& change : changes) {
    zone_news_.push_back({.key = change.zone->key,
                          .before = change.before,
                          .after = change.zone->state,
                          .count = change.zone->count});
  }
  if (turn == Zones::Turn::None) return;
  if (turn == Zones::Turn::LeftFullDisruption) {
    for (NodeState& known : states_) {
      known.heartbeat.last_moved = sight_.at(at.now);
      known.silent = known.confirmed = false;
    }
  }
  mark_all_dirty();
}

// --- repair -------------------------------------------------------------------------------------

std::vector<Decision> NodeLifecycle::repair(Moment at) {
  std::vector<Decision> out;
  for (auto position = dirty_.begin(); position != dirty_.end();) {
    const Slot slot = *position;
    NodeState& known = state(slot);
    if (!known.attempt.may_begin(at.now)) {
      ++position;
      continue;
    }
    position = dirty_.erase(position);
    known.dirty = false;
    const NoExecuteStep step = step_for(known, slot, view_.nodes.at(slot));
    // Who waits for its first NoExecute taint and may have it now gets both in one write below.
    const bool granted_below = known.waiting && may_evict(*known.zone, at.now) &&
                               *known.zone->queue.begin() == *known.waiting;
    if (granted_below) continue;
    if (std::optional<Decision> decision = reconcile(slot, step, at)) {
      out.push_back(std::move(*decision));
    }
  }
  grant_evictions(at, out);
  return out;
}

/// Also keeps the node's place in its zone's queue.
NoExecuteStep NodeLifecycle::step_for(NodeState& known, Slot slot, const api::Node& node) {
  const NoExecuteNeed need = no_execute_need(node);
  if (need == NoExecuteNeed::Queue) {
    enqueue(known, slot);
  } else {
    dequeue(known);
  }
  if (zones_.all_disrupted() && has_managed_no_execute(node)) return NoExecuteStep::Clear;
  if (need == NoExecuteNeed::Clear) return NoExecuteStep::Clear;
  return need == NoExecuteNeed::Swap ? NoExecuteStep::Set : NoExecuteStep::Keep;
}

std::optional<Decision> NodeLifecycle::reconcile(Slot slot, NoExecuteStep step, Moment at) {
  NodeState& known = state(slot);
  const api::Node& node = view_.nodes.at(slot);
  std::vector<api::Taint> taints = planned_taints(node, step, at.wall);
  if (taints != node.taints) {
    known.attempt.begin();
    std::string added = taints_only_in(taints, node.taints);
    std::string removed = taints_only_in(node.taints, taints);
    return SetTaints{.node = ref(node),
                     .resource_version = node.resource_version,
                     .taints = std::move(taints),
                     .added = std::move(added),
                     .removed = std::move(removed)};
  }
  api::Labels labels = missing_labels(node);
  if (labels.empty()) return std::nullopt;
  known.attempt.begin();
  return SetLabels{
      .node = ref(node), .resource_version = node.resource_version, .labels = std::move(labels)};
}

void NodeLifecycle::grant_evictions(Moment at, std::vector<Decision>& out) {
  for (auto& [key, zone] : zones_.all()) {
    for (auto position = zone.queue.begin();
         position != zone.queue.end() && may_evict(zone, at.now);) {
      const Slot slot = position->second;
      ++position;
      NodeState& known = state(slot);
      if (!known.attempt.may_begin(at.now)) continue;
      zone.evictions.take(at.now);
      known.spent_token = true;
      dequeue(known);
      std::optional<Decision> decision = reconcile(slot, NoExecuteStep::Set, at);
      assert(decision);  // a waiting node lacks its taint
      out.push_back(std::move(*decision));
    }
  }
}

void NodeLifecycle::enqueue(NodeState& known, Slot slot) {
  if (known.waiting) return;
  assert(known.zone != nullptr);
  known.waiting = Waiting{known.not_ready_since, slot};
  known.zone->queue.insert(*known.waiting);
}

void NodeLifecycle::dequeue(NodeState& known) {
  if (!known.waiting) return;
  for (auto& [key, zone] : zones_.all()) zone.queue.erase(*known.waiting);
  known.waiting.reset();
}

// --- answers ------------------------------------------------------------------------------------

void NodeLifecycle::written(const NodeRef& node, Instant now) {
  sight_.prove(now);
  NodeState* known = find_state(node);
  if (known == nullptr || !known->attempt.in_flight()) return;
  known->attempt.succeeded();
  known->spent_token = false;
  mark_dirty(*known, *view_.nodes.slot_of(node.name));
}

void NodeLifecycle::refused(const NodeRef& node, const Error& error, Instant now) {
  NodeState* known = find_state(node);
  if (known == nullptr || !known->attempt.in_flight()) return;
  if (std::exchange(known->spent_token, false) && known->zone != nullptr) {
    known->zone->evictions.put_back(now);
  }
  known->confirmed = false;  // judged again, with a new read, before every retry
  if (error.fault == Fault::Conflict) {
    known->attempt.succeeded();  // the live object has been read: no need to wait
  } else {
    known->attempt.failed(now, random_, error.retry_after);
  }
  mark_dirty(*known, *view_.nodes.slot_of(node.name));
}

// --- when ---------------------------------------------------------------------------------------

Instant NodeLifecycle::next_look(Instant now) const {
  Instant next = last_look_ + policy_.monitor_period;
  // While blind no grace ends.
  if (next_grace_end_ && !sight_.blind(now)) {
    next = std::min(next, sight_.reaches(*next_grace_end_) + Duration(1));
  }
  if (!suspects_.empty() && !reading_) next = std::min(next, read_again_);
  return next;
}

std::optional<Instant> NodeLifecycle::next_repair(Instant now) const {
  std::optional<Instant> next = zones_.next_eviction();
  for (const Slot slot : dirty_) {
    const std::optional<Instant> retry = states_[slot].attempt.retry_at(now);
    if (retry && (!next || *retry < *next)) next = retry;
  }
  return next;
}

}  // namespace nlc::controller
