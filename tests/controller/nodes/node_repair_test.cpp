#include "controller/nodes/node_repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/nodes/repaired_nodes.h"

namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

constexpr std::string_view both_unreachable =
    "node.kubernetes.io/unreachable:NoSchedule,node.kubernetes.io/unreachable:NoExecute";

class NodeRepairTest : public RepairedNodes {};

// --- who lives gets no taint that says otherwise ------------------------------------------------

TEST_F(NodeRepairTest, UnknownNodeThatIsFoundIsSparedIfItsLeaseIsYoungerThanThat) {
  renew("older", noon - 1s);
  renew("equal", noon);
  renew("younger", noon + 1s);
  store(ready_node("other"));
  for (const char* name : {"older", "equal", "younger", "without"}) store(silent_node(name));
  EXPECT_THAT(names(only<SetTaints>(repair())), UnorderedElementsAre("older", "equal", "without"));
  pass(40s);
  EXPECT_THAT(only<SetTaints>(repair()), IsEmpty());
  pass(1ns);
  EXPECT_THAT(names(only<SetTaints>(repair())), ElementsAre("younger"));
}

TEST_F(NodeRepairTest, WhileNothingProvesWritesWhoWasHeardStaysSpared) {
  store_ready({"a", "b", "c"});
  renew("a", noon - 10s);
  pass(1s);
  renew("a", noon);
  store(silent_node("a"));
  EXPECT_THAT(repair(), IsEmpty());
  now += 10min;
  EXPECT_THAT(repair(), IsEmpty());
}

TEST_F(NodeRepairTest, WhoWasHeardKeepsTheTaintsThatItHasAndGetsOthers) {
  store_ready({"a", "b", "c"});
  renew("a", noon - 10s);
  pass(1s);
  renew("a", noon);
  api::Node node = silent_node("a");
  node.unschedulable = true;
  node.taints = {a_taint(taint::unreachable, "NoSchedule")};
  store(node);
  const SetTaints wish = only_taints();
  EXPECT_EQ(wish.added, "node.kubernetes.io/unschedulable:NoSchedule");
  EXPECT_EQ(wish.removed, "");
}

// --- pauses -------------------------------------------------------------------------------------

TEST_F(NodeRepairTest, WhereEvictionsArePausedOnlyTheNoScheduleTaintIsSet) {
  pause("evictions");
  store_ready({"a", "b", "c"});
  store(silent_node("a"));
  EXPECT_EQ(only_taints().added, "node.kubernetes.io/unreachable:NoSchedule");
  EXPECT_FALSE(lifecycle.repairs().queue().waits(slot("a")));
}

TEST_F(NodeRepairTest, NoExecuteTaintFollowsTheConditionUnlessEvictionsArePaused) {
  const auto swapped = [this] {
    store(tainted(silent_node("a"), taint::not_ready));
    const SetTaints wish = only_taints();
    lifecycle.not_sent(wish.node, NodePart::Spec, now);
    return wish.added;
  };
  store_ready({"a", "b", "c"});
  EXPECT_EQ(swapped(), both_unreachable);
  pause("evictions");
  EXPECT_EQ(swapped(), "node.kubernetes.io/unreachable:NoSchedule");
}

TEST_F(NodeRepairTest, WhereAllIsPausedNothingIsWrittenButLabels) {
  pause("all");
  store_ready({"a", "b", "c"});
  api::Node silent = silent_node("a");
  silent.labels = {{"kubernetes.io/os", "linux"}};
  store(silent);
  const auto decisions = repair();
  EXPECT_THAT(decisions, SizeIs(1));
  EXPECT_THAT(only<SetLabels>(decisions), SizeIs(1));
  store(tainted(silent_node("b"), taint::not_ready));
  EXPECT_THAT(repair(), IsEmpty());
}

TEST_F(NodeRepairTest, WhereAllIsPausedWhoIsReadyAgainLosesOurTaintsAndGetsNoOthers) {
  pause("all");
  store_ready({"a", "b", "c"});
  api::Node back = tainted(ready_node("a"), taint::unreachable);
  back.unschedulable = true;
  store(back);
  const SetTaints wish = only_taints();
  EXPECT_EQ(wish.added, "");
  EXPECT_EQ(wish.removed, both_unreachable);
}

