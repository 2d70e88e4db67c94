#include "controller/writes/fair_order.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nlc::controller {

FairOrder::Rank FairOrder::join(Slot slot, Group group) {
  const auto known = groups_.try_emplace(group).first;
  GroupState& state = known->second;
  const std::uint64_t round = std::max(round_, state.next_round);
  state.next_round = round + 1;
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

std::vector<FairOrder::Place> FairOrder::taken(Group group) {
  const auto known = groups_.find(group);
  if (known == groups_.end()) return {};
  GroupState& state = known->second;
  if (std::exchange(state.hurried_in, round_) != round_) state.hurried = 0;
  std::vector<Place> places;
  for (auto next = state.waiting.lower_bound({{.round = round_ + 1}, Slot{}});
       next != state.waiting.end() && state.hurried < few; ++state.hurried) {
    const Place before = *next;
    const Place place{{.round = round_, .came = before.first.came}, before.second};
    next = state.waiting.erase(next);
    state.waiting.insert(place);
    line_.erase(before);
    line_.insert(place);
    places.push_back(place);
  }
  return places;
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
