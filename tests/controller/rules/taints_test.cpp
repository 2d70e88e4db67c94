#include "controller/rules/taints.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using ::testing::ElementsAre;

std::vector<std::string> shown(const std::vector<api::Taint>& taints) {
  std::vector<std::string> text;
  for (const api::Taint& taint : taints) text.push_back(taint.key + ":" + taint.effect);
  return text;
}

TEST(WantedNoSchedule, FollowsTheConditionsInTheirOrderAndUnschedulableLast) {
  api::Node node;
  node.unschedulable = true;
  node.conditions = {condition(api::condition::memory_pressure, ConditionStatus::True),
                     condition(api::condition::disk_pressure, ConditionStatus::True),
                     condition(api::condition::pid_pressure, ConditionStatus::True),
                     condition(api::condition::network_unavailable, ConditionStatus::True),
                     condition(api::condition::ready, ConditionStatus::False)};
  EXPECT_THAT(wanted_no_schedule(node),
              ElementsAre(taint::memory_pressure, taint::disk_pressure, taint::pid_pressure,
                          taint::network_unavailable, taint::not_ready, taint::unschedulable));
}

TEST(WantedNoSchedule, PressureThatIsNotTrueAsksForNothing) {
  api::Node node = ready_node("n");
  node.conditions.push_back(condition(api::condition::memory_pressure, ConditionStatus::Unknown));
  node.conditions.push_back(condition(api::condition::disk_pressure, ConditionStatus::False));
  EXPECT_TRUE(wanted_no_schedule(node).empty());
}

TEST(PlannedTaints, ForeignTaintsStayInTheirPlacesAndManagedOnesFollow) {
  api::Node node = silent_node("n");
  node.taints = {a_taint("example.com/a", "NoSchedule"), a_taint(taint::not_ready, "NoSchedule"),
                 a_taint(taint::not_ready, "PreferNoSchedule"),
                 a_taint("example.com/b", "NoExecute")};
  EXPECT_THAT(
      shown(planned_taints(node, NoExecuteStep::Keep, noon)),
      ElementsAre("example.com/a:NoSchedule", "node.kubernetes.io/not-ready:PreferNoSchedule",
                  "example.com/b:NoExecute", "node.kubernetes.io/unreachable:NoSchedule"));
}

TEST(PlannedTaints, BothEffectsComeInOneListWithTheTimeOfWritingAndNoValue) {
  const std::vector<api::Taint> planned =
      planned_taints(silent_node("n"), NoExecuteStep::Set, noon + 5s);
  EXPECT_THAT(shown(planned), ElementsAre("node.kubernetes.io/unreachable:NoSchedule",
                                          "node.kubernetes.io/unreachable:NoExecute"));
  EXPECT_EQ(planned[1].time_added, noon + 5s);
  EXPECT_EQ(planned[1].value, "");
}

TEST(PlannedTaints, SwapReplacesTheOtherOutageTaintInOneWrite) {
  api::Node node = node_with_ready("n", ConditionStatus::False);
  node.taints = {a_taint(taint::unreachable, "NoExecute")};
  EXPECT_THAT(shown(planned_taints(node, NoExecuteStep::Set, noon)),
              ElementsAre("node.kubernetes.io/not-ready:NoSchedule",
                          "node.kubernetes.io/not-ready:NoExecute"));
}

TEST(PlannedTaints, TaintThatIsThereKeepsItsTime) {
  api::Node node = silent_node("n");
  node.taints = {a_taint(taint::unreachable, "NoSchedule", noon - 1h),
                 a_taint(taint::unreachable, "NoExecute", noon - 1h)};
  EXPECT_EQ(planned_taints(node, NoExecuteStep::Set, noon), node.taints);
}

TEST(PlannedTaints, RecoveryClearsWhatIsManagedAndNothingElse) {
  api::Node node = ready_node("n");
  node.taints = {a_taint(taint::unreachable, "NoSchedule"),
                 a_taint(taint::unreachable, "NoExecute"), a_taint("example.com/b", "NoExecute")};
  EXPECT_THAT(shown(planned_taints(node, NoExecuteStep::Clear, noon)),
              ElementsAre("example.com/b:NoExecute"));
}

TEST(PlannedTaints, UnschedulableTaintSetByHandLeavesWithoutTheField) {
  api::Node node = ready_node("n");
  node.taints = {a_taint(taint::unschedulable, "NoSchedule")};
  EXPECT_TRUE(planned_taints(node, NoExecuteStep::Keep, noon).empty());
}

TEST(NoExecuteNeed, IsReadFromReadyAndFromWhatTheNodeCarries) {
  api::Node node = silent_node("n");
  EXPECT_EQ(no_execute_need(node), NoExecuteNeed::Queue);
  node.taints = {a_taint(taint::unreachable, "NoExecute")};
  EXPECT_EQ(no_execute_need(node), NoExecuteNeed::Nothing);
  node.conditions.front().status = ConditionStatus::False;
  EXPECT_EQ(no_execute_need(node), NoExecuteNeed::Swap);
  node.conditions.front().status = ConditionStatus::True;
  EXPECT_EQ(no_execute_need(node), NoExecuteNeed::Clear);
  node.conditions.clear();
  EXPECT_EQ(no_execute_need(node), NoExecuteNeed::Nothing);
}

}  // namespace
}  // namespace nlc::controller
