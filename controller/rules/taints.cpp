#include "controller/rules/taints.h"

#include <algorithm>
#include <array>
#include <string>

#include "runtime/planted.h"

namespace nlc::controller {
namespace {

using api::ConditionStatus;

constexpr std::array no_schedule_keys{
    taint::not_ready,    taint::unreachable,         taint::memory_pressure, taint::disk_pressure,
    taint::pid_pressure, taint::network_unavailable, taint::unschedulable};

bool is_managed_no_schedule(const api::Taint& taint) {
  return taint.effect == api::effect::no_schedule &&
         std::ranges::find(no_schedule_keys, taint.key) != no_schedule_keys.end();
}

/// The taint key that a condition in its present status stands for; empty for none.
std::string_view key_for(const api::NodeCondition& condition) {
  if (condition.type == api::condition::ready) {
    if (condition.status == ConditionStatus::False) return taint::not_ready;
    if (condition.status == ConditionStatus::Unknown) return taint::unreachable;
    return {};
  }
  if (condition.status != ConditionStatus::True) return {};
  if (condition.type == api::condition::memory_pressure) return taint::memory_pressure;
  if (condition.type == api::condition::disk_pressure) return taint::disk_pressure;
  if (condition.type == api::condition::pid_pressure) return taint::pid_pressure;
  if (condition.type == api::condition::network_unavailable) return taint::network_unavailable;
  return {};
}

api::Taint fresh(std::string_view key, std::string_view effect, WallTime now) {
  return {.key = std::string(key), .effect = std::string(effect), .time_added = now};
}

}  // namespace

std::string_view outage_taint_key(const api::Node& node) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  return ready == nullptr ? std::string_view() : key_for(*ready);
}

std::vector<std::string_view> wanted_no_schedule(const api::Node& node) {
  std::vector<std::string_view> wanted;
  for (const api::NodeCondition& condition : node.conditions) {
    if (const std::string_view key = key_for(condition); !key.empty()) wanted.push_back(key);
  }
  if (node.unschedulable && !planted("cordon-overlooked")) wanted.push_back(taint::unschedulable);
  return wanted;
}

bool is_managed(const api::Taint& taint) {
  return is_managed_no_schedule(taint) || is_managed_no_execute(taint);
}

bool is_managed_no_execute(const api::Taint& taint) {
  return taint.effect == api::effect::no_execute &&
         (taint.key == taint::not_ready || taint.key == taint::unreachable);
}

bool has_managed_no_execute(const api::Node& node) {
  return std::ranges::any_of(node.taints, is_managed_no_execute);
}

NoExecuteNeed no_execute_need(const api::Node& node) {
  if (node.condition(api::condition::ready) == nullptr) return NoExecuteNeed::Nothing;
  const bool carries = has_managed_no_execute(node);
  const std::string_view wanted = outage_taint_key(node);
  if (planted("taint-never-cleared") && wanted.empty()) return NoExecuteNeed::Nothing;
  if (wanted.empty()) return carries ? NoExecuteNeed::Clear : NoExecuteNeed::Nothing;
  if (!carries) return NoExecuteNeed::Queue;
  const auto is_other = [&](const api::Taint& taint) {
    return is_managed_no_execute(taint) && taint.key != wanted;
  };
  if (planted("taint-not-swapped")) return NoExecuteNeed::Nothing;
  return std::ranges::any_of(node.taints, is_other) ? NoExecuteNeed::Swap : NoExecuteNeed::Nothing;
}

std::vector<api::Taint> planned_taints(const api::Node& node, NoExecuteStep step, WallTime now) {
  const std::vector<std::string_view> wanted = wanted_no_schedule(node);
  const std::string_view evicting =
      step == NoExecuteStep::Set ? outage_taint_key(node) : std::string_view();

  std::vector<api::Taint> planned;
  for (const api::Taint& taint : node.taints) {
    const bool unwanted_no_schedule =
        is_managed_no_schedule(taint) && std::ranges::find(wanted, taint.key) == wanted.end();
    const bool unwanted_no_execute =
        step != NoExecuteStep::Keep && is_managed_no_execute(taint) && taint.key != evicting;
    const bool lost = planted("drops-taints-of-others") && step == NoExecuteStep::Set;
    if (!unwanted_no_schedule && !unwanted_no_execute && !lost) planned.push_back(taint);
  }
  const auto add_missing = [&](std::string_view key, std::string_view effect) {
    if (node.taint(key, effect) == nullptr) planned.push_back(fresh(key, effect, now));
  };
  for (const std::string_view key : wanted) add_missing(key, api::effect::no_schedule);
  if (!evicting.empty()) add_missing(evicting, api::effect::no_execute);
  return planned;
}

std::string taints_only_in(const std::vector<api::Taint>& left,
                           const std::vector<api::Taint>& right) {
  std::string text;
  for (const api::Taint& taint : left) {
    const auto same = [&](const api::Taint& other) { return api::same_taint(taint, other); };
    if (std::ranges::any_of(right, same)) continue;
    if (!text.empty()) text += ",";
    text += taint.key + ":" + taint.effect;
  }
  return text;
}

}  // namespace nlc::controller
