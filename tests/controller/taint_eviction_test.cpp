#include "controller/taint_eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/taints.h"
#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::IsEmpty;

/// One node with pods, observed by hand: `now` is whatever the test says.
class TaintEvictionTest : public ::testing::Test, private informer::StoreListener<api::Pod> {
 protected:
  TaintEvictionTest() {
    pods.set_listener(this);
    pods.replace({});
    nodes.replace({});
  }

  void taint_node(std::vector<api::Taint> taints) {
    api::Node node = ready_node("n");
    node.taints = std::move(taints);
    const std::optional<api::Node> before = nodes.find("n");
    nodes.apply(node);
    eviction.node_stored(node, before ? &*before : nullptr, at());
  }
  void remove_node() {
    eviction.node_removed(*nodes.find("n"));
    nodes.remove("n");
  }
  void store(api::Pod pod) { pods.apply(std::move(pod)); }

  /// Pods that are to be deleted at this moment.
  std::vector<std::string> due() {
    std::vector<std::string> names;
    for (const Decision& decision : eviction.due(now)) {
      names.push_back(std::get<EvictPod>(decision).pod.name);
    }
    return names;
  }
  std::vector<std::string> cancelled() {
    std::vector<std::string> names;
    for (const PodRef& pod : eviction.take_cancelled()) names.push_back(pod.name);
    return names;
  }
  Moment at() const {
    return {.now = now, .wall = noon + std::chrono::floor<std::chrono::microseconds>(now - start)};
  }

  Instant now = start;
  informer::Store<api::Node> nodes;
  informer::Store<api::NodeLease> leases;
  informer::Store<api::Pod> pods;
  informer::Index pods_by_node;
  TaintEviction eviction{
      View{.nodes = nodes, .leases = leases, .pods = pods, .pods_by_node = pods_by_node}, 1};

 private:
  void on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) override {
    if (before == nullptr) pods_by_node.add(pod.node_name, slot);
    eviction.pod_stored(slot, pod, before, at());
  }
  void on_removed(Slot slot, const api::Pod& pod) override {
    pods_by_node.remove(pod.node_name, slot);
    eviction.pod_removed(slot);
  }
  void on_synced() override {}
};

const std::vector<api::Toleration> ten_seconds{tolerates_for(taint::unreachable, 10),
                                               tolerates_for(taint::not_ready, 10)};

TEST_F(TaintEvictionTest, PodWithoutTolerationGoesAtOnce) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, TaintsOfOtherEffectsEvictNobody) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoSchedule")});
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_EQ(eviction.next_due(), std::nullopt);
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

TEST_F(TaintEvictionTest, SwapOfTheTwoOutageTaintsKeepsTheRunningCountdown) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::not_ready, "NoExecute")});
  now += 9s;
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(cancelled(), IsEmpty());
  now += 1s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
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
  EXPECT_EQ(eviction.next_due(), start + 30s);
  pod.tolerations = {tolerates_for(taint::unreachable, 200)};
  pod.resource_version = "3";
  store(pod);
  EXPECT_EQ(eviction.next_due(), start + 200s);
}

TEST_F(TaintEvictionTest, RemovalOfTheShorterToleratedTaintMovesTheDeadlineOut) {
  store(pod_on("n", "a", {tolerates_for("long", 100), tolerates_for("short", 10)}));
  taint_node({a_taint("long", "NoExecute"), a_taint("short", "NoExecute")});
  EXPECT_EQ(eviction.next_due(), start + 10s);
  now += 5s;
  taint_node({a_taint("long", "NoExecute")});
  EXPECT_EQ(eviction.next_due(), start + 100s);
}

TEST_F(TaintEvictionTest, PodThatComesToATaintedNodeHasItsWholePatience) {
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 1h;
  store(pod_on("n", "late", ten_seconds));
  EXPECT_EQ(eviction.next_due(), start + 1h + 10s);
  store(pod_on("n", "intolerant"));
  EXPECT_THAT(due(), ::testing::ElementsAre("intolerant"));
}

TEST_F(TaintEvictionTest, TaintSetByAnEarlierProcessCountsFromItsTimeWhereClocksAreProvenClose) {
  store(pod_on("n", "a", {tolerates_for(taint::unreachable, 300)}));
  eviction.trust_wall_clock(true, at());
  taint_node({a_taint(taint::unreachable, "NoExecute", noon - 200s)});
  EXPECT_EQ(eviction.next_due(), start + 101s);  // the written second may be almost over
}