// --- one write after the other ------------------------------------------------------------------

TEST_F(NodeRepairTest, TaintsGoBeforeLabels) {
  store_ready({"a", "b"});
  store(cordoned("a"));
  const auto decisions = repair();
  EXPECT_THAT(decisions, SizeIs(1));
  EXPECT_THAT(only<SetTaints>(decisions), SizeIs(1));
}

TEST_F(NodeRepairTest, LabelsDoNotWaitForTaintsThatAreRefused) {
  store_ready({"a", "b"});
  store(cordoned("a"));
  lifecycle.refused(only_taints().node, NodePart::Spec, {.fault = Fault::Invalid}, now);
  EXPECT_THAT(only<SetLabels>(repair()), SizeIs(1));
}

TEST_F(NodeRepairTest, ConditionsGoBeforeLabelsAndWaitForNone) {
  store(without_os_label("a"));
  pass(41s);
  for (const Decision& read : monitor_pass()) {
    lifecycle.leases_read(std::get<ReadLeases>(read), {}, at());
  }
  const auto decisions = repair();
  EXPECT_THAT(decisions, SizeIs(1));
  EXPECT_THAT(only<MarkSilent>(decisions), SizeIs(1));
}

TEST_F(NodeRepairTest, ConditionsAreWrittenWhileLabelsAreOnTheirWay) {
  store(without_os_label("a"));
  ASSERT_THAT(only<SetLabels>(repair()), SizeIs(1));
  pass(41s);
  EXPECT_THAT(confirmed_and_marked(), SizeIs(1));
}

TEST_F(NodeRepairTest, NodeThatWaitsForItsTaintAndFallsSilentIsMarkedFirst) {
  let_one_be_tainted_before_others("a");
  store(node_with_ready("b", ConditionStatus::False));
  take(only_taints());
  EXPECT_TRUE(lifecycle.repairs().queue().waits(slot("b")));
  pass(30s);
  for (const char* name : {"c", "d", "e", "f"}) renew(name, noon);
  pass(11s);
  for (const Decision& read : monitor_pass()) {
    lifecycle.leases_read(std::get<ReadLeases>(read), {}, at());
  }
  const auto decisions = repair();
  EXPECT_THAT(only<MarkSilent>(decisions), SizeIs(2));
  EXPECT_THAT(decisions, SizeIs(2));
  lifecycle.look_again(slot("b"));
  EXPECT_THAT(repair(), IsEmpty()) << "its taint waits for the answer";
}

// --- answers ------------------------------------------------------------------------------------

TEST_F(NodeRepairTest, AnswerAboutANodeThatWasReplacedIsNobodys) {
  store_ready({"a", "b", "c"});
  store(silent_node("a"));
  const NodeRef before = only_taints().node;
  api::Node successor = silent_node("a");
  successor.uid = "another";
  store(successor);
  const NodeRef after = only_taints().node;
  EXPECT_EQ(after.uid, "another");
  lifecycle.written(before, NodePart::Spec, now);
  EXPECT_FALSE(lifecycle.refused(before, NodePart::Spec, unavailable, now));
  lifecycle.not_sent(before, NodePart::Spec, now);
  lifecycle.look_again(slot("a"));
  EXPECT_THAT(repair(), IsEmpty()) << "the other's is on its way";
}

TEST_F(NodeRepairTest, AnswerThatNobodyWaitsForChangesNothing) {
  store_ready({"a"});
  const NodeRef node = ref_of(ready_node("a"));
  for (const NodePart part : {NodePart::Status, NodePart::Spec}) {
    lifecycle.written(node, part, now);
    EXPECT_FALSE(lifecycle.refused(node, part, unavailable, now));
    lifecycle.not_sent(node, part, now);
  }
  EXPECT_FALSE(lifecycle.refused({.name = "nobody", .uid = "u"}, NodePart::Spec, unavailable, now));
  lifecycle.written({.name = "nobody", .uid = "u"}, NodePart::Spec, now);
  EXPECT_THAT(repair(), IsEmpty());
}

