#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/eviction_answers.h"
#include "tests/controller/tainted_node.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::IsEmpty;

/// What follows when a pod of a tainted node is due: a condition, a deletion, and their answers.
class EvictionStepsTest : public TaintedNode {};

TEST_F(EvictionStepsTest, EvictionThatWasNeverSentIsWishedForAgainFromItsBeginning) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const std::vector<EvictPod> first = decisions();
  ASSERT_THAT(first, ::testing::SizeIs(1));
  EXPECT_THAT(due(), IsEmpty());
  eviction.not_sent(first[0].pod, now);
  const std::vector<EvictPod> again = decisions();
  ASSERT_THAT(again, ::testing::SizeIs(1));
  EXPECT_TRUE(again[0].first);
  EXPECT_FALSE(again[0].marked);
}

TEST_F(EvictionStepsTest, EvictionIsAConditionAndThenADeletion) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const std::vector<EvictPod> mark = decisions();
  ASSERT_EQ(mark.size(), 1U);
  EXPECT_TRUE(mark[0].first);
  EXPECT_FALSE(mark[0].marked);
  eviction.marked(mark[0].pod, now);
  const std::vector<EvictPod> deletion = decisions();
  ASSERT_EQ(deletion.size(), 1U);
  EXPECT_FALSE(deletion[0].first);
  EXPECT_TRUE(deletion[0].marked);
}

TEST_F(EvictionStepsTest, DeletionFollowsAMarkThatIsRefusedForGoodOrNotAnswered) {
  for (const Fault fault : {Fault::Forbidden, Fault::Invalid, Fault::Timeout}) {
    store(pod_on("n", "a"));
    taint_node({a_taint(taint::unreachable, "NoExecute")});
    eviction.not_marked(decisions().at(0).pod, {.fault = fault}, now);
    const std::vector<EvictPod> next = decisions();
    ASSERT_EQ(next.size(), 1U) << name_of(fault);
    EXPECT_TRUE(next[0].marked) << name_of(fault);
    pods.remove("default/a");
  }
}

TEST_F(EvictionStepsTest, DeletionFollowsAMarkThatFailsASecondTime) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  eviction.not_marked(decisions().at(0).pod, {.fault = Fault::Unavailable}, now);
  EXPECT_THAT(due(), IsEmpty()) << "not without a pause";
  now += 1s;
  const std::vector<EvictPod> again = decisions();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_FALSE(again[0].marked);
  eviction.not_marked(again[0].pod, {.fault = Fault::Unavailable}, now);
  const std::vector<EvictPod> deletion = decisions();
  ASSERT_EQ(deletion.size(), 1U);
  EXPECT_TRUE(deletion[0].marked);
}

TEST_F(EvictionStepsTest, NoDeletionFollowsAMarkOfAPodThatIsGoneOrOfWhoDoesNotLead) {
  for (const Fault fault : {Fault::NotFound, Fault::NotLeading}) {
    store(pod_on("n", "a"));
    taint_node({a_taint(taint::unreachable, "NoExecute")});
    for (int times = 0; times < 3; ++times) {
      const std::vector<EvictPod> mark = decisions();
      ASSERT_EQ(mark.size(), 1U) << name_of(fault);
      EXPECT_FALSE(mark[0].marked) << name_of(fault);
      eviction.not_marked(mark[0].pod, {.fault = fault}, now);
      EXPECT_THAT(due(), IsEmpty());
      now += 1min;
    }
    pods.remove("default/a");
  }
}

TEST_F(EvictionStepsTest, AnswerThatNobodyWaitsForChangesNothing) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  answer_all(eviction, ref_of(pod), now);
  answer_all(eviction, ref_of(pod_on("n", "nobody")), now);
  const std::vector<EvictPod> mark = decisions();
  ASSERT_EQ(mark.size(), 1U);
  EXPECT_TRUE(mark[0].first);
  EXPECT_FALSE(mark[0].marked);
  PodRef another = ref_of(pod);
  another.uid = "another";
  answer_all(eviction, another, now);
  EXPECT_THAT(due(), IsEmpty()) << "the pod's own is on its way";
}

TEST_F(EvictionStepsTest, MarkThatWasWrittenBeforeUsIsOursIfItSaysTheSame) {
  const auto marked = [this](const char* reason, const char* message) {
    api::Pod pod = pod_on("n", "a");
    pod.disruption_target = api::PodCondition{
        .status = api::ConditionStatus::True, .reason = reason, .message = message};
    store(pod);
    taint_node({a_taint(taint::unreachable, "NoExecute")});
    const bool is_marked = decisions().at(0).marked;
    pods.remove("default/a");
    return is_marked;
  };
  constexpr const char* ours = "Taint manager: deleting due to NoExecute taint";
  EXPECT_TRUE(marked("DeletionByTaintManager", ours));
  EXPECT_FALSE(marked("DeletionByTaintManager", "another"));
  EXPECT_FALSE(marked("PreemptionByScheduler", ours));
}

TEST_F(EvictionStepsTest, PodThatIsHeldIsAskedAboutAgainWhenThatIsOver) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  client::Room room = client::Room::unlimited();
  const auto agree = [](const std::string&) { return true; };
  std::vector<EvictionStep> left;
  const EvictionChecks checks{
      .held_until = [this](const PodDue& pod) -> std::optional<Instant> {
        EXPECT_EQ(pod.since, start);
        return now < start + 1s ? std::optional(start + 1s) : std::nullopt;
      },
      .requested = [&left](const PodDue& pod) { left.push_back(pod.step); }};
  EXPECT_THAT(eviction.due(now, room, agree, checks), IsEmpty());
  EXPECT_EQ(eviction.next_due(now), start + 1s);
  EXPECT_THAT(left, IsEmpty());
  now += 1s;
  EXPECT_THAT(eviction.due(now, room, agree, checks), ::testing::SizeIs(1));
  EXPECT_THAT(left, ::testing::ElementsAre(EvictionStep::Mark));
}

