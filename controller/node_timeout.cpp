#include "controller/node_lifecycle.h"

/// Nodes whose pods go after a timeout, because nodes get no NoExecute taints
/// (spec/node-lifecycle.md "Eviction by timeout").
namespace nlc::controller {

/// The last moment at which a node's pods may stay: an Unknown node has been silent since its last
/// heartbeat, one that says itself that it is not ready since it began to. Nothing for others.
std::optional<Sighted> NodeLifecycle::timeout_end(Slot slot) const {
  const std::optional<api::ConditionStatus> ready = glances_[slot].ready;
  if (!ready || ready == api::ConditionStatus::True) return std::nullopt;
  const NodeState& known = states_[slot];
  const bool silent = ready == api::ConditionStatus::Unknown;
  const Sighted since = silent ? known.heartbeat.last_moved : known.ready_changed;
  return since + policy_.pod_eviction_timeout;
}

bool NodeLifecycle::timed_out(Slot slot, Sighted now) const {
  const std::optional<Sighted> end = timeout_end(slot);
  return end && now > *end;
}

/// Keeps the node's place in its zone's queue. While all zones are disrupted nobody waits, so that
/// afterwards each node has its whole timeout again (against D-ZD-11).
void NodeLifecycle::follow_timeout(Slot slot, Sighted now) {
  if (timed_out(slot, now)) {
    const auto writes = writes_.find(slot);
    const bool granted = writes != writes_.end() && writes->second.spent_token;
    const bool free = !states_[slot].evicting && !granted && !zones_.all_disrupted();
    if (free) enqueue(slot, Instant::min());
    return;
  }
  if (const std::optional<Sighted> end = timeout_end(slot)) note_end(*end);
  dequeue(slot);
  end_eviction(slot);
}

void NodeLifecycle::node_read(const NodeRef& node, Instant now) {
  const std::optional<Slot> slot = slot_of(node);
  NodeWrites* writes = slot ? in_flight(*slot) : nullptr;
  if (writes == nullptr || writes->in_flight.first != Writing::Read) return;
  RetryState& retry = answered(*slot, *writes, NodePart::Spec);
  retry.succeeded(now);
  retry.was_replaced();  // a read leaves nothing that could be undone
  if (zones_.all_disrupted() || !timed_out(*slot, sight_.at(now))) {
    return give_token_back(*slot, *writes, now);
  }
  writes->spent_token = false;
  states_[*slot].evicting = true;
  zones_evicting_.push_back(glances_[*slot].zone->key);
  eviction_turns_.push_back({EvictionTurn::Kind::Begun, node});
}

bool NodeLifecycle::node_not_read(const NodeRef& node, const Error& error, Instant now) {
  const std::optional<Slot> slot = slot_of(node);
  const NodeWrites* writes = slot ? in_flight(*slot) : nullptr;
  if (writes == nullptr || writes->in_flight.first != Writing::Read) return false;
  return refused(node, NodePart::Spec, error, now);
}

void NodeLifecycle::end_eviction(Slot slot) {
  if (!std::exchange(states_[slot].evicting, false)) return;
  eviction_turns_.push_back({EvictionTurn::Kind::Ended, ref_of(view_.nodes.at(slot))});
}

}  // namespace nlc::controller
