#include "controller/pods/timeout_eviction.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/eviction_answers.h"
#include "tests/controller/observed_pods.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::UnorderedElementsAre;

/// Pods of two nodes.
class TimeoutEvictionTest : public ObservedPods<TimeoutEviction, EvictLostPod> {
 protected:
  TimeoutEvictionTest() { pods.replace({}); }

 private:
  void tell_stored(Slot slot, const api::Pod& pod, const api::Pod* before) override {
    eviction.pod_stored(slot, pod, before, now);
  }
  void tell_removed(Slot slot, const api::Pod&) override { eviction.pod_removed(slot); }
};

TEST_F(TimeoutEvictionTest, AllPodsOfThatNodeLeaveAndNoOthers) {
  store(pod_on("n", "a"));
  store(pod_on("n", "b"));
  store(pod_on("other", "c"));
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_EQ(eviction.begin("n", now), 2U);
  EXPECT_THAT(due(), UnorderedElementsAre("a", "b"));
  EXPECT_THAT(due(), IsEmpty());  // on their way
}

TEST_F(TimeoutEvictionTest, PodsOfDaemonSetsAndFinishedPodsStay) {
  api::Pod daemon = pod_on("n", "daemon");
  daemon.daemon = true;
  api::Pod finished = pod_on("n", "finished");
  finished.finished = true;
  store(daemon);
  store(finished);
  EXPECT_EQ(eviction.begin("n", now), 2U);
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TimeoutEvictionTest, TerminatingPodIsOnlyToldToBeLost) {
  api::Pod pod = pod_on("n", "a");
  pod.deleting = true;
  store(pod);
  eviction.begin("n", now);
  const std::vector<EvictLostPod> found = decisions();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_TRUE(found[0].terminating);
  EXPECT_FALSE(found[0].marked);
  eviction.marked(found[0].pod, now);
  pod.resource_version = "2";
  pod.lost = true;
  store(pod);
  now += 1h;
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TimeoutEvictionTest, DeletionFollowsAMarkThatIsTakenOrRefused) {
  for (const Fault fault : {Fault::Forbidden, Fault::Unavailable, Fault::Timeout}) {
    store(pod_on("n", "a"));
    eviction.begin("n", now);
    const std::vector<EvictLostPod> mark = decisions();
    ASSERT_EQ(mark.size(), 1U);
    EXPECT_TRUE(mark[0].first);
    EXPECT_FALSE(mark[0].marked);
    eviction.not_marked(mark[0].pod, {.fault = fault}, now);
    const std::vector<EvictLostPod> deletion = decisions();
    ASSERT_EQ(deletion.size(), 1U) << name_of(fault);
    EXPECT_TRUE(deletion[0].marked);
    EXPECT_FALSE(deletion[0].first);
    pods.remove("default/a");
  }
}

TEST_F(TimeoutEvictionTest, MarkThatMeetsAConflictIsTriedOnceMoreAndThenLeftOut) {
  store(pod_on("n", "a"));
  eviction.begin("n", now);
  eviction.not_marked(decisions().at(0).pod, {.fault = Fault::Conflict}, now);
  EXPECT_THAT(due(), IsEmpty()) << "not without a pause";
  now += 1s;
  const std::vector<EvictLostPod> again = decisions();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_FALSE(again[0].marked);
  eviction.not_marked(again[0].pod, {.fault = Fault::Conflict}, now);
  EXPECT_TRUE(decisions().at(0).marked);
}

TEST_F(TimeoutEvictionTest, MarkOfATerminatingPodIsTriedAfterEachConflict) {
  api::Pod pod = pod_on("n", "a");
  pod.deleting = true;
  store(pod);
  eviction.begin("n", now);
  for (int times = 0; times < 3; ++times) {
    const std::vector<EvictLostPod> mark = decisions();
    ASSERT_EQ(mark.size(), 1U);
    EXPECT_FALSE(mark[0].marked);
    eviction.not_marked(mark[0].pod, {.fault = Fault::Conflict}, now);
    now += 1min;
  }
  eviction.not_marked(decisions().at(0).pod, {.fault = Fault::Forbidden}, now);
  EXPECT_THAT(due(), IsEmpty()) << "it is being deleted already";
}

TEST_F(TimeoutEvictionTest, MarkThatWasNotSentIsTriedAgain) {
  store(pod_on("n", "a"));
  eviction.begin("n", now);
  eviction.not_marked(decisions().at(0).pod, {.fault = Fault::NotLeading}, now);
  now += 1s;
  EXPECT_FALSE(decisions().at(0).marked);
}

TEST_F(TimeoutEvictionTest, AnswerThatNobodyWaitsForChangesNothing) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  eviction.begin("n", now);
  answer_all(eviction, ref_of(pod), now);
  answer_all(eviction, ref_of(pod_on("n", "nobody")), now);
  const std::vector<EvictLostPod> mark = decisions();
  ASSERT_EQ(mark.size(), 1U);
  EXPECT_FALSE(mark[0].marked);
  PodRef another = ref_of(pod);
  another.uid = "another";
  answer_all(eviction, another, now);
  EXPECT_THAT(due(), IsEmpty()) << "the pod's own is on its way";
  eviction.not_sent(ref_of(pod), now);
  EXPECT_THAT(due(), ElementsAre("a"));
}

