#include "controller/turn_order.h"

#include <algorithm>
#include <cassert>

namespace nlc::controller {

TurnOrder::Turn TurnOrder::join(Group group) {
  Standing& standing = groups_[group];
  ++standing.waiting;
  const std::uint64_t round = std::max(round_, standing.next_round);
  standing.next_round = round + 1;
  return {round, came_++};
}

void TurnOrder::leave(Group group) {
  const auto known = groups_.find(group);
  assert(known != groups_.end() && known->second.waiting > 0);
  --known->second.waiting;
  forget_idle(known);
}

void TurnOrder::served(const Turn& turn) { round_ = std::max(round_, turn.round); }

void TurnOrder::sent(Group group) { ++groups_[group].under_way; }

void TurnOrder::answered(Group group) {
  const auto known = groups_.find(group);
  assert(known != groups_.end() && known->second.under_way > 0);
  --known->second.under_way;
  forget_idle(known);
}

bool TurnOrder::has_some_under_way(Group group) const {
  const auto known = groups_.find(group);
  return known != groups_.end() && known->second.under_way > 0;
}

void TurnOrder::forget_idle(std::map<Group, Standing>::iterator known) {
  if (known->second.waiting == 0 && known->second.under_way == 0) groups_.erase(known);
}

}  // namespace nlc::controller