TEST_F(NodeRepairTest, ReadOfANodeForItsPodsIsNoAnswerToItsTaints) {
  store_ready({"a", "b", "c"});
  store(silent_node("a"));
  const NodeRef node = only_taints().node;
  EXPECT_FALSE(lifecycle.node_not_read(node, unavailable, now));
  lifecycle.node_read(node, NodeLifecycle::Evictions::Allowed, now);
  lifecycle.look_again(slot("a"));
  EXPECT_THAT(repair(), IsEmpty());
}

TEST_F(NodeRepairTest, LabelThatIsRefusedIsATroubleUntilItIsTaken) {
  store(without_os_label("a"));
  const auto troubled = [this] { return lifecycle.repairs().writes().troubled(); };
  const auto wish = only_one<SetLabels>(repair());
  lifecycle.refused(wish.node, NodePart::Spec, unavailable, now);
  repair();
  EXPECT_EQ(troubled(), 1U);
  pass(1s);
  ASSERT_THAT(only<SetLabels>(repair()), SizeIs(1));
  EXPECT_EQ(troubled(), 1U);
  api::Node labelled = without_os_label("a");
  labelled.labels.emplace_back("beta.kubernetes.io/os", "linux");
  store(labelled);
  lifecycle.written(wish.node, NodePart::Spec, now);
  repair();
  EXPECT_EQ(troubled(), 0U);
}

TEST_F(NodeRepairTest, WhoLeadsNoMoreHasNoTroubles) {
  store(without_os_label("a"));
  const auto wish = only_one<SetLabels>(repair());
  lifecycle.refused(wish.node, NodePart::Spec, unavailable, now);
  lifecycle.end_leading();
  EXPECT_EQ(lifecycle.repairs().writes().troubled(), 0U);
}

// --- turns --------------------------------------------------------------------------------------

TEST_F(NodeRepairTest, BothTaintsComeWhenOthersHaveHadTheTimeToFailAsWell) {
  policy.gathering = 50ms;
  store_ready({"a", "b", "c"});
  store(node_with_ready("a", ConditionStatus::False));
  EXPECT_THAT(repair(), IsEmpty());
  EXPECT_EQ(next_repair(), now + 50ms);
  pass(50ms);
  EXPECT_THAT(only_taints().added, HasSubstr("NoExecute"));
}

TEST_F(NodeRepairTest, TaintThatMayHaveBeenWrittenKeepsItsTokenUntilItsNodeIsRead) {
  store_ready({"a", "b", "c", "d", "e"});
  store(silent_node("a"));
  lifecycle.refused(only_taints().node, NodePart::Spec, {.fault = Fault::Timeout}, now);
  store(silent_node("b"));
  const SetTaints other = only_taints();
  EXPECT_EQ(other.node.name, "b");
  EXPECT_THAT(other.added, Not(HasSubstr("NoExecute"))) << "the token is still with a";
  take(other);
  pass(1s - 1ns);
  EXPECT_THAT(repair(), IsEmpty()) << "its watch may show it";
  pass(1ns);
  const auto read = only_one<ReadNode>(repair());
  EXPECT_EQ(read.node.name, "a");
  lifecycle.node_read(read.node, NodeLifecycle::Evictions::Allowed, now);
  const SetTaints again = only_taints();
  EXPECT_EQ(again.node.name, "a");
  EXPECT_EQ(again.added, both_unreachable);
}

TEST_F(NodeRepairTest, ListThatWasBegunBeforeSuchATaintGivesNoTokenBack) {
  store_ready({"a", "b", "c", "d", "e"});
  store(silent_node("a"));
  lifecycle.refused(only_taints().node, NodePart::Spec, {.fault = Fault::Timeout}, now);
  nodes.apply(*nodes.find("a"));
  store(silent_node("b"));
  EXPECT_THAT(only_taints().added, Not(HasSubstr("NoExecute")));
  pass(1s);
  EXPECT_THAT(only<ReadNode>(repair()), SizeIs(1));
}

