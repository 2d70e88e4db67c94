#include "sim/fuzz/play.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "sim/fuzz/drawn_day.h"
#include "sim/scenario/run.h"

namespace nlc::sim::fuzz {
namespace {

using ::testing::AllOf;
using ::testing::Ge;
using ::testing::HasSubstr;
using ::testing::Le;
using ::testing::Lt;
using ::testing::Not;

/// A day without trouble, on which a line can be added.
Day quiet_day() {
  Day day;
  day.seed = 1;
  day.ends = std::chrono::minutes(5);
  day.flags.push_back({.kind = "flag", .texts = {"node-monitor-grace-period: 40s"}});
  for (const char* name : {"a", "b", "c"}) {
    day.given.push_back(
        {.kind = "node",
         .texts = {"apiVersion: v1, kind: Node, metadata: {name: " + std::string(name) +
                   "}, status: {conditions: [{type: Ready, status: 'True'}]}"}});
    day.timeline.push_back({.kind = "kubelet",
                            .texts = {"from: 1s, until: 5m, every: 10s, renew_lease: {node: " +
                                      std::string(name) + "}"}});
  }
  return day;
}

/// It ends in the moment in which somebody cordons a node: no controller can have followed.
Day cordoned_day() {
  Day day = quiet_day();
  day.timeline.push_back(
      {.kind = "cordon",
       .texts = {"at: 5m, patch: {kind: Node, name: a, merge: {spec: {unschedulable: true}}}"}});
  return day;
}

std::string rule_broken(const Day& day) { return play(day).rule; }

TEST(Play, QuietDayBreaksNoRuleAndComesToPeace) {
  const DayResult result = play(quiet_day());
  EXPECT_TRUE(result.good()) << result.what;
}

/// A few of those that `make fuzz` plays by the thousand.
TEST(Play, DaysOfTroubleBreakNoRule) {
  for (std::uint64_t seed = 100; seed < 110; ++seed) {
    const DayResult result = play(day_of(seed));
    EXPECT_TRUE(result.good()) << "nlc fuzz --seed " << seed << ": " << result.what;
  }
}

/// What breaks no rule fails nowhere else: on these days replicas are to start that run, and a
/// watch is to tell of a node that never was.
TEST(Play, ADayThatBreaksNoRulePassesAsAScenarioToo) {
  for (const std::uint64_t seed : {19U, 116U, 1500U, 4711U}) {
    ASSERT_TRUE(play(day_of(seed)).good()) << seed;
    const auto file = scenario::read_scenario_text(scenario_text(day_of(seed)), "day");
    ASSERT_TRUE(file) << file.error().path;
    const scenario::Outcome outcome = scenario::run_scenario(file->cases.front(), {});
    for (const scenario::Failure& failure : outcome.failures) {
      ADD_FAILURE() << seed << ": " << failure.expectation << ": " << failure.seen;
    }
  }
}

TEST(Play, SameDayLeavesTheSameHash) {
  const Day day = day_of(11);
  EXPECT_EQ(play(day).hash, play(day).hash);
  EXPECT_NE(play(day).hash, play(quiet_day()).hash);
}

TEST(Play, ClusterThatIsNotAsTheModelSaysIsFound) {
  const DayResult result = play(cordoned_day());
  EXPECT_THAT(result.rule, HasSubstr("settled"));
  EXPECT_THAT(result.what, HasSubstr("node a"));
}

TEST(Shrink, LeavesOutWhateverTheFailureDoesNotNeed) {
  const Day day = cordoned_day();
  const DayResult result = play(day);
  std::size_t told = 0;
  const Day small = shrunk(day, rule_broken, [&](std::size_t) { ++told; });
  EXPECT_EQ(play(small).rule, result.rule);
  EXPECT_THAT(small.timeline.size() + small.given.size() + small.flags.size(), Le(3));
  EXPECT_GT(told, 0);
}

TEST(Shrink, LeavesADayAsItIsThatBreaksNoRule) {
  EXPECT_EQ(scenario_text(shrunk(quiet_day(), rule_broken)), scenario_text(quiet_day()));
}

/// One cannot go without the other: a heartbeat of a node that is not there is no step.
TEST(Shrink, LeavesOutANodeTogetherWithItsKubelet) {
  const Day small = shrunk(cordoned_day(), rule_broken);
  EXPECT_THAT(scenario_text(small), Not(HasSubstr("name: b")));
  EXPECT_THAT(scenario_text(small), Not(HasSubstr("node: b")));
}

TEST(Shrink, DoesNotLeaveTheLastControllerOut) {
  Day day = cordoned_day();
  day.timeline.push_back({.kind = "controller", .texts = {"at: 0s, start: controller"}});
  EXPECT_THAT(scenario_text(shrunk(day, rule_broken)), HasSubstr("start: controller"));
}

/// What the cluster is like hours later says nothing of what was done wrong at once.
TEST(Shrink, EndsADaySoonAfterItsRuleWasBroken) {
  Day day = quiet_day();
  day.flags.push_back({.kind = "flag", .texts = {"leader-elect: false"}});
  for (const char* start : {"at: 0s, start: controller, replica: first",
                            "at: 1m, start: controller, replica: second"}) {
    day.timeline.push_back({.kind = "controller", .texts = {start}});
  }
  const Day small = shrunk(day, rule_broken);
  EXPECT_EQ(play(small).rule, "one leader");
  EXPECT_THAT(small.ends, AllOf(Ge(std::chrono::minutes(1)), Lt(std::chrono::seconds(66))));
  EXPECT_THAT(scenario_text(small), Not(HasSubstr("settled")));
}

/// What was kept can be played as any other scenario, and fails there for the same reason.
TEST(Shrink, WhatIsLeftIsAScenarioThatFails) {
  const Day small = shrunk(cordoned_day(), rule_broken);
  const auto file = scenario::read_scenario_text(scenario_text(small), "day");
  ASSERT_TRUE(file);
  const scenario::Outcome outcome = scenario::run_scenario(file->cases.front(), {});
  ASSERT_EQ(outcome.verdict, scenario::Verdict::Failed);
  EXPECT_THAT(outcome.failures.front().seen, HasSubstr("settled: node a"));
}

}  // namespace
}  // namespace nlc::sim::fuzz
