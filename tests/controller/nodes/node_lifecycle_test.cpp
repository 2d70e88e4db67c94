#include "controller/nodes/node_lifecycle.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/observed_nodes.h"

namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class NodeLifecycleTest : public ObservedNodes {};

TEST_F(NodeLifecycleTest, NodeIsAliveAtTheGraceAndSuspectedJustAfterIt) {
  store(ready_node("n"));
  expect_a_suspect_just_after(40s);
}

TEST_F(NodeLifecycleTest, IsLookedAtWhenItsGraceEndsAndNotAPeriodLater) {
  store(ready_node("n"));
  monitor_pass();
  pass(38s);
  monitor_pass();
  EXPECT_EQ(lifecycle.next_pass(now), start + 40s + 1ns);
}

TEST_F(NodeLifecycleTest, SuspectIsMarkedOnlyAfterAReadShowedItsLeaseUnmoved) {
  store(ready_node("n"));
  renew("n", noon);
  pass(41s);
  EXPECT_THAT(marked(), IsEmpty());
  EXPECT_THAT(confirmed_and_marked(), IsEmpty()) << "the first read is still on its way";
  lifecycle.leases_read({.nodes = {"n"}, .asked = now}, {{.name = "n", .renewed = noon}}, at());
  EXPECT_THAT(marked(), SizeIs(1));
}

TEST_F(NodeLifecycleTest, LeaseThatWasSeenIsMissingWhenASingleReadAndAListSaySo) {
  store(ready_node("n"));
  renew("n", noon);
  pass(41s);
  const auto single = only_one<ReadLeases>(monitor_pass());
  EXPECT_FALSE(single.in_one_list);
  lifecycle.leases_read(single, {}, at());
  EXPECT_THAT(marked(), IsEmpty());
  EXPECT_EQ(lifecycle.health().reads().unread().leases, 1U);
  pass(1s);
  const auto list = only_one<ReadLeases>(monitor_pass());
  EXPECT_TRUE(list.in_one_list);
  lifecycle.leases_read(list, {}, at());
  EXPECT_THAT(marked(), SizeIs(1));
  EXPECT_EQ(lifecycle.health().reads().unread().leases, 0U);
}

TEST_F(NodeLifecycleTest, SuspectWhoseLeaseMovedIsAlive) {
  store(ready_node("n"));
  renew("n", noon);
  pass(41s);
  const auto read = only_one<ReadLeases>(monitor_pass());
  lifecycle.leases_read(read, {{.name = "n", .renewed = noon + 10s}}, at());
  EXPECT_THAT(monitor_pass(), IsEmpty());
  pass(40s);
  EXPECT_THAT(monitor_pass(), IsEmpty());
}

TEST_F(NodeLifecycleTest, WhoMovedWhileItsLeaseWasReadIsNotSilentByThatRead) {
  store(ready_node("n"));
  renew("n", noon);
  pass(41s);
  const auto read = only_one<ReadLeases>(monitor_pass());
  renew("n", noon + 10s);
  pass(41s);
  lifecycle.leases_read(read, {{.name = "n", .resource_version = "2", .renewed = noon}}, at());
  const std::vector<Decision> then = monitor_pass();
  EXPECT_THAT(only<MarkSilent>(repair()), IsEmpty());
  ASSERT_THAT(only<ReadLeases>(then), SizeIs(1));
  lifecycle.leases_read(only<ReadLeases>(then)[0], {{.name = "n", .renewed = noon + 10s}}, at());
  EXPECT_THAT(marked(), SizeIs(1));
}

TEST_F(NodeLifecycleTest, ServerThatAsksForAnHoursPauseOfBothFormsIsReadAgainAfterTenSeconds) {
  store(ready_node("n"));
  pass(41s);
  for (const Duration wait : {0s, 1s}) {
    pass(wait);
    const auto read = only_one<ReadLeases>(monitor_pass());
    lifecycle.lease_read_failed(read, {.fault = Fault::Throttled, .retry_after = 1h}, now);
  }
  pass(9s);
  EXPECT_THAT(only<ReadLeases>(monitor_pass()), IsEmpty());
  pass(1s);
  EXPECT_THAT(only<ReadLeases>(monitor_pass()), SizeIs(1));
}

