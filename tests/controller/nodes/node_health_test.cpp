#include "controller/nodes/node_health.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/observed_nodes.h"

namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// What is known of nodes, and when they are looked at.
class NodeHealthTest : public ObservedNodes {
 protected:
  static api::Node labelled(api::Node node, std::string_view key, std::string value) {
    node.labels.emplace_back(std::string(key), std::move(value));
    return node;
  }
  const NodeSummary& summary(const std::string& name) const {
    return lifecycle.health().summary(slot(name));
  }
  /// The grace of every node is over, and their leases are asked for.
  ReadLeases suspected() {
    pass(41s);
    const auto reads = only<ReadLeases>(monitor_pass());
    return reads.size() == 1 ? reads[0] : ReadLeases{};
  }
  /// They are answered with these.
  void let_suspects_be_read(const std::vector<api::NodeLease>& found = {}) {
    const ReadLeases asked = suspected();
    lifecycle.leases_read(asked, found, at());
  }
};

// --- what is a sign of life ---------------------------------------------------------------------

TEST_F(NodeHealthTest, NodeWhoseStatusMovesLives) {
  store(ready_node("n"));
  pass(39s);
  api::Node posted = ready_node("n");
  posted.conditions.front().last_heartbeat = noon + 30s;
  store(posted);
  expect_a_suspect_just_after(40s);
}

TEST_F(NodeHealthTest, NodeWithoutATimeOfCreationThatNeverReportedHasItsStartupGrace) {
  api::Node node;
  node.name = "n";
  node.uid = "u";
  store(node);
  expect_a_suspect_just_after(60s);
}

TEST_F(NodeHealthTest, LeaseThatIsShownCountsIfItIsTheOneThatIsKnown) {
  store(ready_node("n"));
  renew("n", noon);
  pass(30s);
  lifecycle.leases_shown({{.name = "nobody", .resource_version = "7", .renewed = noon}}, now);
  lifecycle.leases_shown({{.name = "n", .resource_version = "8", .renewed = noon + 10s}}, now);
  pass(5s);
  lifecycle.leases_shown(
      {{.name = "n", .uid = "another", .resource_version = "9", .renewed = noon + 20s}}, now);
  expect_a_suspect_just_after(35s);
}

TEST_F(NodeHealthTest, OldNewsOfASilentNodesLeaseAreNoLife) {
  const api::NodeLease old{.name = "n", .resource_version = "2", .renewed = noon};
  store(ready_node("n"));
  renew("n", noon);
  renew("n", noon + 10s);
  const api::NodeLease seen{.name = "n", .resource_version = "3", .renewed = noon + 10s};
  let_suspects_be_read({seen});
  lifecycle.lease_stored(old, &old, at());
  EXPECT_TRUE(summary("n").silent) << "a late stream";
  lifecycle.lease_stored(old, &seen, at());
  EXPECT_TRUE(summary("n").silent) << "the server went back";
  lifecycle.leases_shown({old}, now);
  EXPECT_TRUE(summary("n").silent) << "however often it is shown";
  EXPECT_THAT(marked(), SizeIs(1));
}

TEST_F(NodeHealthTest, WhoMovesWhenItsLeaseHasBeenReadIsNotMarked) {
  store(ready_node("n"));
  let_suspects_be_read();
  EXPECT_TRUE(summary("n").silent);
  renew("n", noon);
  EXPECT_FALSE(summary("n").silent);
  EXPECT_FALSE(lifecycle.health().reads().is_confirmed(slot("n"), now));
  EXPECT_THAT(only<MarkSilent>(repair()), IsEmpty());
}

TEST_F(NodeHealthTest, SilentNodeThatSaysItIsNotReadyIsMarkedWhenItsLeaseHasBeenRead) {
  api::Node node = node_with_ready("n", ConditionStatus::False);
  node.taints = {a_taint(taint::not_ready, "NoSchedule")};
  store(node);
  repair();
  let_suspects_be_read();
  EXPECT_THAT(only<MarkSilent>(repair()), SizeIs(1)) << "without another monitor pass";
}

// --- zones --------------------------------------------------------------------------------------

TEST_F(NodeHealthTest, NodeThatIsRelabelledCountsInItsNewZone) {
  store(labelled(ready_node("n"), api::label::zone, "a"));
  store(labelled(ready_node("m"), api::label::zone, "b"));
  monitor_pass();
  EXPECT_THAT(lifecycle.zones().all(), SizeIs(2));
  store(labelled(ready_node("n"), api::label::zone, "b"));
  monitor_pass();
  ASSERT_THAT(lifecycle.zones().all(), SizeIs(1));
  EXPECT_EQ(lifecycle.zones().all().begin()->second.count.ready, 2);
}

