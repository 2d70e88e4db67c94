#include "controller/writes/fair_order.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nlc::controller {

FairOrder::Rank FairOrder::join(Slot slot, Group group) {
  const auto known = groups_.try_emplace(group).first;
  GroupState& state = known->second;
  const std::uint64_t next = state.in_round < few ? state.round : state.round + 1;
  const std::uint64_t round = std::max(round_, next);
  if (round != std::exchange(state.round, round)) state.in_round = 0;
  ++state.in_round;
  const Rank rank{round, came_++};
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

void FairOrder::served(const Rank& rank) { round_ = std::max(round_, rank.round); }

void FairOrder::sent(Group group) {
  const auto known = groups_.try_emplace(group).first;
  ++known->second.under_way;
  changed(known);
}

void FairOrder::answered(Group group) {
  const auto known = groups_.find(group);
  assert(known != groups_.end() && known->second.under_way > 0);
  --known->second.under_way;
  changed(known);
}

bool FairOrder::has_some_under_way(Group group) const {
  const auto known = groups_.find(group);
  return known != groups_.end() && known->second.under_way > 0;
}

std::vector<FairOrder::Place> FairOrder::alone() const {
  std::vector<Place> places;
  for (const Group group : alone_) {
    const std::set<Place>& waiting = groups_.at(group).waiting;
    places.insert(places.end(), waiting.begin(), waiting.end());
  }
  std::ranges::sort(places);
  return places;
}

void FairOrder::changed(Groups::iterator group) {
  const auto& [key, state] = *group;
  if (state.under_way == 0 && !state.waiting.empty()) {
    alone_.insert(key);
  } else {
    alone_.erase(key);
  }
  if (state.under_way == 0 && state.waiting.empty()) groups_.erase(group);
}

}  // namespace nlc::controller
