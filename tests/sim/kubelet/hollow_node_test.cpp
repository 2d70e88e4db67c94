#include "sim/kubelet/hollow_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace nlc::sim {
namespace {

using namespace std::chrono_literals;
using api::ConditionStatus;

const WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 12h};
const NodeIdentity identity{.name = "hollow-1", .zone = "zone-b", .region = "region-1", .index = 1};

const api::NodeCondition& find(const std::vector<api::NodeCondition>& conditions,
                               std::string_view type) {
  for (const api::NodeCondition& condition : conditions) {
    if (condition.type == type) return condition;
  }
  throw std::out_of_range(std::string(type));
}

/// Status, reason and message of one condition.
std::string told(const NodeHealth& health, std::string_view type) {
  const auto conditions = node_conditions(health, {}, noon);
  const api::NodeCondition& condition = find(conditions, type);
  return std::string(name_of(condition.status)) + " " + condition.reason + ": " + condition.message;
}

TEST(HollowNode, HealthyNodeTellsFiveConditionsInTheKubeletsWords) {
  EXPECT_EQ(told({}, "Ready"), "True KubeletReady: kubelet is posting ready status");
  EXPECT_EQ(told({}, "MemoryPressure"),
            "False KubeletHasSufficientMemory: kubelet has sufficient memory available");
  EXPECT_EQ(told({}, "DiskPressure"),
            "False KubeletHasNoDiskPressure: kubelet has no disk pressure");
  EXPECT_EQ(told({}, "PIDPressure"),
            "False KubeletHasSufficientPID: kubelet has sufficient PID available");
  EXPECT_EQ(told({}, "NetworkUnavailable"), "False RouteCreated: RouteController created a route");
  EXPECT_EQ(node_conditions({}, {}, noon).size(), 5U);
}

TEST(HollowNode, NotReadyIsToldWithTheKubeletsMessage) {
  EXPECT_EQ(told({.not_ready = NotReadyCause::RuntimeDown}, "Ready"),
            "False KubeletNotReady: container runtime is down");
}

TEST(HollowNode, PressureIsToldByItsCondition) {
  const NodeHealth squeezed{.memory_pressure = true, .disk_pressure = true, .pid_pressure = true};
  EXPECT_EQ(told(squeezed, "MemoryPressure"),
            "True KubeletHasInsufficientMemory: kubelet has insufficient memory available");
  EXPECT_EQ(told(squeezed, "DiskPressure"),
            "True KubeletHasDiskPressure: kubelet has disk pressure");
  EXPECT_EQ(told(squeezed, "PIDPressure"),
            "True KubeletHasInsufficientPID: kubelet has insufficient PID available");
  EXPECT_EQ(told(squeezed, "Ready"), "True KubeletReady: kubelet is posting ready status");
}

TEST(HollowNode, TransitionTimeMovesWithTheStatusAndHeartbeatAlways) {
  const auto before = node_conditions({}, {}, noon);
  const auto same = node_conditions({}, before, noon + 1min);
  EXPECT_EQ(find(same, "Ready").last_transition, noon);
  EXPECT_EQ(find(same, "Ready").last_heartbeat, noon + 1min);
  const auto fallen =
      node_conditions({.not_ready = NotReadyCause::RuntimeDown}, before, noon + 1min);
  EXPECT_EQ(find(fallen, "Ready").last_transition, noon + 1min);
}

TEST(HollowNode, NewHeartbeatAloneIsNoNewsButAnotherReasonIs) {
  const auto before = node_conditions({}, {}, noon);
  EXPECT_FALSE(differs(node_conditions({}, before, noon + 1min), before));
  auto judged = before;
  for (api::NodeCondition& condition : judged) {
    if (condition.type != "NetworkUnavailable") condition.status = ConditionStatus::Unknown;
  }
  EXPECT_TRUE(differs(node_conditions({}, judged, noon + 1min), judged));
  EXPECT_TRUE(differs(node_conditions({}, {}, noon), {}));
}

TEST(HollowNode, RouteConditionIsNotTheKubeletsToRefresh) {
  const auto before = node_conditions({}, {}, noon);
  const auto after = node_conditions({}, before, noon + 5min);
  EXPECT_EQ(find(after, "NetworkUnavailable").last_heartbeat, noon);
}

TEST(HollowNode, RegistrationCarriesPlaceAndKindAsLabels) {
  const auto node = nlohmann::json::parse(node_body(identity, {}, noon));
  const auto& labels = node.at("metadata").at("labels");
  EXPECT_EQ(labels.at("kubernetes.io/hostname"), "hollow-1");
  EXPECT_EQ(labels.at("kubernetes.io/os"), "linux");
  EXPECT_EQ(labels.at("kubernetes.io/arch"), "amd64");
  EXPECT_EQ(labels.at("topology.kubernetes.io/zone"), "zone-b");
  EXPECT_EQ(labels.at("topology.kubernetes.io/region"), "region-1");
  EXPECT_EQ(labels.at("type"), "hollow");
  EXPECT_EQ(node.at("status").at("conditions").size(), 5U);
}

TEST(HollowNode, TaintKeepsTheSchedulersPodsAwayUnlessItIsToldToPlaceThem) {
  NodeIdentity closed = identity;
  closed.schedulable = false;
  const auto taints = nlohmann::json::parse(node_body(closed, {}, noon)).at("spec").at("taints");
  EXPECT_EQ(taints.dump(), R"([{"effect":"NoSchedule","key":"nlc.hollow/no-machine"}])");
  EXPECT_FALSE(nlohmann::json::parse(node_body(identity, {}, noon)).at("spec").contains("taints"));
}

TEST(HollowNode, AddressesOfNodesAndPodsDoNotMeet) {
  EXPECT_EQ(node_address(0), "10.0.0.1");
  EXPECT_EQ(node_address(99'999), "10.1.134.160");
  EXPECT_EQ(pod_address(0, 0), "10.128.0.2");
  EXPECT_EQ(pod_address(32'767, 0), "10.255.255.2");
}

}  // namespace
}  // namespace nlc::sim
