#include "controller/nodes/node_timeouts.h"

#include <algorithm>
#include <span>

#include "controller/rules/pods.h"

namespace nlc::controller {
namespace {

/// In seconds.
constexpr double shortest_turn = 1;
constexpr double longest_turn = 10;
/// Longer than a node can have waited that has had no turn.
constexpr Duration behind_all = std::chrono::hours(24 * 365);

}  // namespace

/// An Unknown node has been silent since its last heartbeat, one that says itself that it is not
/// ready since it began to.
std::optional<AvailableTime> NodeTimeouts::end_of(Slot slot) const {
  const NodeSummary& known = health_.summary(slot);
  if (!known.ready || known.ready == api::ConditionStatus::True) return std::nullopt;
  const bool silent = known.ready == api::ConditionStatus::Unknown;
  const AvailableTime since = silent ? health_.heartbeats().last_moved(slot) : known.ready_changed;
  return since + policy_.pod_eviction_timeout;
}

bool NodeTimeouts::is_over(Slot slot, AvailableTime now) const {
  const std::optional<AvailableTime> end = end_of(slot);
  return end && now > *end;
}

bool NodeTimeouts::has_pods_to_evict(Slot slot) const {
  const std::span<const Slot> pods = view_.pods_by_node.with(view_.nodes.name_at(slot));
  return std::ranges::any_of(pods,
                             [this](Slot pod) { return leaves_by_timeout(view_.pods.at(pod)); });
}

void NodeTimeouts::follow_all(Instant now) {
  if (policy_.evict_by_taints) return;
  next_.reset();
  view_.nodes.each_slot([this, now](Slot slot) { follow(slot, now); });
}

std::optional<Instant> NodeTimeouts::next(Instant now) const {
  if (!next_ || availability_.blind(now)) return std::nullopt;
  return availability_.reaches(*next_) + Duration(1);
}

/// Keeps the node's place in its zone's queue. While all zones are disrupted nobody waits, so that
/// afterwards each node has its whole timeout again (against D-ZD-11).
void NodeTimeouts::follow(Slot slot, Instant now) {
  if (is_over(slot, availability_.at(now))) {
    if (pauses_.pauses_evictions(slot)) return queue_.dequeue(slot);
    if (evicting_.contains(slot) || queue_.has_spent(slot)) return;
    if (health_.zones().all_disrupted()) return;
    if (!has_pods_to_evict(slot)) {
      queue_.dequeue(slot);
      return set_turn(slot, {.state = Turn::State::None, .asked = now});
    }
    const NodeSummary& known = health_.summary(slot);
    return queue_.enqueue(slot, *known.zone, known.not_ready_since, Instant::min());
  }
  if (const auto ends = end_of(slot)) next_ = std::min(next_.value_or(*ends), *ends);
  queue_.dequeue(slot);
  end(slot, view_.nodes.at(slot));
}

bool NodeTimeouts::begin(Slot slot, Instant now) {
  const bool stays = health_.zones().all_disrupted() || pauses_.pauses_evictions(slot);
  if (stays || !is_over(slot, availability_.at(now))) return false;
  set_turn(slot, {.state = Turn::State::Given, .asked = now});
  return true;
}

void NodeTimeouts::set_turn(Slot slot, const Turn& turn) {
  if (!evicting_.insert_or_assign(slot, turn).second) return;
  evictions_.push_back({NodeEviction::Kind::Begun, ref_of(view_.nodes.at(slot))});
  zones_evicting_.push_back(health_.summary(slot).zone->key);
}

void NodeTimeouts::asked(Slot slot, Instant now) {
  const auto evicted = evicting_.find(slot);
  if (evicted != evicting_.end()) evicted->second.asked = now;
}

void NodeTimeouts::left(Slot slot) {
  const auto evicted = evicting_.find(slot);
  if (evicted == evicting_.end()) return;
  evicted->second.state = Turn::State::Used;
  queue_.dequeue(slot);
}

void NodeTimeouts::refused(Slot slot) {
  const auto evicted = evicting_.find(slot);
  if (evicted == evicting_.end() || evicted->second.state == Turn::State::Used) return;
  evicted->second.state = Turn::State::Missed;
}

void NodeTimeouts::doubt_accepted() {
  for (auto& [slot, turn] : evicting_) {
    if (turn.state != Turn::State::Missed) turn.state = Turn::State::None;
  }
}

/// Turns that add up while nothing can be asked would all be taken at once: each lasts as long as
/// it takes its zone to give the next.
bool NodeTimeouts::has_turn(Slot slot, Instant now) {
  const auto evicted = evicting_.find(slot);
  if (evicted == evicting_.end()) return false;
  Turn& turn = evicted->second;
  if (turn.state == Turn::State::Used) return true;
  Zone& zone = *health_.summary(slot).zone;
  const double seconds_a_token = 1 / std::max(zone.evictions.rate(), 1 / longest_turn);
  const std::chrono::duration<double> lasts(std::max(seconds_a_token, shortest_turn));
  if (turn.state == Turn::State::Given) {
    if (now - turn.asked <= lasts) return true;
    turn.state = Turn::State::Missed;
  }
  const bool stays = health_.zones().all_disrupted() || pauses_.pauses_evictions(slot);
  if (stays || queue_.has_spent(slot)) return false;
  queue_.enqueue(slot, zone, availability_.at(now) + behind_all, Instant::min());
  return false;
}

void NodeTimeouts::end_all() {
  if (policy_.evict_by_taints) return;
  view_.nodes.each([this](Slot slot, const api::Node& node) {
    queue_.dequeue(slot);
    end(slot, node);
  });
}

void NodeTimeouts::end(Slot slot, const api::Node& node) {
  if (evicting_.erase(slot) == 0) return;
  evictions_.push_back({NodeEviction::Kind::Ended, ref_of(node)});
}

}  // namespace nlc::controller