TEST_F(NodeLifecycleTest, ServerThatAsksForShortPausesIsAskedInTheSameFormUntilTheThirdTime) {
  store(ready_node("n"));
  pass(41s);
  for (const bool in_one_list : {false, false, false, true}) {
    const auto read = only_one<ReadLeases>(monitor_pass());
    EXPECT_EQ(read.in_one_list, in_one_list);
    lifecycle.lease_read_failed(read, {.fault = Fault::Throttled, .retry_after = 1s}, now);
    pass(1s);
  }
}

TEST_F(NodeLifecycleTest, ReadThatFailsCondemnsNobodyAndIsRepeated) {
  store(ready_node("n"));
  pass(41s);
  const auto read = only_one<ReadLeases>(monitor_pass());
  lifecycle.lease_read_failed(read, {.fault = Fault::Unavailable}, now);
  EXPECT_THAT(monitor_pass(), IsEmpty());
  pass(1s);
  EXPECT_THAT(only<ReadLeases>(monitor_pass()), SizeIs(1));
}

TEST_F(NodeLifecycleTest, BlindTimeIsNoSilence) {
  store(ready_node("n"));
  now += 10min;  // nothing proves anything
  EXPECT_THAT(monitor_pass(), IsEmpty());
  availability.prove(now);
  EXPECT_THAT(monitor_pass(), IsEmpty());
  pass(40s);
  EXPECT_THAT(monitor_pass(), IsEmpty());
  pass(1s);
  EXPECT_THAT(only<ReadLeases>(monitor_pass()), SizeIs(1));
}

TEST_F(NodeLifecycleTest, StandbyWishesForNothing) {
  store(ready_node("n"));
  pass(10min);
  EXPECT_THAT(lifecycle.monitor_pass(at(), Acting::No), IsEmpty());
}

TEST_F(NodeLifecycleTest, RefusedMarkIsJudgedAnewWithANewRead) {
  store(ready_node("n"));
  pass(41s);
  const auto refused = confirmed_and_marked();
  ASSERT_THAT(refused, SizeIs(1));
  lifecycle.refused(refused[0].node, NodePart::Status, {.fault = Fault::Conflict}, now);
  EXPECT_THAT(marked(), IsEmpty());
  EXPECT_THAT(confirmed_and_marked(), IsEmpty());  // the read is under way
  lifecycle.leases_read({.nodes = {"n"}, .asked = now}, {}, at());
  EXPECT_THAT(marked(), SizeIs(1));
}

TEST_F(NodeLifecycleTest, RefusedMarkOfTheLastNodeDoesNotCountAsItsReturn) {
  store(ready_node("n"));
  pass(41s);
  const auto refused = confirmed_and_marked();
  ASSERT_THAT(refused, SizeIs(1));
  monitor_pass();  // the only zone is fully disrupted now
  lifecycle.refused(refused[0].node, NodePart::Status, {.fault = Fault::Unavailable}, now);
  pass(15s);
  EXPECT_THAT(confirmed_and_marked(), SizeIs(1));
}

TEST_F(NodeLifecycleTest, RefusedMarkIsNoTroubleOnceAListShowsTheLeaseRenewed) {
  store(ready_node("n"));
  renew("n", noon);
  pass(41s);
  const auto refused = confirmed_and_marked();
  ASSERT_THAT(refused, SizeIs(1));
  lifecycle.refused(refused[0].node, NodePart::Status, {.fault = Fault::Unavailable}, now);
  EXPECT_EQ(lifecycle.repairs().writes().troubled(), 1U);
  lifecycle.leases_shown({{.name = "n", .resource_version = "9", .renewed = noon + 10s}}, now);
  EXPECT_THAT(repair(), IsEmpty());
  EXPECT_EQ(lifecycle.repairs().writes().troubled(), 0U);
}

TEST_F(NodeLifecycleTest, NodeIsWrittenOnceAtATime) {
  store(ready_node("n"));
  pass(41s);
  ASSERT_THAT(confirmed_and_marked(), SizeIs(1));
  EXPECT_THAT(monitor_pass(), IsEmpty());
  EXPECT_THAT(repair(), IsEmpty());
}

