#include "controller/writes/fair_order.h"

#include <algorithm>
#include <cassert>

namespace nlc::controller {

void FairOrder::join(Slot slot, Group group) {
  const auto known = groups_.try_emplace(group).first;
  GroupState& state = known->second;
  const std::uint64_t round = std::max(round_, state.next_round);
  state.next_round = round + 1;
  place(slot, {.round = round, .came = came_++}, state);
  changed(known);
}

void FairOrder::leave(Slot slot, Group group) {
  const auto known = groups_.find(group);
  assert(known != groups_.end());
  displace(slot, known->second);
  changed(known);
}

void FairOrder::served(Slot slot) {
  const std::uint64_t round = ranks_.at(slot).round;
  if (round > round_) begin_round(round);
}

void FairOrder::begin_round(std::uint64_t round) {
  round_ = round;
  promoted_ = 0;
  promoted_most_ = std::max(few, groups_.size());
}

/// Rounds in which nobody has a turn any more.
void FairOrder::skip_rounds() {
  const Rank& first = line_.begin()->first;
  if (first.round <= round_ && !first.promoted) return;
  const auto next = line_.lower_bound({{.round = round_ + 1}, Slot{}});
  if (next != line_.end() && next->first.round > round_ + 1) begin_round(next->first.round - 1);
}

void FairOrder::place(Slot slot, Rank rank, GroupState& group) {
  ranks_.emplace(slot, rank);
  group.waiting.emplace(rank, slot);
  line_.emplace(rank, slot);
}

void FairOrder::displace(Slot slot, GroupState& group) {
  const auto known = ranks_.find(slot);
  assert(known != ranks_.end());
  group.waiting.erase({known->second, slot});
  line_.erase({known->second, slot});
  ranks_.erase(known);
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

bool FairOrder::promote_next(Group group) {
  const auto known = groups_.find(group);
  if (known == groups_.end()) return false;
  GroupState& state = known->second;
  const auto next = state.waiting.lower_bound({{.round = round_ + 1}, Slot{}});
  if (next == state.waiting.end() || promoted_ >= promoted_most_) return false;
  ++promoted_;
  const auto [rank, slot] = *next;
  displace(slot, state);
  place(slot, {.round = round_, .promoted = true, .came = rank.came}, state);
  skip_rounds();
  return true;
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
