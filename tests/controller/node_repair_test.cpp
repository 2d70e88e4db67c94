#include "controller/nodes/node_repair.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/observed_nodes.h"

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

/// What nodes need, in which order, and what becomes of answers.
class NodeRepairTest : public ObservedNodes {
 protected:
  Slot slot(const std::string& name) const { return *nodes.slot_of(name); }
  void store_ready(const std::vector<std::string>& names) {
    for (const std::string& name : names) store(ready_node(name));
    monitor_pass();
  }
  /// The write is taken, and its effect is seen.
  void take(const SetTaints& wish) {
    api::Node node = *nodes.find(wish.node.name);
    node.taints = wish.taints;
    store(node);
    lifecycle.written(wish.node, NodePart::Spec, now);
  }
  SetTaints only_taints() {
    const auto taints = only<SetTaints>(repair());
    EXPECT_THAT(taints, SizeIs(1));
    return taints.size() == 1 ? taints[0] : SetTaints{};
  }
  void pause(const std::string& text) {
    pauses.follow(read_operator_policy({{"pause", text}}, {}).policy, true);
  }
  std::optional<Instant> next_repair() const {
    return lifecycle.repairs().next_repair(now, NodeLifecycle::Evictions::Allowed);
  }
  static api::Node cordoned(std::string name) {
    api::Node node = without_os_label(std::move(name));
    node.unschedulable = true;
    return node;
  }
  static api::Node tainted(api::Node node, std::string_view key) {
    node.taints = {a_taint(key, "NoSchedule"), a_taint(key, "NoExecute")};
    return node;
  }
  /// Of six nodes `first` takes the token of the zone, and is seen to be tainted.
  void let_one_be_tainted_before_others(const std::string& first) {
    store_ready({first, "b", "c", "d", "e", "f"});
    store(node_with_ready(first, ConditionStatus::False));
    take(only_taints());
  }

  const Error unavailable{.fault = Fault::Unavailable, .path = "503"};
};

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
  const auto labels = only<SetLabels>(repair());
  ASSERT_THAT(labels, SizeIs(1));
  lifecycle.refused(labels[0].node, NodePart::Spec, unavailable, now);
  repair();
  EXPECT_EQ(troubled(), 1U);
  pass(1s);
  ASSERT_THAT(only<SetLabels>(repair()), SizeIs(1));
  EXPECT_EQ(troubled(), 1U);
  api::Node labelled = without_os_label("a");
  labelled.labels.emplace_back("beta.kubernetes.io/os", "linux");
  store(labelled);
  lifecycle.written(labels[0].node, NodePart::Spec, now);
  repair();
  EXPECT_EQ(troubled(), 0U);
}

TEST_F(NodeRepairTest, WhoLeadsNoMoreHasNoTroubles) {
  store(without_os_label("a"));
  const auto labels = only<SetLabels>(repair());
  ASSERT_THAT(labels, SizeIs(1));
  lifecycle.refused(labels[0].node, NodePart::Spec, unavailable, now);
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
  const auto reads = only<ReadNode>(repair());
  ASSERT_THAT(reads, SizeIs(1));
  EXPECT_EQ(reads[0].node.name, "a");
  lifecycle.node_read(reads[0].node, NodeLifecycle::Evictions::Allowed, now);
  const SetTaints again = only_taints();
  EXPECT_EQ(again.node.name, "a");
  EXPECT_EQ(again.added, both_unreachable);
}

