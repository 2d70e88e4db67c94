#include "controller/rules/conditions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;

std::vector<std::string> types(const std::vector<api::NodeCondition>& conditions) {
  std::vector<std::string> names;
  for (const auto& condition : conditions) names.push_back(condition.type);
  return names;
}

TEST(SilentConditions, ReportedConditionTurnsUnknownAndKeepsItsHeartbeatTime) {
  const std::vector<api::NodeCondition> changed = silent_conditions(ready_node("n"), noon + 1min);
  const api::NodeCondition& ready = changed.front();
  EXPECT_EQ(ready.status, ConditionStatus::Unknown);
  EXPECT_EQ(ready.reason, "NodeStatusUnknown");
  EXPECT_EQ(ready.message, "Kubelet stopped posting node status.");
  EXPECT_EQ(ready.last_heartbeat, noon);
  EXPECT_EQ(ready.last_transition, noon + 1min);
}

TEST(SilentConditions, MissingOnesAreAddedWithTheCreationTime) {
  const std::vector<api::NodeCondition> changed = silent_conditions(ready_node("n"), noon);
  EXPECT_THAT(types(changed),
              ::testing::ElementsAre("Ready", "MemoryPressure", "DiskPressure", "PIDPressure"));
  EXPECT_EQ(changed[1].reason, "NodeStatusNeverUpdated");
  EXPECT_EQ(changed[1].message, "Kubelet never posted node status.");
  EXPECT_EQ(changed[1].last_heartbeat, noon - 24h);
}

TEST(SilentConditions, ThoseThatAreThereComeFirstInTheOrderInWhichTheyStand) {
  api::Node node = ready_node("n");
  node.conditions.insert(node.conditions.begin(),
                         condition(api::condition::disk_pressure, ConditionStatus::False));
  EXPECT_THAT(types(silent_conditions(node, noon)),
              ::testing::ElementsAre("DiskPressure", "Ready", "MemoryPressure", "PIDPressure"));
}

TEST(SilentConditions, PressureThatIsUnknownAlreadyStaysAsItIs) {
  api::Node node = ready_node("n");
  node.conditions.push_back(
      condition(api::condition::memory_pressure, ConditionStatus::Unknown, "Other"));
  EXPECT_THAT(types(silent_conditions(node, noon)),
              ::testing::ElementsAre("Ready", "DiskPressure", "PIDPressure"));
}

TEST(SilentConditions, NodeWhoseReadyIsUnknownIsNotWrittenAgain) {
  EXPECT_TRUE(silent_conditions(node_with_ready("n", ConditionStatus::Unknown), noon).empty());
}

TEST(SilentConditions, NetworkUnavailableIsNotTheKubelets) {
  api::Node node = ready_node("n");
  node.conditions.push_back(condition(api::condition::network_unavailable, ConditionStatus::False));
  EXPECT_THAT(types(silent_conditions(node, noon)),
              ::testing::Not(::testing::Contains("NetworkUnavailable")));
}

TEST(JudgedSilent, OnlyTheUnknownOfANodeLifecycleControllerCounts) {
  EXPECT_TRUE(judged_silent(silent_node("n")));
  EXPECT_FALSE(judged_silent(ready_node("n")));
  EXPECT_FALSE(judged_silent(node_with_ready("n", ConditionStatus::Unknown)));
}

}  // namespace
}  // namespace nlc::controller
