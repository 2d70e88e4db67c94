#include "controller/observe/change.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/rules/taints.h"
#include "tests/controller/objects.h"

namespace nlc::controller::observe {
namespace {

using namespace controller::testing;
using api::ConditionStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

std::vector<std::string> shown(const std::vector<Change>& changes) {
  std::vector<std::string> text;
  for (const Change& change : changes) {
    std::string one(name_of(change.kind));
    one += " " + change.object;
    if (!change.value.empty()) one += " " + change.value;
    text.push_back(std::move(one));
  }
  return text;
}

api::Pod pod_that_is(std::optional<ConditionStatus> ready) {
  api::Pod pod = pod_on("n", "p");
  pod.ready.reset();
  if (ready) pod.ready = api::PodCondition{.status = *ready};
  return pod;
}

TEST(ObservedChange, DecisionSaysWhatItWouldChange) {
  MarkSilent mark;
  mark.node = {.name = "n", .uid = "u"};
  EXPECT_THAT(shown(changes_of(mark)), ElementsAre("conditions_unknown node/n"));

  SetTaints taints;
  taints.node = mark.node;
  taints.added = "a:NoSchedule,a:NoExecute";
  taints.removed = "b:NoExecute";
  EXPECT_THAT(shown(changes_of(taints)),
              ElementsAre("taint_added node/n a:NoSchedule", "taint_added node/n a:NoExecute",
                          "taint_removed node/n b:NoExecute"));

  MarkPodNotReady unready;
  unready.pod = {.namespace_ = "default", .name = "p", .uid = "u"};
  EXPECT_THAT(shown(changes_of(unready)), ElementsAre("pod_not_ready pod/default/p"));

  EvictPod evict;
  evict.pod = unready.pod;
  EXPECT_THAT(shown(changes_of(evict)), ElementsAre("pod_deleted pod/default/p"));

  EvictLostPod lost;
  lost.pod = unready.pod;
  EXPECT_THAT(shown(changes_of(lost)), ElementsAre("pod_deleted pod/default/p"));
  lost.terminating = true;
  EXPECT_THAT(changes_of(lost), IsEmpty()) << "it is being deleted already";
  EXPECT_THAT(changes_of(SetLabels{}), IsEmpty());
}

TEST(ObservedChange, NodeThatBecomesUnknownIsSeenOnce) {
  EXPECT_THAT(shown(changes_between(ready_node("n"), silent_node("n"))),
              ElementsAre("conditions_unknown node/n"));
  EXPECT_THAT(changes_between(silent_node("n"), silent_node("n")), IsEmpty());
  EXPECT_THAT(changes_between(silent_node("n"), ready_node("n")), IsEmpty());
  EXPECT_THAT(changes_between(ready_node("n"), ready_node("n")), IsEmpty());
  api::Node mute = ready_node("n");
  mute.conditions.clear();
  EXPECT_THAT(changes_between(ready_node("n"), mute), IsEmpty());
  EXPECT_THAT(changes_between(mute, silent_node("n")), SizeIs(1));
}

TEST(ObservedChange, OnlyTaintsOfAControllerOfThisKindAreSeen) {
  api::Node before = ready_node("n");
  before.taints = {a_taint(taint::not_ready, "NoExecute"), a_taint("example.com/a", "NoExecute")};
  api::Node node = ready_node("n");
  node.taints = {a_taint(taint::unreachable, "NoSchedule"), a_taint("example.com/b", "NoExecute")};
  EXPECT_THAT(shown(changes_between(before, node)),
              ElementsAre("taint_added node/n node.kubernetes.io/unreachable:NoSchedule",
                          "taint_removed node/n node.kubernetes.io/not-ready:NoExecute"));
  EXPECT_TRUE(is_no_execute(changes_between(before, node)[1]));
  EXPECT_FALSE(is_no_execute(changes_between(before, node)[0]));
}

TEST(ObservedChange, PodLosesReadyWhenItsConditionTurnsFalse) {
  const auto loses = [](std::optional<ConditionStatus> before, std::optional<ConditionStatus> now) {
    return loses_ready(pod_that_is(before), pod_that_is(now));
  };
  EXPECT_TRUE(loses(ConditionStatus::True, ConditionStatus::False));
  EXPECT_TRUE(loses(ConditionStatus::Unknown, ConditionStatus::False));
  EXPECT_FALSE(loses(ConditionStatus::False, ConditionStatus::False));
  EXPECT_FALSE(loses(std::nullopt, ConditionStatus::False));
  EXPECT_FALSE(loses(ConditionStatus::True, ConditionStatus::Unknown));
  EXPECT_FALSE(loses(ConditionStatus::True, std::nullopt));
}

}  // namespace
}  // namespace nlc::controller::observe