TEST_F(NodeRepairTest, NodeThatCannotBeReadGetsItsNoScheduleTaintMeanwhileAndNoSecondToken) {
  store_ready({"a", "b", "c", "d", "e"});
  store(silent_node("a"));
  lifecycle.refused(only_taints().node, NodePart::Spec, {.fault = Fault::Timeout}, now);
  pass(1s);
  const auto reads = only<ReadNode>(repair());
  ASSERT_THAT(reads, SizeIs(1));
  EXPECT_TRUE(lifecycle.node_not_read(reads[0].node, unavailable, now));
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
  const auto labels = only<SetLabels>(repair());
  ASSERT_THAT(labels, SizeIs(1));
  lifecycle.refused(labels[0].node, NodePart::Spec, unavailable, now);
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

// --- timeouts -----------------------------------------------------------------------------------

/// Where nodes get no NoExecute taints.
class NodeTimeoutsTest : public NodeRepairTest {
 protected:
  NodeTimeoutsTest() { policy.evict_by_taints = false; }

  std::vector<NodeEviction::Kind> told() {
    std::vector<NodeEviction::Kind> kinds;
    for (const NodeEviction& eviction : lifecycle.take_node_evictions())
      kinds.push_back(eviction.kind);
    return kinds;
  }
  /// Its pods leave.
  void let_n_be_evicted() {
    let_the_timeout_of_one_of_two_run_out();
    const auto reads = only<ReadNode>(repair());
    ASSERT_THAT(reads, SizeIs(1));
    lifecycle.node_read(reads[0].node, NodeLifecycle::Evictions::Allowed, now);
    ASSERT_THAT(told(), ElementsAre(NodeEviction::Kind::Begun));
  }
  const EvictionQueue& queue() const { return lifecycle.repairs().queue(); }
};

TEST_F(NodeTimeoutsTest, PodsStayForTheWholeTimeoutAndNoLonger) {
  store_ready({"other", "n"});
  store(silent_node("n"));
  policy.monitor_period = 1h;
  for (Duration passed{}; passed < policy.pod_eviction_timeout; passed += 10s) {
    pass(10s);
    renew("other", noon + std::chrono::duration_cast<std::chrono::seconds>(passed));
  }
  monitor_pass();
  EXPECT_TRUE(queue().empty());
  EXPECT_EQ(lifecycle.repairs().timeouts().next(now), now + 1ns);
  pass(1ns);
  monitor_pass();
  EXPECT_TRUE(queue().waits(slot("n")));
  EXPECT_EQ(lifecycle.repairs().timeouts().next(now), std::nullopt);
}

TEST_F(NodeTimeoutsTest, OfTwoTimeoutsTheFirstEndIsLookedFor) {
  store_ready({"other", "a", "b"});
  store(node_with_ready("a", ConditionStatus::False));
  pass(1s);
  store(node_with_ready("b", ConditionStatus::False));
  monitor_pass();
  EXPECT_EQ(lifecycle.repairs().timeouts().next(now),
            start + policy.pod_eviction_timeout + Duration(1));
  now += 11s;
  EXPECT_EQ(lifecycle.repairs().timeouts().next(now), std::nullopt) << "nothing proves writes";
}

TEST_F(NodeTimeoutsTest, NodeWithoutAReadyConditionIsNotTimedOut) {
  api::Node node;
  node.name = "n";
  node.uid = "u";
  store_ready({"other"});
  store(node);
  EXPECT_EQ(lifecycle.repairs().timeouts().end_of(slot("n")), std::nullopt);
}

TEST_F(NodeTimeoutsTest, NodeWhosePodsLeaveIsNotReadASecondTimeAndStopsWhenItIsReady) {
  let_n_be_evicted();
  pass(20s);
  monitor_pass();
  EXPECT_THAT(only<ReadNode>(repair()), IsEmpty());
  store(ready_node("n"));
  EXPECT_THAT(told(), ElementsAre(NodeEviction::Kind::Ended));
}

TEST_F(NodeTimeoutsTest, NodeThatIsBeingReadDoesNotWaitForAnotherTurn) {
  let_the_timeout_of_one_of_two_run_out();
  ASSERT_THAT(only<ReadNode>(repair()), SizeIs(1));
  pass(20s);
  monitor_pass();
  EXPECT_FALSE(queue().waits(slot("n")));
}

TEST_F(NodeTimeoutsTest, NodeThatIsReadyAgainWhenItHasBeenReadKeepsItsPods) {
  let_the_timeout_of_one_of_two_run_out();
  const auto reads = only<ReadNode>(repair());
  ASSERT_THAT(reads, SizeIs(1));
  store(ready_node("n"));
  lifecycle.node_read(reads[0].node, NodeLifecycle::Evictions::Allowed, now);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(NodeTimeoutsTest, NodeThatIsReadyAgainLeavesTheQueue) {
  let_the_timeout_of_one_of_two_run_out();
  EXPECT_TRUE(queue().waits(slot("n")));
  store(ready_node("n"));
  EXPECT_TRUE(queue().empty());
}

TEST_F(NodeTimeoutsTest, NodeThatIsPausedWhenItHasBeenReadKeepsItsPods) {
  let_the_timeout_of_one_of_two_run_out();
  const auto reads = only<ReadNode>(repair());
  ASSERT_THAT(reads, SizeIs(1));
  pause("evictions");
  lifecycle.node_read(reads[0].node, NodeLifecycle::Evictions::Allowed, now);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(NodeTimeoutsTest, InTotalDisruptionNobodyIsEvictedNorWaits) {
  let_n_be_evicted();
  store(silent_node("other"));
  monitor_pass();
  EXPECT_THAT(told(), ElementsAre(NodeEviction::Kind::Ended));
  EXPECT_TRUE(queue().empty());
  pass(policy.pod_eviction_timeout + 1s);
  monitor_pass();
  EXPECT_TRUE(queue().empty());
}

TEST_F(NodeTimeoutsTest, WhoWaitsWhenTheLastNodeFailsWaitsNoMore) {
  let_the_timeout_of_one_of_two_run_out();
  EXPECT_TRUE(queue().waits(slot("n")));
  store(silent_node("other"));
  monitor_pass();
  EXPECT_TRUE(queue().empty());
}

TEST_F(NodeTimeoutsTest, AfterATotalDisruptionTheyBeginAnew) {
  for (const char* name : {"a", "b"}) store(node_with_ready(name, ConditionStatus::False));
  monitor_pass();
  pass(policy.pod_eviction_timeout + 1min);
  store(ready_node("b"));
  monitor_pass();
  EXPECT_EQ(lifecycle.repairs().timeouts().end_of(slot("a")),
            availability.at(now) + policy.pod_eviction_timeout);
}

TEST_F(NodeTimeoutsTest, NodeThatCannotBeReadGivesItsTokenBackAndIsReadAgain) {
  let_the_timeout_of_one_of_two_run_out();
  const auto reads = only<ReadNode>(repair());
  ASSERT_THAT(reads, SizeIs(1));
  EXPECT_TRUE(lifecycle.node_not_read(reads[0].node, unavailable, now));
  monitor_pass();
  EXPECT_THAT(only<ReadNode>(repair()), IsEmpty()) << "not without a pause";
  pass(1s);
  EXPECT_THAT(only<ReadNode>(repair()), SizeIs(1));
}

}  // namespace
}  // namespace nlc::controller