TEST_F(NodeLifecycleTest, FirstConflictIsRetriedAtOnceAndTheNextOnesWait) {
  store(without_os_label("n"));
  monitor_pass();
  bool told = false;
  for (const std::size_t tries : {1U, 1U, 0U}) {
    const auto labels = only<SetLabels>(repair());
    ASSERT_THAT(labels, SizeIs(tries));
    if (tries == 0) break;
    EXPECT_EQ(lifecycle.refused(labels[0].node, NodePart::Spec, {.fault = Fault::Conflict}, now),
              told);
    told = true;
  }
  pass(1s);
  EXPECT_THAT(only<SetLabels>(repair()), SizeIs(1));
}

TEST_F(NodeLifecycleTest, NodesThatReportNotReadyAtOnceAreCountedBeforeAnyOfThemIsTainted) {
  policy.gathering = 50ms;
  for (int at = 0; at < 10; ++at) store(ready_node("n" + std::to_string(at)));
  monitor_pass();
  for (int at = 0; at < 6; ++at) {
    store(node_with_ready("n" + std::to_string(at), ConditionStatus::False));
    EXPECT_THAT(repair(), IsEmpty());
    pass(1ms);
  }
  pass(50ms);
  const auto taints = only<SetTaints>(repair());
  EXPECT_THAT(taints, SizeIs(6));
  for (const SetTaints& wish : taints) {
    EXPECT_EQ(wish.added, "node.kubernetes.io/not-ready:NoSchedule");
  }
}

TEST_F(NodeLifecycleTest, WithoutRoomNothingIsDecidedAndNothingIsForgotten) {
  for (const char* name : {"other", "n"}) store(ready_node(name));
  store(without_os_label("n"));
  client::Room full({.capacity = client::Capacity(1)});
  ASSERT_TRUE(full.take({client::RequestPriority::NodeWrite}));
  EXPECT_THAT(lifecycle.repair(at(), full), IsEmpty());
  EXPECT_FALSE(lifecycle.is_settled("n"));
  EXPECT_THAT(only<SetLabels>(repair()), SizeIs(1));
}

TEST_F(NodeLifecycleTest, WhereSingleLeasesMayNotBeReadTheyAreReadInAList) {
  store(ready_node("n"));
  pass(41s);
  const auto read = only_one<ReadLeases>(monitor_pass());
  EXPECT_FALSE(read.in_one_list);
  lifecycle.lease_read_failed(read, {.fault = Fault::Forbidden}, now);
  pass(1s);
  EXPECT_TRUE(only_one<ReadLeases>(monitor_pass()).in_one_list);
}

TEST_F(NodeLifecycleTest, WhereListsOfLeasesMayNotBeReadTheyAreReadOneByOne) {
  const ReadLeases read = read_when_of_160_fall_silent(11);
  ASSERT_TRUE(read.in_one_list);
  lifecycle.lease_read_failed(read, {.fault = Fault::Forbidden}, now);
  pass(1s);
  EXPECT_FALSE(only_one<ReadLeases>(monitor_pass()).in_one_list);
}

TEST_F(NodeLifecycleTest, LeaseThatIsReadInAnOlderVersionThanWasSeenCondemnsNobody) {
  store(ready_node("n"));
  renew("n", noon);
  renew("n", noon + 10s);
  pass(41s);
  const auto read = only_one<ReadLeases>(monitor_pass());
  const std::vector<api::NodeLease> old{{.name = "n", .resource_version = "2", .renewed = noon}};
  EXPECT_EQ(lifecycle.leases_read(read, old, at()), &old[0]);
  EXPECT_THAT(marked(), IsEmpty());
  EXPECT_THAT(only<ReadLeases>(monitor_pass()), IsEmpty()) << "not without a pause";
  EXPECT_EQ(lifecycle.next_pass(now), now + 1s);
  pass(1s);
  EXPECT_THAT(only<ReadLeases>(monitor_pass()), SizeIs(1));
}

TEST_F(NodeLifecycleTest, StreamThatIsBehindAReadTellsNoNewLife) {
  store(ready_node("n"));
  pass(41s);
  const auto read = only_one<ReadLeases>(monitor_pass());
  lifecycle.leases_read(read, {{.name = "n", .resource_version = "90", .renewed = noon + 30s}},
                        at());
  pass(10s);
  const api::NodeLease known{.name = "n", .resource_version = "40", .renewed = noon + 10s};
  lifecycle.lease_stored({.name = "n", .resource_version = "50", .renewed = noon + 20s}, &known,
                         at());
  expect_a_suspect_just_after(30s);
}