TEST_F(TimeoutEvictionTest, DeletionThatShowsNoEffectIsAskedForAgainFromItsBeginning) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  eviction.begin("n", now);
  eviction.marked(decisions().at(0).pod, now);
  ASSERT_TRUE(decisions().at(0).marked);
  eviction.evicted(ref_of(pod), now);
  now += 1min;
  const std::vector<EvictLostPod> again = decisions();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_FALSE(again[0].marked);
}

TEST_F(TimeoutEvictionTest, PodThatIsHeldIsAskedAboutAgainWhenThatIsOver) {
  store(pod_on("n", "a"));
  eviction.begin("n", now);
  client::Room room = client::Room::unlimited();
  const auto agree = [](const std::string&) { return true; };
  std::vector<EvictionStep> left;
  const EvictionChecks checks{
      .held_until = [this](const PodDue& pod) -> std::optional<Instant> {
        EXPECT_EQ(pod.since, start);
        return now < start + 1s ? std::optional(start + 1s) : std::nullopt;
      },
      .confirmed = [this](const std::string&, Instant) { return now > start + 1s; },
      .requested = [&left](const PodDue& pod) { left.push_back(pod.step); }};
  EXPECT_THAT(eviction.due(now, room, agree, checks), ::testing::IsEmpty());
  EXPECT_EQ(eviction.next_due(now), start + 1s);
  now += 1s;
  EXPECT_THAT(eviction.due(now, room, agree, checks), ::testing::IsEmpty()) << "not read yet";
  EXPECT_THAT(eviction.due(now, room, {}, checks), ::testing::IsEmpty()) << "no node's pods may";
  EXPECT_THAT(left, ::testing::IsEmpty());
  now += 1ns;
  EXPECT_THAT(eviction.due(now, room, agree, checks), ::testing::SizeIs(1));
  EXPECT_THAT(left, ElementsAre(EvictionStep::Mark));
}

TEST_F(TimeoutEvictionTest, OfEachPodItIsToldWhetherItLeavesItsNode) {
  const auto told = [this] {
    std::vector<std::string> turns;
    for (const TimeoutEviction::TurnResult& turn : eviction.take_turns())
      turns.push_back(turn.node + (turn.failed ? " failed" : " leaves"));
    return turns;
  };
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  eviction.begin("n", now);
  ASSERT_THAT(due(), ElementsAre("a"));
  EXPECT_THAT(told(), IsEmpty());
  eviction.not_marked(ref_of(pod), {.fault = Fault::Throttled}, now);
  EXPECT_THAT(told(), IsEmpty()) << "that it goes matters more than why";
  ASSERT_TRUE(decisions().at(0).marked);
  eviction.refused(ref_of(pod), {.fault = Fault::Throttled}, now);
  EXPECT_THAT(told(), ElementsAre("n failed"));
  now += 1min;
  ASSERT_TRUE(decisions().at(0).marked);
  eviction.evicted(ref_of(pod), now);
  EXPECT_THAT(told(), ElementsAre("n leaves"));
}

TEST_F(TimeoutEvictionTest, PodThatComesLateLeavesAtOnce) {
  eviction.begin("n", now);
  store(pod_on("n", "late"));
  EXPECT_THAT(due(), ElementsAre("late"));
}

TEST_F(TimeoutEvictionTest, PodsThatHaveNotBeenAskedForStayWhenTheNodeReturns) {
  store(pod_on("n", "a"));
  eviction.begin("n", now);
  eviction.end("n", now);
  EXPECT_THAT(due(), IsEmpty());
  store(pod_on("n", "late"));
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TimeoutEvictionTest, RefusedPodIsWishedAgainAndHoldsUpNoOther) {
  const api::Pod stubborn = pod_on("n", "a");
  store(stubborn);
  store(pod_on("n", "b"));
  eviction.begin("n", now);
  EXPECT_THAT(due(), UnorderedElementsAre("a", "b"));
  for (int i = 0; i < 20; ++i) {
    eviction.refused(ref_of(stubborn), {.fault = Fault::Unavailable}, now);
    EXPECT_THAT(due(), IsEmpty());  // not before its back-off
    now = eviction.next_due(now).value();
    const std::vector<EvictLostPod> again = decisions();
    ASSERT_EQ(again.size(), 1U);
    EXPECT_EQ(again[0].pod.name, "a");
    EXPECT_FALSE(again[0].first);
  }
}

TEST_F(TimeoutEvictionTest, AcceptedEvictionIsNotRepeatedWhileThePodLingers) {
  api::Pod pod = pod_on("n", "a");
  store(pod);
  eviction.begin("n", now);
  ASSERT_THAT(due(), ElementsAre("a"));
  eviction.evicted(ref_of(pod), now);
  pod.resource_version = "2";
  pod.lost = true;  // its mark is seen before its deletion
  store(pod);
  now += 59s;
  EXPECT_THAT(due(), IsEmpty());
  pod.resource_version = "3";
  pod.deleting = true;
  store(pod);
  now += 1h;
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TimeoutEvictionTest, NewPodOfTheSameNameLeavesToo) {
  api::Pod pod = pod_on("n", "a");
  store(pod);
  eviction.begin("n", now);
  ASSERT_THAT(due(), ElementsAre("a"));
  eviction.evicted(ref_of(pod), now);
  pod.uid = "another";
  pod.resource_version = "9";
  store(pod);
  const std::vector<EvictLostPod> found = decisions();
  ASSERT_EQ(found.size(), 1U);
  EXPECT_EQ(found[0].pod.uid, "another");
  EXPECT_TRUE(found[0].first);
}

}  // namespace
}  // namespace nlc::controller
