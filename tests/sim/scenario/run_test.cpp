#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/small_case.h"

namespace nlc::sim::scenario::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

const std::string judged =
    "{when: {becomes: [40s, 41s]}, that: [{node: {name: node0, conditions: {Ready: {status: "
    "Unknown}}}}]}";

std::string story_of(const Parts& parts) {
  std::string story;
  (void)play(parts, {.trace = [&](std::string_view line) { story.append(line).append("\n"); }});
  return story;
}

TEST(ScenarioRun, TwoRunsTellTheSameStoryByteForByte) {
  const Parts parts{.timeline = {"{at: 30s, restart: controller, down: 1s}",
                                 "{from: 50s, until: 90s, fail_api: {verb: '*', resource: pods, "
                                 "respond: {code: 429, reason: TooManyRequests}}}"},
                    .expect = {"{when: {at: 200s}, that: [{process: alive}]}"}};
  const std::string first = story_of(parts);
  EXPECT_EQ(first, story_of(parts));
  EXPECT_THAT(first, HasSubstr("the controller starts"));
}

TEST(ScenarioRun, TheStoryTellsWhatWasSeenDecidedAndWritten) {
  const std::string story = story_of({.expect = {judged}});
  EXPECT_THAT(story, HasSubstr("step        {from: 0s, until: 10m, every: 10s, heartbeat"));
  EXPECT_THAT(story, HasSubstr("controller  node marked unknown node=node0"));
  EXPECT_THAT(story, HasSubstr("request     PATCH nodes/node0/status {"));
  EXPECT_THAT(story, HasSubstr(" -> 200"));
}

TEST(ScenarioRun, OtherExpectationsCanStandInForThoseOfTheCase) {
  const Parts parts{.expect = {"{when: {at: 1s}, that: [{node: {name: node0, exists: false}}]}"}};
  EXPECT_EQ(play(parts).verdict, Verdict::Failed);
  EXPECT_EQ(play(parts, {.expect = case_of({.expect = {judged}}).expect}).verdict, Verdict::Passed);
}

TEST(ScenarioRun, TheEndingHasNoTimesInIt) {
  const Scenario scenario = case_of({.expect = {judged}});
  Ending ending;
  (void)run_scenario(scenario, {}, &ending);
  const nlohmann::json& node = ending.state["nodes"]["node0"];
  EXPECT_EQ(node["conditions"]["Ready"]["status"], "Unknown");
  EXPECT_EQ(node["taints"].size(), 2U);
  EXPECT_EQ(ending.state["pods"]["default/pod0"]["deleted"], false);
  EXPECT_THAT(ending.state.dump(), ::testing::Not(HasSubstr("2015-01-01")));
  EXPECT_GE(ending.writes, 3U);
}

TEST(ScenarioRun, AProcessThatDiesWithAnyOfItsWritesLeavesTheSameInTheEnd) {
  const Scenario scenario = case_of({.expect = {judged}});
  Ending whole;
  (void)run_scenario(scenario, {.run_on = std::chrono::seconds(60)}, &whole);
  for (std::uint64_t write = 1; write <= whole.writes; ++write) {
    Ending broken;
    (void)run_scenario(scenario, {.stop_at_write = write, .run_on = std::chrono::seconds(60)},
                       &broken);
    EXPECT_EQ(broken.state, whole.state) << "killed with write " << write;
  }
}

TEST(ScenarioRun, FeatureGatesThatTheControllerKnowsCount) {
  Scenario scenario = case_of(
      {.given = std::string(two_nodes) +
                "  - {apiVersion: v1, kind: Pod, metadata: {namespace: default, name: pod0}, spec: "
                "{nodeName: node1, tolerations: [{key: level, operator: Lt, value: '5', effect: "
                "NoExecute}]}, status: {conditions: [{type: Ready, status: 'True'}]}}\n",
       .timeline =
           {"{at: 5s, patch: {kind: Node, name: node1, merge: {spec: {taints: [{key: level, "
            "value: '4', effect: NoExecute}]}}}}"},
       .expect = {"{when: {holds: [0s, 30s]}, that: [{pod: {namespace: default, name: pod0, "
                  "deletion: none}}]}"}});
  EXPECT_THAT(run_scenario(scenario, {}).failures, Not(IsEmpty()));
  scenario.feature_gates = {{"TaintTolerationComparisonOperators", "true"},
                            {"GateOfAnotherRelease", "true"}};
  EXPECT_THAT(run_scenario(scenario, {}).failures, IsEmpty());
}

TEST(ScenarioRun, SeedsChangeNothingThatIsExpected) {
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    EXPECT_THAT(play({.expect = {judged}}, {.seed = seed}).failures, IsEmpty());
  }
}

}  // namespace
}  // namespace nlc::sim::scenario::testing
