#include "sim/scenario/model/chance.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/scenario/model/name_pattern.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::sim::scenario {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::Eq;
using testing::Ge;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Ne;
using testing::SizeIs;

Step renewals(Chance chance) {
  Step step;
  step.from = 0s;
  step.until = 10min;
  step.every = 10s;
  step.action = RenewLease{.nodes = {"n"}, .chance = chance};
  return step;
}

std::vector<TimedHeartbeat> heartbeats_of(const Step& step, HeartbeatSchedule::Source source) {
  std::vector<TimedHeartbeat> all;
  HeartbeatSchedule heartbeats(step, source);
  while (const std::optional<TimedHeartbeat> heartbeat = heartbeats.next())
    all.push_back(*heartbeat);
  return all;
}

std::vector<Duration> times_of(const std::vector<TimedHeartbeat>& heartbeats) {
  std::vector<Duration> times;
  for (const TimedHeartbeat& heartbeat : heartbeats) times.push_back(heartbeat.at);
  return times;
}

TEST(HeartbeatSchedule, WithLossAloneTheyComeExactlyWhenTheStepSays) {
  const std::vector<TimedHeartbeat> heartbeats = heartbeats_of(renewals({.loss = 0.5}), {1, 0, 0});
  ASSERT_THAT(heartbeats, SizeIs(61));
  for (std::size_t i = 0; i < heartbeats.size(); ++i) EXPECT_THAT(heartbeats[i].at, Eq(i * 10s));
}

TEST(HeartbeatSchedule, OnlyTheLastOneIsTheLast) {
  const std::vector<TimedHeartbeat> heartbeats = heartbeats_of(renewals({.loss = 0.5}), {1, 0, 0});
  for (const TimedHeartbeat& heartbeat : heartbeats)
    EXPECT_THAT(heartbeat.last, Eq(&heartbeat == &heartbeats.back()));
}

TEST(HeartbeatSchedule, ShareThatIsLostIsTheOneAskedFor) {
  std::size_t lost = 0;
  std::size_t all = 0;
  for (std::size_t node = 0; node < 200; ++node) {
    for (const TimedHeartbeat& heartbeat : heartbeats_of(renewals({.loss = 0.05}), {3, 0, node})) {
      ++all;
      lost += heartbeat.lost ? 1 : 0;
    }
  }
  const double share = static_cast<double>(lost) / static_cast<double>(all);
  EXPECT_THAT(share, Ge(0.04));
  EXPECT_THAT(share, Le(0.06));
}

TEST(HeartbeatSchedule, JitterMakesEachHeartbeatLateByUpToSoMuchAndTheDelaysDoNotAddUp) {
  const std::vector<TimedHeartbeat> heartbeats = heartbeats_of(renewals({.jitter = 1s}), {1, 0, 0});
  Duration earliest = 10s;
  Duration latest = 0s;
  for (std::size_t i = 0; i < heartbeats.size(); ++i) {
    const Duration phase = heartbeats[i].at - i * 10s;
    earliest = std::min(earliest, phase);
    latest = std::max(latest, phase);
  }
  EXPECT_THAT(latest - earliest, Le(1s));
  EXPECT_THAT(latest - earliest, Ge(500ms));
}

TEST(HeartbeatSchedule, JitterGivesNodesPhasesAllOverTheInterval) {
  std::size_t early = 0;
  for (std::size_t node = 0; node < 100; ++node) {
    if (heartbeats_of(renewals({.jitter = 1ms}), {1, 0, node}).front().at < 5s) ++early;
  }
  EXPECT_THAT(early, Ge(30U));
  EXPECT_THAT(early, Le(70U));
}

TEST(HeartbeatSchedule, NoHeartbeatComesAfterTheEndOfTheStep) {
  for (std::size_t node = 0; node < 100; ++node) {
    EXPECT_THAT(heartbeats_of(renewals({.jitter = 10s}), {1, 0, node}).back().at, Le(10min));
  }
}

TEST(HeartbeatSchedule, SeedStepAndNodeEachMakeOtherHeartbeats) {
  const Step step = renewals({.jitter = 1s});
  const std::vector<Duration> first = times_of(heartbeats_of(step, {1, 0, 0}));
  EXPECT_THAT(times_of(heartbeats_of(step, {1, 0, 0})), Eq(first));
  EXPECT_THAT(times_of(heartbeats_of(step, {2, 0, 0})), Ne(first));
  EXPECT_THAT(times_of(heartbeats_of(step, {1, 1, 0})), Ne(first));
  EXPECT_THAT(times_of(heartbeats_of(step, {1, 0, 1})), Ne(first));
}