TEST_F(NodeLifecycleTest, AnsweredReadProvesNoWrites) {
  store(ready_node("n"));
  pass(41s);
  const auto read = only_one<ReadLeases>(monitor_pass());
  now += 9s;
  lifecycle.leases_read(read, {}, at());
  now += 2s;
  EXPECT_TRUE(availability.blind(now));
}

TEST_F(NodeLifecycleTest, VerdictThatWasConfirmedIsNotWrittenWhileBlind) {
  store(ready_node("n"));
  pass(41s);
  const auto read = only_one<ReadLeases>(monitor_pass());
  lifecycle.leases_read(read, {}, at());
  now += 10s + 1ns;
  EXPECT_THAT(only<MarkSilent>(repair()), IsEmpty());
}

TEST_F(NodeLifecycleTest, VerdictThatWaitedForLongIsConfirmedAnew) {
  store(ready_node("n"));
  pass(41s);
  const auto read = only_one<ReadLeases>(monitor_pass());
  lifecycle.leases_read(read, {}, at());
  pass(11s);
  EXPECT_THAT(only<MarkSilent>(repair()), IsEmpty());
  EXPECT_THAT(only<ReadLeases>(monitor_pass()), SizeIs(1));
}

TEST_F(NodeLifecycleTest, WhoNoLongerLeadsHasNobodyWaitingForATaint) {
  for (const char* name : {"a", "b", "c", "d", "e"}) store(ready_node(name));
  monitor_pass();
  store(silent_node("a"));
  store(silent_node("b"));
  repair();
  monitor_pass();
  EXPECT_EQ(lifecycle.zones().all().at("").queue.size(), 1);
  lifecycle.end_leading();
  lifecycle.monitor_pass(at(), Acting::No);
  EXPECT_EQ(lifecycle.zones().all().at("").queue.size(), 0);
}

TEST_F(NodeLifecycleTest, DeprecatedLabelsFollowTheStableOnes) {
  api::Node node = ready_node("n");
  node.labels = {{"kubernetes.io/os", "linux"},
                 {"kubernetes.io/arch", "arm64"},
                 {"beta.kubernetes.io/arch", "arm64"}};
  store(node);
  monitor_pass();
  EXPECT_EQ(only_one<SetLabels>(repair()).labels,
            (api::Labels{{"beta.kubernetes.io/os", "linux"}}));
}

TEST_F(NodeLifecycleTest, NodeCreatedAnewUnderItsNameStartsAfresh) {
  store(ready_node("n"));
  pass(39s);
  api::Node successor = ready_node("n");
  successor.uid = "another";
  store(successor);
  pass(39s);
  EXPECT_THAT(monitor_pass(), IsEmpty());
}

TEST_F(NodeLifecycleTest, OfANodeThatWasReplacedTheRemovalIsToldToo) {
  store(ready_node("n"));
  monitor_pass();
  api::Node successor = ready_node("n");
  successor.uid = "another";
  store(successor);
  monitor_pass();
  std::vector<std::string> told;
  for (const NodeEvent& event : lifecycle.take_events()) {
    told.push_back((event.kind == NodeEvent::Kind::Removed ? "removed " : "registered ") +
                   event.node.uid);
  }
  EXPECT_THAT(told,
              ::testing::ElementsAre("registered uid-n", "removed uid-n", "registered another"));
}

TEST_F(NodeLifecycleTest, EvictionByTimeoutEndsForANodeThatWasReplaced) {
  let_the_timeout_of_one_of_two_run_out();
  ASSERT_THAT(only<ReadNode>(repair()), SizeIs(1));
  lifecycle.node_read({.name = "n", .uid = "uid-n"}, NodeLifecycle::Evictions::Allowed, now);
  ASSERT_THAT(lifecycle.take_node_evictions(), SizeIs(1));
  api::Node successor = ready_node("n");
  successor.uid = "another";
  store(successor);
  const std::vector<NodeEviction> turns = lifecycle.take_node_evictions();
  ASSERT_THAT(turns, SizeIs(1));
  EXPECT_EQ(turns[0].kind, NodeEviction::Kind::Ended);
}

