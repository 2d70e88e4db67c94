#include "tests/conformance/unit_stand_in.h"

#include <algorithm>
#include <array>

#include "tests/conformance/unit_words.h"

namespace nlc::conformance {
namespace {

struct Player {
  std::string_view key;
  std::string_view condition;  ///< that asks for it while it is True
};
constexpr std::array no_schedule_players{
    Player{controller::taint::memory_pressure, api::condition::memory_pressure},
    Player{controller::taint::disk_pressure, api::condition::disk_pressure},
    Player{controller::taint::pid_pressure, api::condition::pid_pressure},
    Player{controller::taint::network_unavailable, api::condition::network_unavailable}};
constexpr std::array no_execute_players{controller::taint::unreachable,
                                        controller::taint::not_ready};

/// Comes with an unreachable node whether a case asks for it or not.
bool is_background(const api::Taint& taint) {
  return taint.key == controller::taint::unreachable && taint.effect == api::effect::no_schedule;
}

api::NodeCondition condition(std::string_view type, api::ConditionStatus status) {
  return {.type = std::string(type), .status = status, .reason = "NodeStatusUnknown"};
}

}  // namespace

const StandInNode::Role* StandInNode::role_of(const api::Taint& named) const {
  const auto found = std::ranges::find_if(
      roles_, [&](const Role& role) { return api::same_taint(role.named, named); });
  return found == roles_.end() ? nullptr : &*found;
}

void StandInNode::give_role(const api::Taint& named, std::string_view player) {
  roles_.push_back({.named = named, .player = std::string(player)});
}

void StandInNode::want(const api::Taint& taint) {
  if (taint.effect == api::effect::no_execute) {
    if (unreachable_) {
      throw Unanswerable{"no such component: a node never needs two NoExecute taints of ours"};
    }
    unreachable_ = true;
    return give_role(taint, controller::taint::unreachable);
  }
  refuse(taint);
  for (const Player& player : no_schedule_players) {
    if (player.key != roles_.back().player) continue;
    conditions_.push_back(condition(player.condition, api::ConditionStatus::True));
  }
}

void StandInNode::refuse(const api::Taint& taint) {
  const auto taken = static_cast<std::size_t>(std::ranges::count_if(
      roles_, [&](const Role& role) { return role.named.effect == taint.effect; }));
  if (taint.effect == api::effect::no_schedule && taken < no_schedule_players.size()) {
    return give_role(taint, no_schedule_players[taken].key);
  }
  if (taint.effect == api::effect::no_execute && taken < no_execute_players.size()) {
    return give_role(taint, no_execute_players[taken]);
  }
  throw Unanswerable{"no such component: no condition of a node makes ours write " +
                     name_of_taint(taint)};
}

api::Node StandInNode::node() const {
  api::Node node{.name = "node", .conditions = conditions_};
  node.conditions.insert(
      node.conditions.begin(),
      condition(api::condition::ready,
                unreachable_ ? api::ConditionStatus::Unknown : api::ConditionStatus::True));
  if (unreachable_) {
    node.taints.push_back({.key = std::string(controller::taint::unreachable),
                           .effect = std::string(api::effect::no_schedule)});
  }
  for (api::Taint taint : there_) {
    if (const Role* role = role_of(taint)) taint.key = role->player;
    node.taints.push_back(std::move(taint));
  }
  return node;
}

controller::NoExecuteStep StandInNode::step() const {
  return unreachable_ ? controller::NoExecuteStep::Set : controller::NoExecuteStep::Clear;
}

std::vector<std::string> StandInNode::names(const std::vector<api::Taint>& taints) const {
  std::vector<std::string> names;
  for (const api::Taint& taint : taints) {
    if (unreachable_ && is_background(taint)) continue;
    const auto role = std::ranges::find_if(roles_, [&](const Role& each) {
      return each.player == taint.key && each.named.effect == taint.effect;
    });
    api::Taint named = role == roles_.end() ? taint : role->named;
    if (!taint.value.empty()) named.value = taint.value;
    names.push_back(name_of_taint(named));
  }
  return names;
}

}  // namespace nlc::conformance
