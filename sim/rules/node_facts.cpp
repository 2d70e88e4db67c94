#include "sim/rules/node_facts.h"

#include <algorithm>
#include <array>

namespace nlc::sim::rules {
namespace {

constexpr std::string_view prefix = "node.kubernetes.io/";

bool has_key(const api::Taint& taint, std::string_view name) {
  return taint.key.starts_with(prefix) && std::string_view(taint.key).substr(prefix.size()) == name;
}

const std::string* either(const api::Node& node, std::string_view beta, std::string_view stable) {
  const std::string* found = node.label(beta);
  return found != nullptr ? found : node.label(stable);
}

}  // namespace

const Resource& leases() { return *find_resource("coordination.k8s.io", "v1", "leases"); }

std::string zone_of(const api::Node& node) {
  const std::string* region = either(node, api::label::region_beta, api::label::region);
  const std::string* zone = either(node, api::label::zone_beta, api::label::zone);
  return (region != nullptr ? *region : "") + "/" + (zone != nullptr ? *zone : "");
}

bool counts(const api::Node& node) { return node.label(api::label::exclude_disruption) == nullptr; }

bool is_ready(const api::Node& node) {
  const api::NodeCondition* ready = node.condition("Ready");
  return ready != nullptr && ready->status == api::ConditionStatus::True;
}

bool is_unknown(const api::Node& node) {
  const api::NodeCondition* ready = node.condition("Ready");
  return ready != nullptr && ready->status == api::ConditionStatus::Unknown;
}

bool is_ready(const api::Pod& pod) {
  return pod.ready && pod.ready->status == api::ConditionStatus::True;
}

bool never_reported(const api::Node& node) {
  const api::NodeCondition* ready = node.condition("Ready");
  return ready == nullptr || ready->reason == "NodeStatusNeverUpdated";
}

bool is_health_taint(const api::Taint& taint) {
  return has_key(taint, "not-ready") || has_key(taint, "unreachable");
}

bool is_of_controller(const api::Taint& taint) {
  if (is_health_taint(taint)) return true;
  constexpr std::array<std::string_view, 5> names{
      "memory-pressure", "disk-pressure", "pid-pressure", "network-unavailable", "unschedulable"};
  return taint.effect == "NoSchedule" &&
         std::ranges::any_of(names, [&](std::string_view name) { return has_key(taint, name); });
}

bool has_unreachable(const api::Node& node, std::string_view effect) {
  return node.taint("node.kubernetes.io/unreachable", effect) != nullptr;
}

bool has_no_execute(const api::Node& node) {
  return has_health_no_execute(node) || has_no_execute_of_others(node);
}

bool has_no_execute_of_others(const api::Node& node) {
  return std::ranges::any_of(node.taints, [](const api::Taint& taint) {
    return taint.effect == "NoExecute" && !is_health_taint(taint);
  });
}

bool has_health_no_execute(const api::Node& node) {
  return std::ranges::any_of(node.taints, [](const api::Taint& taint) {
    return taint.effect == "NoExecute" && is_health_taint(taint);
  });
}

bool tolerates(const api::Toleration& toleration, const api::Taint& taint) {
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.operator_ == "Exists") return true;
  const bool equal = toleration.operator_.empty() || toleration.operator_ == "Equal";
  return equal && toleration.value == taint.value;
}

Duration tolerated_for(const api::Pod& pod, const std::vector<api::Taint>& taints) {
  Duration shortest = Duration::max();
  for (const api::Taint& taint : taints) {
    if (taint.effect != "NoExecute") continue;
    bool tolerated = false;
    for (const api::Toleration& toleration : pod.tolerations) {
      if (!tolerates(toleration, taint)) continue;
      tolerated = true;
      if (!toleration.seconds) continue;
      const std::int64_t seconds = std::clamp<std::int64_t>(*toleration.seconds, 0, 1'000'000);
      shortest = std::min<Duration>(shortest, std::chrono::seconds(seconds));
    }
    if (!tolerated) return Duration{0};
  }
  return shortest;
}

}  // namespace nlc::sim::rules
