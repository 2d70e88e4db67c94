#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/objects.h"
#include "runtime/time.h"

/// Objects for tests, reduced to what a rule looks at.
namespace nlc::controller::testing {

using namespace std::chrono_literals;

inline const WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 12h};
inline const Instant start{std::chrono::hours(1000)};

inline api::NodeCondition condition(std::string_view type, api::ConditionStatus status,
                                    std::string reason = "KubeletReady") {
  return {.type = std::string(type),
          .status = status,
          .reason = std::move(reason),
          .message = "as the kubelet said",
          .last_heartbeat = noon,
          .last_transition = noon};
}

inline api::Node node_with_ready(std::string name, api::ConditionStatus ready) {
  api::Node node;
  node.uid = "uid-" + name;
  node.name = std::move(name);
  node.resource_version = "1";
  node.created = noon - 24h;
  node.conditions.push_back(condition(api::condition::ready, ready));
  return node;
}

inline api::Node ready_node(std::string name) {
  return node_with_ready(std::move(name), api::ConditionStatus::True);
}

/// As this controller leaves a node that fell silent.
inline api::Node silent_node(std::string name) {
  api::Node node = node_with_ready(std::move(name), api::ConditionStatus::Unknown);
  node.conditions.front().reason = "NodeStatusUnknown";
  return node;
}

inline api::Taint a_taint(std::string_view key, std::string_view effect,
                          std::optional<WallTime> added = noon) {
  return {.key = std::string(key), .value = {}, .effect = std::string(effect), .time_added = added};
}

inline api::Toleration tolerates_for(std::string_view key, std::optional<std::int64_t> seconds) {
  return {
      .key = std::string(key), .operator_ = "Exists", .effect = "NoExecute", .seconds = seconds};
}

inline api::Pod pod_on(std::string node, std::string name,
                       std::vector<api::Toleration> tolerations = {}) {
  api::Pod pod;
  pod.namespace_ = "default";
  pod.uid = "uid-" + name;
  pod.name = std::move(name);
  pod.resource_version = "1";
  pod.node_name = std::move(node);
  pod.tolerations = std::move(tolerations);
  pod.ready = api::PodCondition{.status = api::ConditionStatus::True};
  return pod;
}

}  // namespace nlc::controller::testing
