#include "controller/nodes/node_timeouts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/nodes/repaired_nodes.h"

namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Where nodes get no NoExecute taints.
class NodeTimeoutsTest : public RepairedNodes {
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
    const auto read = only_one<ReadNode>(repair());
    lifecycle.node_read(read.node, NodeLifecycle::Evictions::Allowed, now);
    ASSERT_THAT(told(), ElementsAre(NodeEviction::Kind::Begun));
  }
  const EvictionQueue& queue() const { return lifecycle.repairs().queue(); }
};

TEST_F(NodeTimeoutsTest, PodsStayForTheWholeTimeoutAndNoLonger) {
  store_ready({"other", "n"});
  store(silent_node("n"));
  put_a_pod_on("n");
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
  const auto read = only_one<ReadNode>(repair());
  store(ready_node("n"));
  lifecycle.node_read(read.node, NodeLifecycle::Evictions::Allowed, now);
  EXPECT_THAT(told(), IsEmpty());
}

TEST_F(NodeTimeoutsTest, NodeWhosePodsHaveLeftTakesNoTurnButCountsAndAPodThatItGetsLaterHasOne) {
  let_one_of_two_say_that_it_is_unknown();
  pass(policy.pod_eviction_timeout + 1s);
  renew("other", noon);
  monitor_pass();
  EXPECT_TRUE(queue().empty());
  EXPECT_THAT(told(), ElementsAre(NodeEviction::Kind::Begun));
  EXPECT_THAT(lifecycle.take_zones_evicting(), SizeIs(1));
  EXPECT_TRUE(lifecycle.health().summary(slot("n")).zone->evictions.has_token(now));
  put_a_pod_on("n");
  pass(20s);
  EXPECT_FALSE(lifecycle.timeouts().has_turn(slot("n"), now));
  EXPECT_TRUE(queue().waits(slot("n")));
  EXPECT_EQ(lifecycle.timeouts().turn(slot("n"))->state, NodeTimeouts::Turn::State::None);
}

TEST_F(NodeTimeoutsTest, NodeThatIsReadyAgainLeavesTheQueue) {
  let_the_timeout_of_one_of_two_run_out();
  EXPECT_TRUE(queue().waits(slot("n")));
  store(ready_node("n"));
  EXPECT_TRUE(queue().empty());
}

TEST_F(NodeTimeoutsTest, NodeThatIsPausedWhenItHasBeenReadKeepsItsPods) {
  let_the_timeout_of_one_of_two_run_out();
  const auto read = only_one<ReadNode>(repair());
  pause("evictions");
  lifecycle.node_read(read.node, NodeLifecycle::Evictions::Allowed, now);
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
  const auto read = only_one<ReadNode>(repair());
  EXPECT_TRUE(lifecycle.node_not_read(read.node, unavailable, now));
  monitor_pass();
  EXPECT_THAT(only<ReadNode>(repair()), IsEmpty()) << "not without a pause";
  pass(1s);
  EXPECT_THAT(only<ReadNode>(repair()), SizeIs(1));
}

TEST_F(NodeTimeoutsTest, NodeWhosePodsAreRefusedWaitsForAnotherTurn) {
  let_n_be_evicted();
  lifecycle.timeouts().refused(slot("n"));
  EXPECT_FALSE(lifecycle.timeouts().has_turn(slot("n"), now));
  EXPECT_TRUE(queue().waits(slot("n")));
  EXPECT_FALSE(lifecycle.health().summary(slot("n")).zone->evictions.has_token(now));
  pass(10s);
  const auto read = only_one<ReadNode>(repair());
  lifecycle.node_read(read.node, NodeLifecycle::Evictions::Allowed, now);
  EXPECT_TRUE(lifecycle.timeouts().has_turn(slot("n"), now));
  EXPECT_THAT(told(), IsEmpty()) << "it is still the same eviction";
}

TEST_F(NodeTimeoutsTest, PodThatLeavesAfterAnotherWasRefusedUsesTheTurnAllTheSame) {
  let_n_be_evicted();
  lifecycle.timeouts().refused(slot("n"));
  lifecycle.timeouts().left(slot("n"));
  EXPECT_TRUE(lifecycle.timeouts().has_turn(slot("n"), now));
  EXPECT_TRUE(queue().empty());
}

TEST_F(NodeTimeoutsTest, AfterARestoreWhoHadATurnWaitsForAnother) {
  let_n_be_evicted();
  lifecycle.timeouts().left(slot("n"));
  lifecycle.timeouts().doubt_accepted();
  EXPECT_FALSE(lifecycle.timeouts().has_turn(slot("n"), now));
  EXPECT_TRUE(queue().waits(slot("n")));
}

TEST_F(NodeTimeoutsTest, OfANodeThatIsNotEvictedNoPodMayLeave) {
  let_n_be_evicted();
  store(ready_node("n"));
  EXPECT_FALSE(lifecycle.timeouts().has_turn(slot("n"), now));
  EXPECT_TRUE(queue().empty());
}

TEST_F(NodeTimeoutsTest, OfWhichNodeAPodHasLeftTheOthersFollowWhenTheyCan) {
  let_n_be_evicted();
  lifecycle.timeouts().left(slot("n"));
  lifecycle.timeouts().refused(slot("n"));
  EXPECT_TRUE(lifecycle.timeouts().has_turn(slot("n"), now));
  EXPECT_TRUE(queue().empty());
  EXPECT_THAT(only<ReadNode>(repair()), IsEmpty());
}

TEST_F(NodeTimeoutsTest, TurnInWhichNothingIsAskedIsOverWhenItsZoneGivesTheNext) {
  let_n_be_evicted();
  pass(10s);
  EXPECT_TRUE(lifecycle.timeouts().has_turn(slot("n"), now));
  lifecycle.timeouts().asked(slot("n"), now);
  pass(10s);
  EXPECT_TRUE(lifecycle.timeouts().has_turn(slot("n"), now));
  pass(1ns);
  EXPECT_FALSE(lifecycle.timeouts().has_turn(slot("n"), now));
  EXPECT_TRUE(queue().waits(slot("n")));
}

TEST_F(NodeTimeoutsTest, WhoWaitsForAnotherTurnWaitsBehindOthers) {
  let_n_be_evicted();
  store_ready({"late", "x", "y"});
  store(node_with_ready("late", ConditionStatus::False));
  put_a_pod_on("late");
  pass(policy.pod_eviction_timeout + 1s);
  for (const char* name : {"other", "x", "y"}) renew(name, noon + 10min);
  monitor_pass();
  ASSERT_TRUE(queue().waits(slot("late")));
  lifecycle.timeouts().refused(slot("n"));
  ASSERT_FALSE(lifecycle.timeouts().has_turn(slot("n"), now));
  EXPECT_LT(*queue().waiting(slot("late")), *queue().waiting(slot("n")));
}

TEST_F(NodeTimeoutsTest, WhileItsPodsArePausedANodeWaitsForNoTurn) {
  let_n_be_evicted();
  lifecycle.timeouts().refused(slot("n"));
  pause("evictions");
  EXPECT_FALSE(lifecycle.timeouts().has_turn(slot("n"), now));
  EXPECT_TRUE(queue().empty());
}

}  // namespace
}  // namespace nlc::controller
