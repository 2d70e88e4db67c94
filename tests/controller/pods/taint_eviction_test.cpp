#include "controller/pods/taint_eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/tainted_node.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::IsEmpty;

class TaintEvictionTest : public TaintedNode {};

TEST_F(TaintEvictionTest, PodWithoutTolerationGoesAtOnce) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, TaintsOfOtherEffectsEvictNobody) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoSchedule")});
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_EQ(eviction.next_due(Instant::min()), std::nullopt);
}

TEST_F(TaintEvictionTest, TolerationCountsFromTheFirstSightOfTheTaint) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 10s - 1ns;
  EXPECT_THAT(due(), IsEmpty());
  now += 1ns;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, TaintWrittenAgainDoesNotStartTheWaitAnew) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute", noon)});
  now += 9s;
  taint_node({a_taint(taint::unreachable, "NoExecute", noon + 9s)});
  now += 1s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, SwapOfTheTwoOutageTaintsKeepsTheRunningTimer) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::not_ready, "NoExecute")});
  now += 9s;
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(cancelled(), IsEmpty());
  now += 1s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, OutageTaintThatStaysWhenTheOtherGoesKeepsItsOwnTime) {
  store(pod_on("n", "a",
               {tolerates_for(taint::not_ready, 1000), tolerates_for(taint::unreachable, 300)}));
  const api::Taint not_ready = a_taint(taint::not_ready, "NoExecute");
  const api::Taint unreachable = a_taint(taint::unreachable, "NoExecute");
  taint_node({not_ready});
  now += 40s;
  taint_node({not_ready, unreachable});
  now += 10s;
  taint_node({unreachable});
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 340s);
}

TEST_F(TaintEvictionTest, SwapStartsTheWaitOfThoseWhoToleratedTheOtherForEver) {
  store(pod_on("n", "a", {tolerates_for(taint::not_ready, std::nullopt), ten_seconds.front()}));
  taint_node({a_taint(taint::not_ready, "NoExecute")});
  now += 1h;
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_EQ(eviction.next_due(Instant::min()), now + 10s);
}

TEST_F(TaintEvictionTest, AnotherValueStartsTheWaitOfThoseWhoToleratedTheFormerForEver) {
  api::Toleration draining = tolerates_for("state", std::nullopt);
  draining.operator_ = "Equal";
  draining.value = "draining";
  store(pod_on("n", "a", {draining, tolerates_for("state", 60)}));
  api::Taint state = a_taint("state", "NoExecute");
  state.value = "draining";
  taint_node({state});
  now += 1h;
  state.value = "gone";
  taint_node({state});
  EXPECT_EQ(eviction.next_due(Instant::min()), now + 60s);
}

TEST_F(TaintEvictionTest, RecoveryCancelsAndSaysSoOnce) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 5s;
  taint_node({});
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("a"));
  now += 1h;
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_THAT(cancelled(), IsEmpty());
}

TEST_F(TaintEvictionTest, EditedTolerationMovesTheDeadlineBothWays) {
  api::Pod pod = pod_on("n", "a", {tolerates_for(taint::unreachable, 100)});
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 20s;
  pod.tolerations = {tolerates_for(taint::unreachable, 30)};
  pod.resource_version = "2";
  store(pod);
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 30s);
  pod.tolerations = {tolerates_for(taint::unreachable, 200)};
  pod.resource_version = "3";
  store(pod);
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 200s);
}

TEST_F(TaintEvictionTest, RemovalOfTheShorterToleratedTaintMovesTheDeadlineOut) {
  store(pod_on("n", "a", {tolerates_for("long", 100), tolerates_for("short", 10)}));
  taint_node({a_taint("long", "NoExecute"), a_taint("short", "NoExecute")});
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 10s);
  now += 5s;
  taint_node({a_taint("long", "NoExecute")});
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 100s);
}

TEST_F(TaintEvictionTest, PodThatComesToATaintedNodeHasItsWholeToleration) {
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 1h;
  store(pod_on("n", "late", ten_seconds));
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 1h + 10s);
  store(pod_on("n", "intolerant"));
  EXPECT_THAT(due(), ::testing::ElementsAre("intolerant"));
}

TEST_F(TaintEvictionTest, LatePodWhoseEndlessTolerationGetsAnEndCountsFromItsComing) {
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 1h;
  api::Pod late = pod_on("n", "late", {tolerates_for(taint::unreachable, std::nullopt)});
  store(late);
  EXPECT_EQ(eviction.pending().waiting(), 0U);
  now += 10s;
  late.tolerations = {tolerates_for(taint::unreachable, 60)};
  late.resource_version = "2";
  store(late);
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 1h + 60s);
}

TEST_F(TaintEvictionTest, NodeThatSaysReadyEvictsNobodyForTheTaintsOfItsCondition) {
  store(pod_on("n", "a"));
  api::Node ready = ready_node("n");
  ready.taints = {a_taint(taint::unreachable, "NoExecute"), a_taint(taint::not_ready, "NoExecute")};
  nodes.apply(ready);
  eviction.node_stored(ready, nullptr, at());
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TaintEvictionTest, NodeThatSaysReadyEvictsForTheTaintsOfOthersAllTheSame) {
  store(pod_on("n", "a"));
  api::Node ready = ready_node("n");
  ready.taints = {a_taint("maintenance", "NoExecute")};
  nodes.apply(ready);
  eviction.node_stored(ready, nullptr, at());
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, NobodyLeavesForANodesConditionWhileThatIsInDoubtAndOthersDo) {
  client::Room room = client::Room::unlimited();
  std::vector<std::string> asked;
  const MayEvict refuse = [&](const std::string& node) {
    asked.push_back(node);
    return false;
  };
  store(pod_on("n", "a", {tolerates_for("maintenance", 10)}));
  taint_node({a_taint(taint::unreachable, "NoExecute"), a_taint("maintenance", "NoExecute")});
  EXPECT_THAT(eviction.due(now, room, refuse), IsEmpty());
  EXPECT_THAT(asked, ::testing::ElementsAre("n"));
  EXPECT_THAT(eviction.due(now, room, nullptr), IsEmpty()) << "held";
  now += 10s;
  EXPECT_EQ(eviction.due(now, room, nullptr).size(), 1U) << "somebody else's taint is due as well";
}