TEST(HeartbeatSchedule, StepWithoutEveryHasOneHeartbeatUpToItsJitterLate) {
  Step step = renewals({.jitter = 2s});
  step.every.reset();
  step.from = step.until = 30s;
  const std::vector<TimedHeartbeat> heartbeats = heartbeats_of(step, {1, 0, 0});
  ASSERT_THAT(heartbeats, SizeIs(1));
  EXPECT_THAT(heartbeats.front().at, Ge(30s));
  EXPECT_THAT(heartbeats.front().at, Le(32s));
  EXPECT_TRUE(heartbeats.front().last);
}

TEST(NodePatterns, StarStandsForAnyLetters) {
  EXPECT_TRUE(matches_pattern("node-*", "node-17"));
  EXPECT_TRUE(matches_pattern("node-*", "node-"));
  EXPECT_TRUE(matches_pattern("*", "anything"));
  EXPECT_TRUE(matches_pattern("a*-*z", "ab-cz"));
  EXPECT_FALSE(matches_pattern("node-*", "old-node-1"));
  EXPECT_FALSE(matches_pattern("a*z", "abc"));
  EXPECT_FALSE(matches_pattern("node-1", "node-17"));
}

ScenarioFile read(const std::string& steps) {
  const std::string text =
      "cases:\n"
      "- id: ONE\n"
      "  given:\n"
      "  - {generate: {nodes: 3, name: node-%d, ready: 'True'}}\n"
      "  - {generate: {nodes: 1, name: other-%d, ready: 'True'}}\n"
      "  timeline:\n" +
      steps + "  expect:\n  - {when: {at: 0s}, that: [{process: alive}]}\n";
  Result<ScenarioFile> file = read_scenario_text(text, "x.yaml");
  EXPECT_TRUE(file) << file.error().path;
  return file ? std::move(*file) : ScenarioFile{};
}

std::string problem_of(const std::string& steps) {
  const ScenarioFile file = read(steps);
  if (file.cases.size() != 1 || file.cases[0].problems.empty()) return "none";
  return file.cases[0].problems[0].expectation + ": " + file.cases[0].problems[0].seen;
}

TEST(ChanceInFiles, PatternsBecomeTheNodesThatAreGiven) {
  const ScenarioFile file =
      read("  - {from: 0s, until: 1m, every: 10s, renew_lease: {node: ['node-*', elsewhere]}}\n");
  EXPECT_THAT(heartbeat_nodes(file.cases.at(0).timeline.at(0)),
              ElementsAre("node-0", "node-1", "node-2", "elsewhere"));
}

TEST(ChanceInFiles, PatternWithoutAnyNodeIsAProblem) {
  EXPECT_THAT(problem_of("  - {at: 0s, renew_lease: {node: 'nude-*'}}\n"),
              Eq("x.yaml:7: the pattern nude-* found, a pattern of a node expected"));
}

TEST(ChanceInFiles, LossAndJitterStandBesideTheNodes) {
  const ScenarioFile file = read(
      "  - {from: 0s, until: 1m, every: 10s, heartbeat: {node: node-0, loss: 5%, jitter: 1s}}\n");
  const Chance& chance = chance_of(file.cases.at(0).timeline.at(0));
  EXPECT_THAT(chance.loss, testing::DoubleEq(0.05));
  EXPECT_THAT(chance.jitter, Eq(1s));
}

TEST(ChanceInFiles, StepsWithoutThemAreExact) {
  const ScenarioFile file = read("  - {at: 0s, heartbeat: {node: node-0, ready: 'True'}}\n");
  EXPECT_FALSE(chance_of(file.cases.at(0).timeline.at(0)).matters());
}

TEST(ChanceInFiles, ShareIsAPercentage) {
  for (const char* loss : {"0.05", "120%", "-1%", "'%'", "five"}) {
    EXPECT_THAT(
        problem_of("  - {at: 0s, heartbeat: {node: node-0, loss: " + std::string(loss) + "}}\n"),
        HasSubstr("a share from 0% to 100%, such as 5%, expected"));
  }
}

TEST(ChanceInFiles, JitterMayNotReachIntoTheBeatAfterTheNext) {
  EXPECT_THAT(
      problem_of("  - {from: 0s, until: 1m, every: 10s, heartbeat: {node: node-0, jitter: 11s}}\n"),
      Eq("x.yaml:7: a jitter of 11s found, not more than the step's every expected"));
}

TEST(ChanceInFiles, BeatThatWaitsForAFactCannotComeByChance) {
  EXPECT_THAT(problem_of("  - {at: 0s, when: node-1 Ready is Unknown, heartbeat: {node: node-0, "
                         "loss: 5%}}\n"),
              HasSubstr("at a time of its own expected"));
}

}  // namespace
}  // namespace nlc::sim::scenario
