#include "controller/nodes/node_repair.h"

/// Nodes whose pods go after a timeout, because nodes get no NoExecute taints
/// (spec/node-lifecycle.md "Eviction by timeout").
namespace nlc::controller {

/// The last moment at which a node's pods may stay: an Unknown node has been silent since its last
/// heartbeat, one that says itself that it is not ready since it began to. Nothing for others.
std::optional<AvailableTime> NodeRepair::timeout_end(Slot slot) const {
  const NodeHealth::Summary& known = health_.summary(slot);
  if (!known.ready || known.ready == api::ConditionStatus::True) return std::nullopt;
  const bool silent = known.ready == api::ConditionStatus::Unknown;
  const AvailableTime since = silent ? health_.heartbeats().last_moved(slot) : known.ready_changed;
  return since + policy_.pod_eviction_timeout;
}

bool NodeRepair::timed_out(Slot slot, AvailableTime now) const {
  const std::optional<AvailableTime> end = timeout_end(slot);
  return end && now > *end;
}

void NodeRepair::follow_timeouts(Instant now) {
  if (policy_.evict_by_taints) return;
  next_timeout_.reset();
  view_.nodes.each_slot(
      [this, now = availability_.at(now)](Slot slot) { follow_timeout(slot, now); });
}

std::optional<Instant> NodeRepair::next_timeout(Instant now) const {
  if (!next_timeout_ || availability_.blind(now)) return std::nullopt;
  return availability_.reaches(*next_timeout_) + Duration(1);
}

/// Keeps the node's place in its zone's queue. While all zones are disrupted nobody waits, so that
/// afterwards each node has its whole timeout again (against D-ZD-11).
void NodeRepair::follow_timeout(Slot slot, AvailableTime now) {
  if (timed_out(slot, now)) {
    const bool granted = queue_.has_spent(slot);
    if (pauses_.pauses_evictions(slot)) return queue_.dequeue(slot);
    const bool free = !evicting_.contains(slot) && !granted && !health_.zones().all_disrupted();
    if (free) {
      queue_.enqueue(slot, zone_of(slot), health_.summary(slot).not_ready_since, Instant::min());
    }
    return;
  }
  if (const auto end = timeout_end(slot)) {
    next_timeout_ = std::min(next_timeout_.value_or(*end), *end);
  }
  queue_.dequeue(slot);
  end_eviction(slot, view_.nodes.at(slot));
}

void NodeRepair::node_read(Slot slot, Instant now) {
  writes_.read(slot, now);
  const bool stays = health_.zones().all_disrupted() || pauses_.pauses_evictions(slot);
  if (stays || !timed_out(slot, availability_.at(now))) {
    return queue_.give_back(slot, zone_of(slot), now);
  }
  queue_.use(slot);
  evicting_.insert(slot);
  zones_evicting_.push_back(zone_of(slot).key);
  node_evictions_.push_back({NodeEviction::Kind::Begun, ref_of(view_.nodes.at(slot))});
}

void NodeRepair::end_eviction(Slot slot, const api::Node& node) {
  if (evicting_.erase(slot) == 0) return;
  node_evictions_.push_back({NodeEviction::Kind::Ended, ref_of(node)});
}

}  // namespace nlc::controller
