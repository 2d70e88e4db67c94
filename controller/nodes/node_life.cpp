#include "controller/nodes/node_life.h"

#include <algorithm>

#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// Where nobody knows when a grace will end.
constexpr Duration unknown_recheck = std::chrono::seconds(1);

/// A kubelet writes its status as often as that also where nothing in it has changed
/// (nodeStatusReportFrequency): one that has not by then cannot.
constexpr Duration status_written_within = std::chrono::minutes(5);

/// By the dates in the objects, for whoever did not see either: if they are wrong, what is asked of
/// it waits for a grace period from when we came.
bool renewed_since_unknown(View view, Slot slot) {
  const api::Node node = view.nodes.at(slot);
  const std::optional<api::NodeLease> lease = view.leases.find(node.name);
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  return lease && ready != nullptr && lease->renewed && ready->last_transition &&
         *lease->renewed > *ready->last_transition;
}

}  // namespace

Instant NodeLife::alive_until(Slot slot, Instant now) const {
  const NodeHeartbeats& heartbeats = health.heartbeats();
  const bool unknown = health.summary(slot).ready == api::ConditionStatus::Unknown;
  if (!unknown || planted("taints-who-lives-again")) return Instant::min();
  const Instant shown = availability.shown_until(now);
  const bool lives = heartbeats.is_known_to_live(slot, shown) ||
                     (heartbeats.in_grace(slot, shown) && renewed_since_unknown(view, slot));
  if (!lives) return Instant::min();
  const Instant ends = availability.reaches(heartbeats.grace_ends(slot)) + Duration(1);
  return availability.foresees(now) ? ends : std::max(ends, now + unknown_recheck);
}

Instant NodeLife::pods_stay_until(Slot slot, Instant now) const {
  const Instant alive = alive_until(slot, now);
  const AvailableTime since =
      std::max(health.heartbeats().lives_since(slot), health.summary(slot).ready_changed);
  return std::min(alive, availability.reaches(since + status_written_within));
}

Instant NodeLife::pods_stay_ready_until(Slot slot, Instant now) const {
  const bool seen = availability.foresees(now) && health.heartbeats().is_known_to_live(slot, now);
  return seen ? pods_stay_until(slot, now) : Instant::min();
}

}  // namespace nlc::controller