TEST_F(NodeHealthTest, NodeThatIsExcludedFromNowOnIsNotCounted) {
  store(ready_node("n"));
  monitor_pass();
  EXPECT_EQ(lifecycle.zones().all().at("").count.ready, 1);
  store(labelled(ready_node("n"), api::label::exclude_disruption, ""));
  monitor_pass();
  EXPECT_EQ(lifecycle.zones().all().at("").count.ready, 0);
  EXPECT_EQ(lifecycle.zones().all().at("").members, 1);
}

TEST_F(NodeHealthTest, StandbyFollowsTheStatesOfZones) {
  store(silent_node("n"));
  lifecycle.monitor_pass(at(), Acting::No);
  EXPECT_EQ(lifecycle.zones().all().at("").state, ZoneState::FullDisruption);
}

TEST_F(NodeHealthTest, AfterATotalDisruptionEverybodyIsJudgedAnew) {
  store(ready_node("a"));
  store(ready_node("b"));
  let_suspects_be_read();
  monitor_pass();
  ASSERT_TRUE(lifecycle.zones().all_disrupted());
  ASSERT_TRUE(summary("a").silent);
  renew("b", noon);
  monitor_pass();
  EXPECT_FALSE(lifecycle.zones().all_disrupted());
  EXPECT_FALSE(summary("a").silent);
  EXPECT_FALSE(lifecycle.health().reads().is_confirmed(slot("a"), now));
  EXPECT_FALSE(availability.settled(now)) << "nodes have yet to say how they are";
  pass(40s);
  EXPECT_THAT(monitor_pass(), IsEmpty());
}

TEST_F(NodeHealthTest, NotReadyNodeIsSoSinceItsStatusChangedHoweverOftenItSaysSo) {
  store(ready_node("n"));
  pass(1s);
  store(node_with_ready("n", ConditionStatus::False));
  const NodeSummary first = summary("n");
  EXPECT_EQ(first.not_ready_since, availability.at(now));
  EXPECT_EQ(first.ready_changed, availability.at(now));
  pass(10s);
  store(node_with_ready("n", ConditionStatus::False));
  EXPECT_EQ(summary("n").not_ready_since, first.not_ready_since);
  EXPECT_EQ(summary("n").ready_changed, first.ready_changed);
}

// --- what is told -------------------------------------------------------------------------------

TEST_F(NodeHealthTest, WhoBeginsToLeadRegistersAllAnew) {
  store(ready_node("n"));
  monitor_pass();
  EXPECT_THAT(lifecycle.take_events(), SizeIs(1));
  monitor_pass();
  EXPECT_THAT(lifecycle.take_events(), IsEmpty());
  lifecycle.end_leading();
  lifecycle.begin_leading();
  monitor_pass();
  EXPECT_THAT(lifecycle.take_events(), SizeIs(1));
}

TEST_F(NodeHealthTest, LeaseThatCouldNotBeReadIsForgottenWhenNobodyAsksForIt) {
  const auto fail = [this] {
    store(ready_node("n"));
    const ReadLeases asked = suspected();
    lifecycle.lease_read_failed(asked, {.fault = Fault::Unavailable}, now);
    EXPECT_EQ(lifecycle.health().reads().unread().leases, 1U);
  };
  const auto unread = [this] { return lifecycle.health().reads().unread().leases; };
  fail();
  renew("n", noon);
  EXPECT_EQ(unread(), 0U) << "it moved";
  fail();
  nodes.remove("n");
  EXPECT_EQ(unread(), 0U) << "it is gone";
  fail();
  store(silent_node("n"));
  monitor_pass();
  EXPECT_EQ(unread(), 0U) << "another leader marked it";
  pass(1s);
  renew("n", noon + 10s);
  fail();
  lifecycle.end_leading();
  EXPECT_EQ(unread(), 0U) << "we judge nobody";
}

TEST_F(NodeHealthTest, MarkThatIsRefusedIsATroubleUntilTheNodeMoves) {
  store(ready_node("n"));
  pass(41s);
  const auto refused = confirmed_and_marked();
  ASSERT_THAT(refused, SizeIs(1));
  lifecycle.refused(refused[0].node, NodePart::Status, {.fault = Fault::Unavailable}, now);
  repair();
  EXPECT_EQ(lifecycle.repairs().writes().troubled(), 1U);
  renew("n", noon);
  repair();
  EXPECT_EQ(lifecycle.repairs().writes().troubled(), 0U);
}

