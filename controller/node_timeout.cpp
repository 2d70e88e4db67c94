#include "controller/node_lifecycle.h"

/// Nodes whose pods go after a timeout, because nodes get no NoExecute taints (behaviour.md §17).
namespace nlc::controller {

/// The last moment at which a node's pods may stay: an Unknown node has been silent since its last
/// heartbeat, one that says itself that it is not ready since it began to. Nothing for others.
std::optional<Sighted> NodeLifecycle::timeout_end(const NodeState& state) const {
  if (!state.ready || state.ready == api::ConditionStatus::True) return std::nullopt;
  const bool silent = state.ready == api::ConditionStatus::Unknown;
  const Sighted since = silent ? state.heartbeat.last_moved : state.ready_changed;
  return since + policy_.pod_eviction_timeout;
}

bool NodeLifecycle::timed_out(const NodeState& state, Sighted now) const {
  const std::optional<Sighted> end = timeout_end(state);
  return end && now > *end;
}

/// Keeps the node's place in its zone's queue. While all zones are disrupted nobody waits, so that
/// afterwards each node has its whole timeout again (against D-ZD-11).
void NodeLifecycle::follow_timeout(NodeState& known, Slot slot, Sighted now) {
  if (timed_out(known, now)) {
    const bool free = !known.evicting && !known.spent_token && !zones_.all_disrupted();
    if (free) enqueue(known, slot);
    return;
  }
  if (const std::optional<Sighted> end = timeout_end(known)) note_end(*end);
  dequeue(known);
  end_eviction(known, slot);
}

void NodeLifecycle::node_read(const NodeRef& node, Instant now) {
  sight_.prove(now);
  NodeState* known = find_state(node);
  if (known == nullptr || !known->attempt.in_flight()) return;
  known->attempt.succeeded();
  known->spent_token = false;
  const Slot slot = *view_.nodes.slot_of(node.name);
  mark_dirty(slot);
  if (zones_.all_disrupted() || !timed_out(*known, sight_.at(now))) {
    return known->zone->evictions.put_back(now);
  }
  known->evicting = true;
  known->zone->metrics.evictions.add();
  eviction_turns_.push_back({EvictionTurn::Kind::Begun, node});
}

void NodeLifecycle::end_eviction(NodeState& known, Slot slot) {
  if (!std::exchange(known.evicting, false)) return;
  eviction_turns_.push_back({EvictionTurn::Kind::Ended, ref_of(view_.nodes.at(slot))});
}

}  // namespace nlc::controller
