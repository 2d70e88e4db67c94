#include "controller/rules/conditions.h"

#include <algorithm>
#include <array>

#include "api/patches.h"

namespace nlc::controller {
namespace {

using api::ConditionStatus;

/// NetworkUnavailable is not the kubelet's, so its silence says nothing about it.
constexpr std::array kubelet_conditions{api::condition::ready, api::condition::memory_pressure,
                                        api::condition::disk_pressure,
                                        api::condition::pid_pressure};

bool is_kubelets(std::string_view type) {
  return std::ranges::find(kubelet_conditions, type) != kubelet_conditions.end();
}

api::NodeCondition never_updated(const api::Node& node, std::string_view type, WallTime now) {
  return {.type = std::string(type),
          .status = ConditionStatus::Unknown,
          .reason = std::string(reason_never_updated),
          .message = "Kubelet never posted node status.",
          .last_heartbeat = node.created,
          .last_transition = now};
}

api::NodeCondition stopped(const api::NodeCondition& before, WallTime now) {
  return {.type = before.type,
          .status = ConditionStatus::Unknown,
          .reason = std::string(reason_unknown),
          .message = "Kubelet stopped posting node status.",
          .last_heartbeat = before.last_heartbeat,
          .last_transition = now};
}

}  // namespace

std::vector<api::NodeCondition> silent_conditions(const api::Node& node, WallTime now) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  if (ready != nullptr && ready->status == ConditionStatus::Unknown) return {};

  // A strategic merge puts the list into the order of the patch: who is there keeps its place.
  std::vector<api::NodeCondition> changed;
  for (const api::NodeCondition& before : node.conditions) {
    if (before.status != ConditionStatus::Unknown && is_kubelets(before.type)) {
      changed.push_back(stopped(before, now));
    }
  }
  for (const std::string_view type : kubelet_conditions) {
    if (node.condition(type) == nullptr) changed.push_back(never_updated(node, type, now));
  }
  return changed;
}

std::vector<std::string> condition_order(const api::Node& node,
                                         const std::vector<api::NodeCondition>& added) {
  std::vector<std::string> order;
  for (const api::NodeCondition& known : node.conditions) order.push_back(known.type);
  const std::size_t known = order.size();
  for (const api::NodeCondition& condition : added) {
    if (node.condition(condition.type) == nullptr) order.push_back(condition.type);
  }
  if (order.size() == known) order.clear();
  return order;
}

std::optional<ConditionStatus> ready_status(const api::Node& node) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  return ready == nullptr ? std::nullopt : std::optional(ready->status);
}

bool judged_silent(const api::Node& node) {
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  return ready != nullptr && ready->status == ConditionStatus::Unknown &&
         ready->reason == reason_unknown;
}

bool marked_by_taint_manager(const api::Pod& pod) {
  const auto& target = pod.disruption_target;
  return target && target->status == ConditionStatus::True &&
         target->reason == api::taint_manager_reason;
}

}  // namespace nlc::controller