TEST_F(TaintEvictionTest, TimeOfATaintIsNotBelievedFromAClockThatMayBeOff) {
  store(pod_on("n", "a", {tolerates_for(taint::unreachable, 300)}));
  taint_node({a_taint(taint::unreachable, "NoExecute", noon - 200s)});
  EXPECT_EQ(eviction.next_due(), start + 300s);
}

TEST_F(TaintEvictionTest, TimeOfATaintInTheFutureIsNotBelieved) {
  store(pod_on("n", "a", {tolerates_for(taint::unreachable, 300)}));
  eviction.trust_wall_clock(true, at());
  taint_node({a_taint(taint::unreachable, "NoExecute", noon + 1h)});
  EXPECT_EQ(eviction.next_due(), start + 300s);
}

TEST_F(TaintEvictionTest, TimeOfATaintOfAnyYearIsBorne) {
  store(pod_on("n", "a", {tolerates_for(taint::unreachable, 300)}));
  eviction.trust_wall_clock(true, at());
  taint_node({a_taint(taint::unreachable, "NoExecute", parse_rfc3339("9999-12-31T23:59:59Z"))});
  EXPECT_EQ(eviction.next_due(), start + 300s);
  taint_node({});
  taint_node({a_taint(taint::unreachable, "NoExecute", parse_rfc3339("0001-01-01T00:00:00Z"))});
  EXPECT_LT(eviction.next_due(), start);
}

TEST_F(TaintEvictionTest, TaintCountsFromItsTimeAlsoWhenClocksAreProvenCloseOnlyAfterwards) {
  store(pod_on("n", "a", {tolerates_for(taint::unreachable, 300)}));
  taint_node({a_taint(taint::unreachable, "NoExecute", noon - 200s)});
  eviction.trust_wall_clock(true, at());
  EXPECT_EQ(eviction.next_due(), start + 101s);
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

TEST_F(TaintEvictionTest, FailedEvictionIsWishedAgainUntilItSucceeds) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(due(), ::testing::ElementsAre("a"));
    eviction.refused(ref_of(pod), {.fault = Fault::Unavailable}, now);
    EXPECT_THAT(due(), IsEmpty());  // not before its back-off
    now += 15s;
  }
}

TEST_F(TaintEvictionTest, RetryAfterOfTheServerIsWaitedOut) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.refused(ref_of(pod), {.fault = Fault::Throttled, .retry_after = 7s}, now);
  EXPECT_EQ(eviction.next_due(), start + 7s);
}

TEST_F(TaintEvictionTest, AcceptedEvictionIsNotRepeatedWhileThePodLingers) {
  api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.evicted(ref_of(pod));
  taint_node({a_taint(taint::unreachable, "NoExecute"), a_taint("more", "NoExecute")});
  pod.resource_version = "2";
  pod.disruption_target = api::PodCondition{.status = api::ConditionStatus::True};
  store(pod);
  now += 1h;
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TaintEvictionTest, NewPodOfTheSameNameIsJudgedByItself) {
  api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.evicted(ref_of(pod));
  api::Pod successor = pod_on("n", "a", ten_seconds);
  successor.uid = "another";
  successor.resource_version = "9";
  store(successor);
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_EQ(eviction.next_due(), start + 10s);
}

TEST_F(TaintEvictionTest, CountdownOfADeletedNodeGoesOn) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  remove_node();
  now += 10s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
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
  EXPECT_EQ(eviction.next_due(), start + 10s);
}

TEST_F(TaintEvictionTest, PodThatVanishesTakesItsCountdownAlong) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  pods.remove("default/a");
  EXPECT_EQ(eviction.countdowns(), 0U);
}

TEST_F(TaintEvictionTest, DisruptionTargetOfSomebodyElseKeepsItsTransitionTime) {
  api::Pod pod = pod_on("n", "a");
  pod.disruption_target = api::PodCondition{.status = api::ConditionStatus::True,
                                            .reason = "PreemptionByScheduler",
                                            .last_transition = noon - 1min};
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const std::vector<Decision> decisions = eviction.due(now);
  ASSERT_EQ(decisions.size(), 1U);
  EXPECT_FALSE(std::get<EvictPod>(decisions[0]).already_target);
  EXPECT_EQ(std::get<EvictPod>(decisions[0]).target_since, noon - 1min);
}

}  // namespace
}  // namespace nlc::controller
