#include "controller/writes/fair_order.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "client/limits/flights.h"

namespace nlc::controller {
namespace {

constexpr Duration hangs_after = client::Flights::overdue_after;

}  // namespace

FairOrder::Rank FairOrder::join(Slot slot, Group group) {
  const auto known = groups_.try_emplace(group).first;
  GroupState& state = known->second;
  const int at_once = state.gives_way ? 1 : few;
  const std::uint64_t next = state.in_round < at_once ? state.round : state.round + 1;
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

void FairOrder::sent(Group group, Instant now) {
  const auto known = groups_.try_emplace(group).first;
  known->second.under_way.push_back(now);
  changed(known);
}

void FairOrder::answered(Group group) {
  const auto known = groups_.find(group);
  assert(known != groups_.end() && !known->second.under_way.empty());
  known->second.under_way.pop_front();
  if (known->second.under_way.empty()) known->second.gives_way = false;
  changed(known);
}

bool FairOrder::has_to_give_way(Group group, Instant now) const {
  const auto known = groups_.find(group);
  if (known == groups_.end() || known->second.gives_way) return false;
  const std::deque<Instant>& sent = known->second.under_way;
  return !sent.empty() && now - sent.front() >= hangs_after;
}

std::vector<FairOrder::Place> FairOrder::give_way(Group group) {
  GroupState& state = groups_.at(group);
  state.gives_way = true;
  const std::set<Place> before = std::exchange(state.waiting, {});
  std::uint64_t round = round_;
  for (const Place& place : before) {
    line_.erase(place);
    const Place anew{{.round = ++round, .came = place.first.came}, place.second};
    state.waiting.insert(anew);
    line_.insert(anew);
  }
  state.round = round;
  state.in_round = 1;
  return {state.waiting.begin(), state.waiting.end()};
}

bool FairOrder::has_some_under_way(Group group) const {
  const auto known = groups_.find(group);
  return known != groups_.end() && !known->second.under_way.empty();
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
  if (state.under_way.empty() && !state.waiting.empty()) {
    alone_.insert(key);
  } else {
    alone_.erase(key);
  }
  if (state.under_way.empty() && state.waiting.empty()) groups_.erase(group);
}

}  // namespace nlc::controller
