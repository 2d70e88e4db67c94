#include "controller/writes/fair_order.h"

#include <algorithm>
#include <cassert>

namespace nlc::controller {

FairOrder::Rank FairOrder::join(Slot slot, Group group) {
  const auto known = groups_.try_emplace(group).first;
  GroupState& state = known->second;
  const std::uint64_t round = std::max(round_, state.next_round);
  state.next_round = round + 1;
  const Rank rank{.round = round, .came = came_++};
  state.waiting.emplace(rank, slot);
  line_.emplace(rank, slot);
  changed(known);
  return rank;
}

void FairOrder::leave(const Place& place, Group group) {
  const auto known = groups_.find(group);
  assert(known != groups_.end());
  known->second.waiting.erase(place);
  line_.erase(place);
  changed(known);
}

void FairOrder::served(const Rank& rank) {
  if (rank.round <= round_) return;
  round_ = rank.round;
  promoted_ = 0;
  promoted_most_ = std::max(few, groups_.size());
}

void FairOrder::sent(Group group) {
  const auto known = groups_.try_emplace(group).first;
  ++known->second.in_flight;
  changed(known);
}

void FairOrder::answered(Group group) {
  const auto known = groups_.find(group);
  assert(known != groups_.end() && known->second.in_flight > 0);
  --known->second.in_flight;
  changed(known);
}

std::optional<FairOrder::Place> FairOrder::promote_next(Group group) {
  const auto known = groups_.find(group);
  if (known == groups_.end()) return std::nullopt;
  std::set<Place>& waiting = known->second.waiting;
  const auto next = waiting.lower_bound({{.round = round_ + 1}, Slot{}});
  if (next == waiting.end() || promoted_ >= promoted_most_) return std::nullopt;
  ++promoted_;
  const auto [rank, slot] = *next;
  const Place place{{.round = round_, .promoted = true, .came = rank.came}, slot};
  line_.erase(*next);
  waiting.erase(next);
  waiting.insert(place);
  line_.insert(place);
  return place;
}

bool FairOrder::has_in_flight(Group group) const {
  const auto known = groups_.find(group);
  return known != groups_.end() && known->second.in_flight > 0;
}

std::vector<FairOrder::Place> FairOrder::line_of_idle_groups() const {
  std::vector<Place> places;
  for (const Group group : idle_) {
    const std::set<Place>& waiting = groups_.at(group).waiting;
    places.insert(places.end(), waiting.begin(), waiting.end());
  }
  std::ranges::sort(places);
  return places;
}

void FairOrder::changed(Groups::iterator group) {
  const auto& [key, state] = *group;
  const bool waits = !state.waiting.empty();
  if (state.in_flight == 0 && waits) {
    idle_.insert(key);
  } else {
    idle_.erase(key);
  }
  if (state.in_flight == 0 && !waits) groups_.erase(group);
}

}  // namespace nlc::controller