TEST_F(TaintEvictionTest, NobodyLeavesForWhateverTaintBeforeTheNodeWasReadSinceHeWasDue) {
  client::Room room = client::Room::unlimited();
  std::optional<Instant> read_since;
  bool confirmed = false;
  const EvictionChecks checks{.confirmed = [&](const std::string&, Instant since) {
    read_since = since;
    return confirmed;
  }};
  store(pod_on("n", "a", {tolerates_for("maintenance", 10)}));
  taint_node({a_taint("maintenance", "NoExecute")});
  now += 11s;
  EXPECT_THAT(eviction.due(now, room, nullptr, checks), IsEmpty());
  EXPECT_EQ(read_since, now - 1s);
  confirmed = true;
  EXPECT_THAT(eviction.due(now, room, nullptr, checks), ::testing::SizeIs(1));
}

/// What was read before that may have shown the taint, which is gone since.
TEST_F(TaintEvictionTest, WhoLeavesForATaintOfOthersIsConfirmedByAReadSinceThatWasDue) {
  client::Room room = client::Room::unlimited();
  std::optional<Instant> read_since;
  const EvictionChecks checks{.confirmed = [&](const std::string&, Instant since) {
    read_since = since;
    return false;
  }};
  const MayEvict agree = [](const std::string&) { return true; };
  store(pod_on("n", "a", {tolerates_for("maintenance", 10)}));
  taint_node({a_taint(taint::unreachable, "NoExecute"), a_taint("maintenance", "NoExecute")});
  EXPECT_THAT(eviction.due(now, room, agree, checks), IsEmpty());
  EXPECT_EQ(read_since, start);
  now += 10s;
  EXPECT_THAT(eviction.due(now, room, agree, checks), IsEmpty());
  EXPECT_EQ(read_since, start + 10s);
}

TEST_F(TaintEvictionTest, TaintOfAnotherNodeOfThatNameCountsFromItsOwnSight) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 9s;
  const api::Node before = *nodes.find("n");
  api::Node another = before;
  another.uid = "another";
  nodes.apply(another);
  eviction.node_stored(another, &before, at());
  EXPECT_EQ(eviction.next_due(Instant::min()), now + 10s);
}

TEST_F(TaintEvictionTest, TerminatingAndFinishedPodsAreLeftAlone) {
  api::Pod terminating = pod_on("n", "terminating");
  terminating.deleting = true;
  api::Pod finished = pod_on("n", "finished");
  finished.finished = true;
  store(terminating);
  store(finished);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TaintEvictionTest, NewPodOfTheSameNameIsJudgedByItself) {
  api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.evicted(ref_of(pod), now);
  api::Pod successor = pod_on("n", "a", ten_seconds);
  successor.uid = "another";
  successor.resource_version = "9";
  store(successor);
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 10s);
}

TEST_F(TaintEvictionTest, TimerOfADeletedNodeGoesOn) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  remove_node();
  now += 10s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

/// It may have been well before it went.
TEST_F(TaintEvictionTest, TimerOfANodeThatAListDoesNotShowEnds) {
  struct Listed final : informer::StoreListener<api::Node> {
    void on_stored(Slot, const api::Node&, const api::Node*) override {}
    void on_removed(Slot, const api::Node&) override {}
    void on_synced() override { told(); }
    std::function<void()> told;
  } listed;
  listed.told = [this] { eviction.listed(now); };
  nodes.set_listener(&listed);
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  nodes.replace({*nodes.find("n")});
  eviction.listed(now);  // some other list
  EXPECT_THAT(cancelled(), IsEmpty());
  remove_node();
  eviction.listed(now);
  EXPECT_THAT(cancelled(), IsEmpty());
  nodes.replace({});
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("a"));
  now += 1h;
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TaintEvictionTest, NodeThatIsMadeAnewWithoutTaintsKeepsItsPods) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  remove_node();
  taint_node({});
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("a"));
  now += 1h;
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TaintEvictionTest, EvictionThatFailsAfterItsNodeWasDeletedIsTriedAgain) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  remove_node();
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.refused(ref_of(pod), {.fault = Fault::Unavailable}, now);
  now += 15s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, TolerationEditedAfterItsNodeWasDeletedChangesNothing) {
  api::Pod pod = pod_on("n", "a", ten_seconds);
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  remove_node();
  pod.tolerations = {tolerates_for(taint::unreachable, 100)};
  pod.resource_version = "2";
  store(pod);
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 10s);
}

TEST_F(TaintEvictionTest, RefusedDeletionIsWorthTellingThoughItsPodHasGoneMeanwhile) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  pods.remove("default/a");
  EXPECT_TRUE(eviction.refused(ref_of(pod), {.fault = Fault::Unavailable}, now));
}

TEST_F(TaintEvictionTest, PodThatVanishesTakesItsTimerAlong) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  pods.remove("default/a");
  EXPECT_EQ(eviction.pending().waiting(), 0U);
}

}  // namespace
}  // namespace nlc::controller