/// Where it were not so, all that were read meanwhile would leave together when that is over.
TEST_F(NodeLifecycleTest, NodeThatWasReadWhenEvictionsAreHeldWaitsForAnotherTurn) {
  let_the_timeout_of_one_of_two_run_out();
  ASSERT_THAT(only<ReadNode>(repair()), SizeIs(1));
  lifecycle.node_read({.name = "n", .uid = "uid-n"}, NodeLifecycle::Evictions::Held, now);
  EXPECT_THAT(lifecycle.take_node_evictions(), IsEmpty());
  monitor_pass();
  EXPECT_THAT(only<ReadNode>(repair()), SizeIs(1));
}

TEST_F(NodeLifecycleTest, NewsAreToldOnce) {
  for (int times = 0; times < 2; ++times) store(ready_node("n"));
  monitor_pass();
  for (int times = 0; times < 2; ++times) store(silent_node("n"));
  for (int times = 0; times < 2; ++times) store(ready_node("n"));
  nodes.remove("n");
  std::vector<NodeEvent::Kind> told;
  for (const NodeEvent& event : lifecycle.take_events()) told.push_back(event.kind);
  EXPECT_THAT(told,
              ::testing::ElementsAre(NodeEvent::Kind::Registered, NodeEvent::Kind::BecameSilent,
                                     NodeEvent::Kind::CameBack, NodeEvent::Kind::Removed));
  EXPECT_THAT(lifecycle.take_events(), IsEmpty());
}

/// "status is now: NodeNotReady" would tell nothing of it, nor does upstream.
TEST_F(NodeLifecycleTest, NodeThatSaidItWasNotReadyIsNoNewsWhenItFallsSilent) {
  store(node_with_ready("n", ConditionStatus::False));
  monitor_pass();
  store(silent_node("n"));
  std::vector<NodeEvent::Kind> told;
  for (const NodeEvent& event : lifecycle.take_events()) told.push_back(event.kind);
  EXPECT_THAT(told, ::testing::ElementsAre(NodeEvent::Kind::Registered));
}

TEST_F(NodeLifecycleTest, SecondSuspectIsReadBesideTheFirstAndEachJudgedByItsOwnAnswer) {
  store(ready_node("first"));
  pass(1s);
  store(ready_node("second"));
  pass(39s + 1ns);
  const auto first = only_one<ReadLeases>(monitor_pass());
  EXPECT_EQ(lifecycle.next_pass(now), start + 41s + 1ns);
  pass(1s);
  const auto second = only_one<ReadLeases>(monitor_pass());
  EXPECT_THAT(second.nodes, ::testing::ElementsAre("second"));
  lifecycle.leases_read(second, {}, at());
  const auto marks = marked();
  ASSERT_THAT(marks, SizeIs(1));
  EXPECT_EQ(marks[0].node.name, "second");
}

TEST_F(NodeLifecycleTest, WhenTheSixteenthPartFallsSilentEachLeaseIsReadForItself) {
  const ReadLeases read = read_when_of_160_fall_silent(10);
  EXPECT_THAT(read.nodes, SizeIs(10));
  EXPECT_FALSE(read.in_one_list);
}

TEST_F(NodeLifecycleTest, WhenMoreFallSilentTheirLeasesAreReadInOneList) {
  const ReadLeases read = read_when_of_160_fall_silent(11);
  EXPECT_THAT(read.nodes, SizeIs(11));
  EXPECT_TRUE(read.in_one_list);
}

TEST_F(NodeLifecycleTest, WhileManyLeasesAreReadNoLookComesForTheEndOfAnotherGrace) {
  store_many(9);
  pass(1s);
  store(ready_node("last"));
  pass(39s + 1ns);
  const auto read = only_one<ReadLeases>(monitor_pass());
  EXPECT_EQ(lifecycle.next_pass(now), now + policy.monitor_period)
      << "the last would be asked about when the read is answered";
  lifecycle.leases_read(read, {}, at());
  monitor_pass();
  EXPECT_EQ(lifecycle.next_pass(now), start + 41s + 1ns);
}

}  // namespace
}  // namespace nlc::controller