TEST_F(NodeHealthTest, MarkThatIsRefusedIsNoTroubleOnceAnotherHasWrittenIt) {
  store(ready_node("n"));
  pass(41s);
  const auto refused = confirmed_and_marked();
  ASSERT_THAT(refused, SizeIs(1));
  lifecycle.refused(refused[0].node, NodePart::Status, {.fault = Fault::Unavailable}, now);
  api::Node by_another = silent_node("n");
  by_another.taints = {a_taint(taint::unreachable, "NoSchedule")};
  store(by_another);
  repair();
  EXPECT_EQ(lifecycle.repairs().writes().troubled(), 0U);
}

TEST_F(NodeHealthTest, NodeThatIsNotThereHasNothingWrongWithIt) {
  EXPECT_TRUE(lifecycle.is_settled("nobody"));
}

// --- the next look ------------------------------------------------------------------------------

TEST_F(NodeHealthTest, GraceThatBeganAnewIsNotLookedForAtItsOldEnd) {
  store(ready_node("n"));
  monitor_pass();
  pass(30s);
  renew("n", noon);
  pass(8s);
  monitor_pass();
  EXPECT_EQ(lifecycle.next_pass(now), now + policy.monitor_period);
}

TEST_F(NodeHealthTest, OfTwoGracesTheFirstEndIsLookedFor) {
  store(ready_node("first"));
  pass(1s);
  store(ready_node("second"));
  pass(37s);
  monitor_pass();
  EXPECT_EQ(lifecycle.next_pass(now), start + 40s + 1ns);
}

TEST_F(NodeHealthTest, WhileNothingProvesWritesNoGraceIsExpectedToEnd) {
  store(ready_node("n"));
  now += 38s;
  monitor_pass();
  EXPECT_EQ(lifecycle.next_pass(now), now + policy.monitor_period);
}

TEST_F(NodeHealthTest, ReadsThatFailedAreRepeatedEachInItsTime) {
  store(ready_node("a"));
  store(ready_node("b"));
  suspected();
  lifecycle.lease_read_failed({.nodes = {"a"}}, {.fault = Fault::Unavailable, .retry_after = 1s},
                              now);
  lifecycle.lease_read_failed({.nodes = {"b"}}, {.fault = Fault::Unavailable, .retry_after = 3s},
                              now);
  EXPECT_EQ(lifecycle.next_pass(now), now + 1s);
  pass(1s);
  EXPECT_THAT(only_one<ReadLeases>(monitor_pass()).nodes, ::testing::ElementsAre("a"));
  EXPECT_EQ(lifecycle.next_pass(now), now + 2s);
}

TEST_F(NodeHealthTest, WhoIsSilentByAReadIsLookedAtWhenThatIsTooOld) {
  policy.monitor_period = 20s;
  store(ready_node("n"));
  let_suspects_be_read();
  monitor_pass();
  EXPECT_EQ(lifecycle.next_pass(now), now + 10s + 1ns);
}

TEST_F(NodeHealthTest, LeasesAreWantedAnewWithEachPass) {
  store(ready_node("first"));
  pass(1s);
  store_many(8);
  pass(39s + 1ns);
  const auto first = only_one<ReadLeases>(monitor_pass());
  pass(1s);
  EXPECT_THAT(only<ReadLeases>(monitor_pass()), IsEmpty()) << "nine at once are too many";
  EXPECT_THAT(only<ReadLeases>(monitor_pass()), IsEmpty());
  lifecycle.leases_read(first, {}, at());
  EXPECT_THAT(only_one<ReadLeases>(monitor_pass()).nodes, SizeIs(8));
}

TEST_F(NodeHealthTest, MarkThatWasNeverSentIsLookedForAtOnce) {
  store(ready_node("n"));
  pass(41s);
  const auto mark = confirmed_and_marked();
  ASSERT_THAT(mark, SizeIs(1));
  monitor_pass();
  EXPECT_GT(lifecycle.next_pass(now), now);
  lifecycle.not_sent(mark[0].node, NodePart::Status, now);
  EXPECT_EQ(lifecycle.next_pass(now), now);
}

TEST_F(NodeHealthTest, MarkThatWasNeverSentAndIsThereBringsNoLookForward) {
  store(ready_node("n"));
  pass(41s);
  const auto mark = confirmed_and_marked();
  ASSERT_THAT(mark, SizeIs(1));
  store(silent_node("n"));
  monitor_pass();
  lifecycle.not_sent(mark[0].node, NodePart::Status, now);
  EXPECT_GT(lifecycle.next_pass(now), now);
}

}  // namespace
}  // namespace nlc::controller
