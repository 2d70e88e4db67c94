#include "sim/kubelet/hollow_pods.h"

#include <gtest/gtest.h>

namespace nlc::sim {
namespace {

using namespace std::chrono_literals;
using api::ConditionStatus;

const Instant start{std::chrono::hours(1)};
const WallTime midday{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 12h};
const PodTiming timing{.start = 1s, .termination = 2s, .sync = 10s};

api::Pod bound() {
  return {.namespace_ = "default", .name = "web", .uid = "u1", .node_name = "hollow-1"};
}

api::Pod with_ready(api::Pod pod, ConditionStatus status) {
  pod.ready = api::PodCondition{.status = status, .last_transition = midday};
  return pod;
}

api::Pod running() { return with_ready(bound(), ConditionStatus::True); }

api::Pod marked(api::Pod pod) {
  pod.deleting = true;
  return pod;
}

api::Pod finished(api::Pod pod) {
  pod.finished = true;
  return with_ready(std::move(pod), ConditionStatus::False);
}

/// What is due at a moment, as one action; None when nothing or more is.
PodAction due(HollowPods& pods, Instant now) {
  const std::vector<PodJob> jobs = pods.take_due(now, midday);
  return jobs.size() == 1 ? jobs.front().action : PodAction::None;
}

TEST(HollowPods, BoundPodIsStartedAfterTheStartTime) {
  HollowPods pods(timing);
  pods.observe(bound(), start);
  EXPECT_EQ(pods.next_due(), start + 1s);
  EXPECT_EQ(due(pods, start + 1s - 1ns), PodAction::None);
  EXPECT_EQ(due(pods, start + 1s), PodAction::Start);
}

TEST(HollowPods, RunningPodNeedsNothing) {
  HollowPods pods(timing);
  pods.observe(running(), start);
  EXPECT_EQ(pods.next_due(), std::nullopt);
  EXPECT_EQ(pods.running(), 1U);
}

TEST(HollowPods, PodMarkedForDeletionIsFinishedAndThenRemoved) {
  HollowPods pods(timing);
  pods.observe(running(), start);
  pods.observe(marked(running()), start);
  EXPECT_EQ(due(pods, start + 2s), PodAction::Finish);
  pods.observe(finished(marked(running())), start + 2s);
  pods.on_done("default/web", true, start + 2s);
  EXPECT_EQ(due(pods, start + 2s), PodAction::Remove);
  pods.forget("default/web");
  EXPECT_EQ(pods.size(), 0U);
}

TEST(HollowPods, OverwrittenReadinessIsPostedAgainAtTheNextSyncWithItsOldTime) {
  HollowPods pods(timing);
  pods.observe(running(), start);
  pods.observe(with_ready(bound(), ConditionStatus::False), start);
  EXPECT_EQ(pods.running(), 0U);
  const std::vector<PodJob> jobs = pods.take_due(start + 10s, midday + 1h);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs.front().action, PodAction::Repair);
  EXPECT_EQ(jobs.front().started, midday);
}

TEST(HollowPods, FurtherChangesOfAPodDoNotPutItsActionOff) {
  HollowPods pods(timing);
  pods.observe(bound(), start);
  pods.observe(bound(), start + 900ms);
  EXPECT_EQ(due(pods, start + 1s), PodAction::Start);
}

TEST(HollowPods, OneJobAtATimeForEachPod) {
  HollowPods pods(timing);
  pods.observe(bound(), start);
  EXPECT_EQ(due(pods, start + 1s), PodAction::Start);
  pods.observe(marked(bound()), start + 1s);
  EXPECT_EQ(due(pods, start + 1h), PodAction::None);
  pods.on_done("default/web", true, start + 1h);
  EXPECT_EQ(due(pods, start + 1h), PodAction::Finish);
}

TEST(HollowPods, RefusedJobIsTriedAgainAtTheNextSync) {
  HollowPods pods(timing);
  pods.observe(bound(), start);
  EXPECT_EQ(due(pods, start + 1s), PodAction::Start);
  pods.on_done("default/web", false, start + 2s);
  EXPECT_EQ(pods.next_due(), start + 12s);
  EXPECT_EQ(due(pods, start + 12s), PodAction::Start);
}

TEST(HollowPods, AcceptedJobIsNotRepeatedUnlessTheServerShowsTheOldState) {
  HollowPods pods(timing);
  pods.observe(bound(), start);
  EXPECT_EQ(due(pods, start + 1s), PodAction::Start);
  pods.on_done("default/web", true, start + 1s);
  EXPECT_EQ(pods.next_due(), std::nullopt);
}

TEST(HollowPods, RestartTakesUpJobsThatWereLost) {
  HollowPods pods(timing);
  pods.observe(marked(running()), start);
  EXPECT_EQ(due(pods, start + 2s), PodAction::Finish);
  pods.restart(start + 1min);
  EXPECT_EQ(due(pods, start + 1min + 2s), PodAction::Finish);
}

TEST(HollowPods, PodOfTheSameNameWithAnotherUidStartsAnew) {
  HollowPods pods(timing);
  pods.observe(running(), start);
  api::Pod another = bound();
  another.uid = "u2";
  pods.observe(another, start + 1min);
  EXPECT_EQ(pods.size(), 1U);
  const std::vector<PodJob> jobs = pods.take_due(start + 1min + 1s, midday);
  ASSERT_EQ(jobs.size(), 1U);
  EXPECT_EQ(jobs.front().uid, "u2");
  EXPECT_EQ(jobs.front().action, PodAction::Start);
}

TEST(HollowPods, FinishedPodThatNobodyDeletesIsLeftAlone) {
  HollowPods pods(timing);
  pods.observe(finished(bound()), start);
  EXPECT_EQ(pods.next_due(), std::nullopt);
}

}  // namespace
}  // namespace nlc::sim