TEST_F(EvictionStepsTest, NodeThatComesBackBetweenTheTwoStepsKeepsItsPod) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const std::vector<EvictPod> mark = decisions();
  ASSERT_EQ(mark.size(), 1U);
  taint_node({});
  eviction.marked(mark[0].pod, now);
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("a"));
}

TEST_F(EvictionStepsTest, CancelThatMeetsTheDeletionOnItsWayIsToldAsThat) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  eviction.marked(decisions().at(0).pod, now);
  ASSERT_EQ(decisions().size(), 1U);
  taint_node({});
  EXPECT_THAT(cancelled(), IsEmpty());
  const std::vector<PodRef> overtaken = eviction.take_overtaken();
  ASSERT_EQ(overtaken.size(), 1U);
  EXPECT_EQ(overtaken[0].name, "a");
}

TEST_F(EvictionStepsTest, TimerThatSomebodyElsesDeletionOvertakesIsToldToBeCancelled) {
  api::Pod terminating = pod_on("n", "terminating", ten_seconds);
  store(terminating);
  store(pod_on("n", "gone", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  terminating.resource_version = "2";
  terminating.deleting = true;
  store(terminating);
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("terminating"));
  pods.remove("default/terminating");
  pods.remove("default/gone");
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("gone"));
}

TEST_F(EvictionStepsTest, DeletionThatWasAcceptedAndIsNotSeenIsAskedForAgain) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  ASSERT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.evicted(ref_of(pod), now);
  now += 59s;
  EXPECT_THAT(due(), IsEmpty());
  now += 1s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(EvictionStepsTest, DeletionThatARestoredServerForgotIsAskedForSoon) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  ASSERT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.evicted(ref_of(pod), now);
  eviction.doubt_accepted(now);
  now += 100ms;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(EvictionStepsTest, FailedEvictionIsWishedAgainUntilItSucceeds) {
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

TEST_F(EvictionStepsTest, DeletionNamesTheVersionThatItWasDecidedOn) {
  api::Pod pod = pod_on("n", "a");
  pod.resource_version = "7";
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const std::vector<EvictPod> evictions = decisions();
  ASSERT_THAT(evictions, ::testing::SizeIs(1));
  EXPECT_EQ(evictions[0].resource_version, "7");
}

TEST_F(EvictionStepsTest, PodThatHadChangedGoesAtOnceInWhateverVersionItIsByThenForTenSeconds) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const Error conflict{.fault = Fault::Conflict};
  const auto version = [this] {
    const std::vector<EvictPod> evictions = decisions();
    return evictions.empty() ? "none" : evictions[0].resource_version;
  };
  EXPECT_EQ(version(), pod.resource_version);
  EXPECT_FALSE(eviction.refused(ref_of(pod), conflict, now)) << "that is no trouble";
  EXPECT_EQ(version(), "");
  EXPECT_TRUE(eviction.refused(ref_of(pod), conflict, now)) << "it was no version that was refused";
  EXPECT_EQ(version(), "none") << "not before its back-off";
  now += 10s;
  EXPECT_EQ(version(), "");
  eviction.refused(ref_of(pod), {.fault = Fault::Unavailable}, now);
  now += 10s;
  EXPECT_EQ(version(), pod.resource_version);
}

TEST_F(EvictionStepsTest, TolerationThatWasAddedUnseenIsFoundByTheConflictAndKeepsThePod) {
  api::Pod pod = pod_on("n", "a", ten_seconds);
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 10s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.marked(ref_of(pod), now);
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.refused(ref_of(pod), {.fault = Fault::Conflict}, now);
  pod.resource_version = "2";
  pod.tolerations = {tolerates_for(taint::unreachable, std::nullopt)};
  store(pod);
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("a"));
  EXPECT_THAT(eviction.take_overtaken(), IsEmpty()) << "its deletion was refused";
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(EvictionStepsTest, RetryAfterOfTheServerIsWaitedOut) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.refused(ref_of(pod), {.fault = Fault::Throttled, .retry_after = 7s}, now);
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 7s);
}

TEST_F(EvictionStepsTest, AcceptedEvictionIsNotRepeatedWhileThePodLingers) {
  api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.evicted(ref_of(pod), now);
  taint_node({a_taint(taint::unreachable, "NoExecute"), a_taint("more", "NoExecute")});
  pod.resource_version = "2";
  pod.disruption_target = api::PodCondition{.status = api::ConditionStatus::True};
  store(pod);
  now += 59s;
  EXPECT_THAT(due(), IsEmpty());
  pod.resource_version = "3";
  pod.deleting = true;
  store(pod);
  now += 1h;
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(EvictionStepsTest, DisruptionTargetOfSomebodyElseKeepsItsTransitionTime) {
  api::Pod pod = pod_on("n", "a");
  pod.disruption_target = api::PodCondition{.status = api::ConditionStatus::True,
                                            .reason = "PreemptionByScheduler",
                                            .last_transition = noon - 1min};
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const std::vector<EvictPod> marks = decisions();
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_FALSE(marks[0].marked);
  EXPECT_EQ(marks[0].target_since, noon - 1min);
}

}  // namespace
}  // namespace nlc::controller
