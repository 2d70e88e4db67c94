#include "controller/decisions/operator_holds.h"

#include <algorithm>
#include <utility>

namespace nlc::controller {
namespace {

/// The next read is wanted so long before the last one is too old: who is due is asked about once a
/// second only.
constexpr Duration ahead = std::chrono::seconds(2);

/// Nodes a second, where no flag says more than 0.
constexpr double slowest_rate = 0.1;

}  // namespace

OperatorHolds::OperatorHolds(View view, const Policy& policy, const NodeLifecycle* nodes)
    : view_(view), policy_(policy), nodes_(nodes), pauses_(view) {
  pauses_.follow(in_force_.policy(), in_force_.known());
}

/// What a disruption held of a node leaves its zone with it, and is held as before.
void OperatorHolds::node_stored(Slot slot, const api::Node& node, const api::Node* before,
                                Instant now) {
  const bool moves = in_disruption_ && before != nullptr && zone_key(*before) != zone_key(node);
  if (moves) keep_what_its_zone_held(slot, now);
  pauses_.node_stored(slot, node, before);
}

void OperatorHolds::node_removed(Slot slot) {
  pace_.forget(slot);
  pauses_.node_removed(slot);
}

std::vector<Pauses::Change> OperatorHolds::follow(const PolicyAccess& access, Instant now) {
  in_force_.follow(access, now);
  if (in_force_.take_changed()) {
    const OperatorPolicy& policy = in_force_.policy();
    const bool held = std::exchange(in_disruption_, policy.hold_in_disruption);
    if (held && !in_disruption_) keep_what_a_disruption_held(now);
    pauses_.follow(policy, in_force_.known());
    pace_.set_limits({.pods_per_second = policy.pods_per_second,
                      .pods_per_second_and_zone = policy.pods_per_second_and_zone},
                     now);
  }
  if (is_in_disruption(std::nullopt)) in_force_.keep_looking(now);
  return pauses_.take_changes();
}

/// Disruptions hold nobody any more; what they held leaves node by node, as after a disruption.
void OperatorHolds::keep_what_a_disruption_held(Instant now) {
  view_.nodes.each_slot([&](Slot node) { keep_what_its_zone_held(node, now); });
}

void OperatorHolds::keep_what_its_zone_held(Slot node, Instant now) {
  if (nodes_ == nullptr) return;
  const Zone& zone = *nodes_->health().summary(node).zone;
  const std::optional<Instant> until = zone.is_disrupted() ? now : zone.recovered;
  if (until) pace_.held(node, *until);
}

void OperatorHolds::expect_evictions(Instant now) {
  if (!in_force_.confirmed(now + ahead)) in_force_.want_look();
}

/// A zone of rate 0 gives no taints. Pods of those that are there leave all the same, so a pause
/// that held them is not to keep them for ever.
double OperatorHolds::rate_of_held(double zones_rate) const {
  if (zones_rate > 0) return zones_rate;
  return policy_.eviction_rate > 0 ? policy_.eviction_rate : slowest_rate;
}

EvictionPace::Place OperatorHolds::place_of(std::string_view node) const {
  constexpr const char* gone = "gone";  // no zone has such a key
  EvictionPace::Place place{.node = view_.nodes.slot_of(node), .zone = gone};
  if (!place.node) return place;
  if (nodes_ == nullptr) {
    place.zone = zone_key(view_.nodes.at(*place.node));
    place.nodes_per_second = rate_of_held(policy_.eviction_rate);
    return place;
  }
  Zone& zone = *nodes_->health().summary(*place.node).zone;
  place.zone = zone.key;
  place.nodes_per_second = rate_of_held(zone.evictions.rate());
  place.recovered = zone.recovered;
  if (in_disruption_) place.held_until = zone.recovered;
  const bool shares_turns = !policy_.evict_by_taints && zone.evictions.rate() > 0;
  if (shares_turns) place.turns = &zone.evictions;
  return place;
}

/// What keeps all pods of a node; of no name: whatever node.
std::optional<OperatorHolds::Held::By> OperatorHolds::keeps(
    const PodDue& pod, const EvictionPace::Place& place) const {
  const Pause pause = place.node         ? pauses_.of(*place.node)
                      : pod.node.empty() ? pauses_.of_everything()
                                         : pauses_.of_gone();
  if (pause >= Pause::Evictions) return Held::By::Pause;
  if (!pod.node.empty() && is_in_disruption(place.node)) return Held::By::Disruption;
  return std::nullopt;
}

std::string OperatorHolds::paused_by(const PodDue& pod) const {
  if (const std::optional<Slot> node = view_.nodes.slot_of(pod.node)) {
    return pauses_.paused_by(*node);
  }
  return pod.node.empty() ? pauses_.everything_paused_by() : pauses_.gone_paused_by();
}

/// In what zone a node was that is gone nobody knows any more.
bool OperatorHolds::is_in_disruption(std::optional<Slot> node) const {
  if (!in_disruption_ || nodes_ == nullptr) return false;
  if (node) return nodes_->health().summary(*node).zone->is_disrupted();
  return std::ranges::any_of(nodes_->zones().all(),
                             [](const auto& zone) { return zone.second.is_disrupted(); });
}

std::optional<Instant> OperatorHolds::ask(const PodDue& pod, Instant now) {
  const EvictionPace::Place place = place_of(pod.node);
  if (keeps(pod, place)) return now + held_recheck;
  if (!in_force_.confirmed(now)) {
    in_force_.want_look();
    return now;
  }
  expect_evictions(now);  // its node is read next, which may take as long
  const EvictionPace::Wait wait = pace_.ask(place, pod.since, pod.step, now);
  if (wait == EvictionPace::Wait::Not) return std::nullopt;
  return pace_.ask_again(place, pod.step, wait, now);
}

void OperatorHolds::requested(const PodDue& pod, Instant now) {
  pace_.requested(place_of(pod.node), pod.since, pod.step, now);
}

std::optional<OperatorHolds::Held> OperatorHolds::held_by(const PodDue& pod, Instant now) const {
  const EvictionPace::Place place = place_of(pod.node);
  if (const auto by = keeps(pod, place)) return Held{.by = *by};
  if (in_force_.is_unsure()) return Held{.by = Held::By::PolicyUnread};
  if (pod.node.empty()) return std::nullopt;
  const EvictionPace::Wait wait = pace_.current_wait(place, pod.since, now);
  if (wait == EvictionPace::Wait::Not) return std::nullopt;
  const bool node = wait == EvictionPace::Wait::NodesTurn;
  return Held{.by = node ? Held::By::NodesTurn : Held::By::PodsTurn,
              .until = pace_.until(place, wait)};
}

}  // namespace nlc::controller
