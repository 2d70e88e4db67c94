#include "sim/kubelet/hollow_node.h"

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <string_view>

#include "api/patches.h"

namespace nlc::sim {
namespace {

using Object = nlohmann::ordered_json;
using api::ConditionStatus;

struct Words {
  std::string_view reason;
  std::string_view message;
};

Words ready_words(NotReadyCause cause) {
  switch (cause) {
    case NotReadyCause::None:
      return {"KubeletReady", "kubelet is posting ready status"};
    case NotReadyCause::Starting:
      return {"KubeletNotReady", "container runtime status check may not have completed yet"};
    case NotReadyCause::RuntimeDown:
      return {"KubeletNotReady", "container runtime is down"};
  }
  std::abort();  // unreachable: the switch is exhaustive and -Wswitch is an error
}

/// A condition whose True is the bad news.
struct Trouble {
  std::string_view type;
  bool present;
  Words bad;
  Words good;
};

api::NodeCondition condition(std::string_view type, bool holds, Words words) {
  return {.type = std::string(type),
          .status = holds ? ConditionStatus::True : ConditionStatus::False,
          .reason = std::string(words.reason),
          .message = std::string(words.message)};
}

api::NodeCondition condition(const Trouble& trouble) {
  return condition(trouble.type, trouble.present, trouble.present ? trouble.bad : trouble.good);
}

const api::NodeCondition* find(const std::vector<api::NodeCondition>& conditions,
                               std::string_view type) {
  const auto found = std::ranges::find(conditions, type, &api::NodeCondition::type);
  return found == conditions.end() ? nullptr : &*found;
}

bool same_news(const api::NodeCondition& left, const api::NodeCondition& right) {
  return left.status == right.status && left.reason == right.reason &&
         left.message == right.message;
}

std::vector<api::NodeCondition> untimed_conditions(const NodeHealth& health) {
  return {condition(
              Trouble{api::condition::memory_pressure,
                      health.memory_pressure,
                      {"KubeletHasInsufficientMemory", "kubelet has insufficient memory available"},
                      {"KubeletHasSufficientMemory", "kubelet has sufficient memory available"}}),
          condition(Trouble{api::condition::disk_pressure,
                            health.disk_pressure,
                            {"KubeletHasDiskPressure", "kubelet has disk pressure"},
                            {"KubeletHasNoDiskPressure", "kubelet has no disk pressure"}}),
          condition(Trouble{api::condition::pid_pressure,
                            health.pid_pressure,
                            {"KubeletHasInsufficientPID", "kubelet has insufficient PID available"},
                            {"KubeletHasSufficientPID", "kubelet has sufficient PID available"}}),
          condition(api::condition::ready, health.not_ready == NotReadyCause::None,
                    ready_words(health.not_ready)),
          // In a real cluster the route controller says so.
          condition(api::condition::network_unavailable, false,
                    {"RouteCreated", "RouteController created a route"})};
}

Object node_info() {
  return {{"machineID", ""},
          {"systemUUID", ""},
          {"bootID", ""},
          {"kernelVersion", "6.1.0-hollow"},
          {"osImage", "Hollow Linux"},
          {"containerRuntimeVersion", "hollow://0.1.0"},
          {"kubeletVersion", "v1.37.1"},
          {"kubeProxyVersion", ""},
          {"operatingSystem", "linux"},
          {"architecture", "amd64"}};
}

/// The conditions as a JSON list, by way of the patch that already knows how to write them.
Object conditions_json(const std::vector<api::NodeCondition>& conditions) {
  return Object::parse(api::node_conditions_patch({}, conditions)).at("status").at("conditions");
}

std::string address(std::uint32_t value) {
  return "10." + std::to_string((value >> 16U) & 255U) + "." +
         std::to_string((value >> 8U) & 255U) + "." + std::to_string(value & 255U);
}

}  // namespace

std::vector<api::NodeCondition> node_conditions(const NodeHealth& health,
                                                const std::vector<api::NodeCondition>& seen,
                                                WallTime now) {
  std::vector<api::NodeCondition> result = untimed_conditions(health);
  for (api::NodeCondition& wanted : result) {
    const api::NodeCondition* before = find(seen, wanted.type);
    const bool same_status = before != nullptr && before->status == wanted.status;
    wanted.last_heartbeat = now;
    wanted.last_transition = same_status ? before->last_transition : now;
    // Not the kubelet's own: whoever made the route wrote it once and has no heartbeat.
    if (wanted.type == api::condition::network_unavailable && same_status) wanted = *before;
  }
  return result;
}

bool differs(const std::vector<api::NodeCondition>& wanted,
             const std::vector<api::NodeCondition>& seen) {
  return !std::ranges::all_of(wanted, [&](const api::NodeCondition& condition) {
    const api::NodeCondition* before = find(seen, condition.type);
    return before != nullptr && same_news(condition, *before);
  });
}

api::Labels node_labels(const NodeIdentity& identity) {
  return {{"beta.kubernetes.io/arch", "amd64"},
          {"beta.kubernetes.io/os", "linux"},
          {"kubernetes.io/arch", "amd64"},
          {"kubernetes.io/hostname", identity.name},
          {"kubernetes.io/os", "linux"},
          {std::string(api::label::region), identity.region},
          {std::string(api::label::zone), identity.zone},
          {"type", "hollow"}};
}

std::string node_body(const NodeIdentity& identity, const NodeHealth& health, WallTime now) {
  Object labels = Object::object();
  for (const auto& [key, value] : node_labels(identity)) labels[key] = value;
  const Object room{
      {"cpu", "4"}, {"ephemeral-storage", "64Gi"}, {"memory", "16Gi"}, {"pods", "250"}};
  const Object addresses =
      Object::array({Object{{"type", "InternalIP"}, {"address", node_address(identity.index)}},
                     Object{{"type", "Hostname"}, {"address", identity.name}}});
  Object status{{"capacity", room},
                {"allocatable", room},
                {"conditions", conditions_json(node_conditions(health, {}, now))},
                {"addresses", addresses},
                {"daemonEndpoints", {{"kubeletEndpoint", {{"Port", 10250}}}}},
                {"nodeInfo", node_info()}};
  Object spec{{"providerID", "hollow://" + identity.zone + "/" + identity.name}};
  if (!identity.schedulable) {
    spec["taints"] = Object::array(
        {Object{{"key", hollow_taint}, {"effect", std::string(api::effect::no_schedule)}}});
  }
  return Object{{"kind", "Node"},
                {"apiVersion", "v1"},
                {"metadata",
                 {{"name", identity.name},
                  {"labels", std::move(labels)},
                  {"annotations", {{run_annotation, identity.run}}}}},
                {"spec", std::move(spec)},
                {"status", std::move(status)}}
      .dump();
}

std::string node_status_patch(const std::string& uid,
                              const std::vector<api::NodeCondition>& conditions) {
  return api::node_conditions_patch({.uid = uid}, conditions);
}

// Nodes in 10.0.0.0/9, pods in 10.128.0.0/9 with a /24 for each node: enough for 32,768 nodes,
// after which addresses repeat (nobody routes them).
std::string node_address(std::uint32_t index) { return address((index + 1) & 0x7fffffU); }

std::string pod_address(std::uint32_t index, std::uint32_t serial) {
  return address(0x800000U | ((index & 0x7fffU) << 8U) | (2 + serial % 253));
}

}  // namespace nlc::sim
