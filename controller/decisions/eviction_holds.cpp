#include "controller/decisions/eviction_holds.h"

namespace nlc::controller {

EvictionHolds::EvictionHolds(View view, const Policy& policy, const NodeLifecycle* nodes)
    : view_(view), policy_(policy), nodes_(nodes), pauses_(view) {
  pauses_.follow(in_force_.policy(), in_force_.known());
}

void EvictionHolds::node_removed(Slot slot) {
  pace_.forget(slot);
  pauses_.node_removed(slot);
}

std::vector<Pauses::Change> EvictionHolds::follow(const PolicyAccess& access, Instant now) {
  in_force_.follow(access, now);
  if (in_force_.take_changed()) {
    const OperatorPolicy& policy = in_force_.policy();
    in_disruption_ = policy.hold_in_disruption;
    pauses_.follow(policy, in_force_.known());
    pace_.set_limits({.pods_per_second = policy.pods_per_second,
                      .pods_per_second_and_zone = policy.pods_per_second_and_zone},
                     now);
  }
  return pauses_.take_changes();
}

void EvictionHolds::expect_pods(Instant now) {
  if (!in_force_.confirmed(now)) in_force_.want_look();
}

EvictionPace::Place EvictionHolds::place_of(std::string_view node) const {
  constexpr const char* gone = "gone";  // no zone has such a key
  EvictionPace::Place place{.node = view_.nodes.slot_of(node), .zone = gone, .recovered = {}};
  if (!place.node) return place;
  if (nodes_ == nullptr) {
    place.zone = zone_key(view_.nodes.at(*place.node));
    place.nodes_per_second = policy_.eviction_rate;
    return place;
  }
  Zone& zone = *nodes_->health().summary(*place.node).zone;
  place.zone = zone.key;
  place.nodes_per_second = zone.evictions.rate();
  place.recovered = zone.recovered;
  if (!policy_.evict_by_taints) place.turns = &zone.evictions;
  return place;
}

/// What keeps all pods of a node; of no name: whatever node.
std::optional<EvictionHolds::Held::By> EvictionHolds::keeps(
    const PodDue& pod, const EvictionPace::Place& place) const {
  const Pause pause = place.node         ? pauses_.of(*place.node)
                      : pod.node.empty() ? pauses_.of_everything()
                                         : pauses_.of_gone();
  if (pause >= Pause::Evictions) return Held::By::Pause;
  if (place.node && holds_for_disruption(*place.node)) return Held::By::Disruption;
  return std::nullopt;
}

std::string EvictionHolds::paused_by(const PodDue& pod) const {
  if (const std::optional<Slot> node = view_.nodes.slot_of(pod.node)) {
    return pauses_.paused_by(*node);
  }
  return pod.node.empty() ? pauses_.everything_paused_by() : pauses_.gone_paused_by();
}

bool EvictionHolds::holds_for_disruption(Slot node) const {
  return in_disruption_ && nodes_ != nullptr && nodes_->health().summary(node).zone->is_disrupted();
}

std::optional<Instant> EvictionHolds::until(const PodDue& pod, Instant now) {
  const EvictionPace::Place place = place_of(pod.node);
  if (keeps(pod, place)) return now + held_recheck;
  if (!in_force_.confirmed(now)) {
    in_force_.want_look();
    return now;
  }
  const EvictionPace::Wait wait = pace_.asks(place, pod.since, pod.begins, now);
  if (wait == EvictionPace::Wait::Not) return std::nullopt;
  return pace_.ask_again(place, wait, now);
}

void EvictionHolds::leaves(const PodDue& pod, Instant now) {
  pace_.leaves(place_of(pod.node), pod.since, pod.begins, now);
}

std::optional<EvictionHolds::Held> EvictionHolds::why(const PodDue& pod, Instant now) const {
  const EvictionPace::Place place = place_of(pod.node);
  if (const auto by = keeps(pod, place)) return Held{.by = *by, .until = {}};
  if (in_force_.is_unsure()) return Held{.by = Held::By::PolicyUnread, .until = {}};
  const EvictionPace::Wait wait = pace_.waits(place, pod.since, pod.begins, now);
  if (wait == EvictionPace::Wait::Not) return std::nullopt;
  const bool node = wait == EvictionPace::Wait::NodesTurn;
  return Held{.by = node ? Held::By::NodesTurn : Held::By::PodsTurn,
              .until = pace_.until(place, wait)};
}

}  // namespace nlc::controller