TEST_F(NodeRepairTest, NodeThatCannotBeReadGetsItsNoScheduleTaintMeanwhileAndNoSecondToken) {
  store_ready({"a", "b", "c", "d", "e"});
  store(silent_node("a"));
  lifecycle.refused(only_taints().node, NodePart::Spec, {.fault = Fault::Timeout}, now);
  pass(1s);
  const auto read = only_one<ReadNode>(repair());
  EXPECT_TRUE(lifecycle.node_not_read(read.node, unavailable, now));
  const SetTaints other = only_taints();
  EXPECT_THAT(other.added, Not(HasSubstr("NoExecute")));
  lifecycle.refused(other.node, NodePart::Spec, {.fault = Fault::Timeout}, now);
  pass(30s);
  EXPECT_THAT(only<ReadNode>(repair()), SizeIs(1)) << "before anything else";
}

TEST_F(NodeRepairTest, NodeThatComesBackLosesItsTaintsThoughItsReadHangs) {
  store_ready({"a", "b", "c", "d", "e"});
  store(silent_node("a"));
  lifecycle.refused(only_taints().node, NodePart::Spec, {.fault = Fault::Timeout}, now);
  pass(1s);
  ASSERT_THAT(only<ReadNode>(repair()), SizeIs(1));
  store(tainted(ready_node("a"), taint::unreachable));
  EXPECT_THAT(only_taints().removed, HasSubstr("unreachable:NoExecute"));
}

TEST_F(NodeRepairTest, NextRepairComesWithTheFirstTokenOrRetry) {
  let_one_be_tainted_before_others("a");
  EXPECT_EQ(next_repair(), std::nullopt);
  store(silent_node("b"));
  take(only_taints());
  EXPECT_THAT(repair(), IsEmpty());
  EXPECT_EQ(next_repair(), now + 10s) << "a token";
  store(without_os_label("c"));
  const auto wish = only_one<SetLabels>(repair());
  lifecycle.refused(wish.node, NodePart::Spec, unavailable, now);
  repair();
  EXPECT_LT(next_repair(), now + 1s) << "a retry";
  EXPECT_EQ(lifecycle.repairs().next_repair(now, NodeLifecycle::Evictions::Held), next_repair());
}

TEST_F(NodeRepairTest, WhoLeadsAgainFindsThoseThatWaitedForATaint) {
  let_one_be_tainted_before_others("a");
  store(silent_node("b"));
  take(only_taints());
  repair();
  lifecycle.end_leading();
  lifecycle.monitor_pass(at(), Acting::No);
  pass(10s);
  lifecycle.begin_leading();
  EXPECT_THAT(only_taints().added, HasSubstr("NoExecute"));
}

TEST_F(NodeRepairTest, NodeThatIsRelabelledWaitsInItsNewZone) {
  let_one_be_tainted_before_others("a");
  store(silent_node("b"));
  take(only_taints());
  repair();
  EXPECT_THAT(lifecycle.zones().all().at("").queue, SizeIs(1));
  api::Node moved = *nodes.find("b");
  moved.labels = {{std::string(api::label::zone), "z"}};
  store(moved);
  EXPECT_THAT(lifecycle.zones().all().at("").queue, IsEmpty());
}

TEST_F(NodeRepairTest, NoExecuteTaintThatSomebodyDropsGivesItsTokenBack) {
  store_ready({"a", "b", "c", "d", "e"});
  store(silent_node("a"));
  const SetTaints dropped = only_taints();
  lifecycle.written(dropped.node, NodePart::Spec, now);  // as it was answered: without it
  store(silent_node("b"));
  const auto next = only<SetTaints>(repair());
  ASSERT_THAT(names(next), ElementsAre("b"));
  EXPECT_THAT(next[0].added, HasSubstr("NoExecute"));
}

TEST_F(NodeRepairTest, NodeWhoseConditionsFoundNoRoomAtItsTurnForATaintIsNotForgotten) {
  store_ready({"a", "b"});
  api::Node node = ready_node("n");
  node.conditions[0].status = ConditionStatus::False;
  store(node);
  pass(41s);
  for (const char* name : {"a", "b"}) renew(name, noon);
  for (const ReadLeases& read : only<ReadLeases>(monitor_pass())) {
    lifecycle.leases_read(read, {}, at());
  }
  monitor_pass();
  client::Room none = client::Room::of(0);
  ASSERT_THAT(lifecycle.repair(at(), none), IsEmpty());
  EXPECT_THAT(only<MarkSilent>(repair()), SizeIs(1));
}

}  // namespace
}  // namespace nlc::controller
