#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "sim/scenario/report.h"
#include "sim/scenario/run.h"

/// Stories in which the controller sees nothing or the past (tests/scenarios/blind.yaml).
namespace nlc::sim::scenario {
namespace {

using ::testing::IsEmpty;

TEST(BlindController, CondemnsNoHealthyNodeAndStillFindsTheDead) {
  const Result<ScenarioFile> file =
      read_scenarios(std::string(NLC_SOURCE_DIR) + "/tests/scenarios/blind.yaml");
  ASSERT_TRUE(file) << file.error().path;
  std::vector<std::string> failed;
  for (const Scenario& scenario : file->cases) {
    const Outcome outcome = run_scenario(scenario, {});
    if (outcome.verdict == Verdict::Failed) failed.push_back(failure_line(outcome));
  }
  EXPECT_THAT(failed, IsEmpty());
  EXPECT_EQ(file->cases.size(), 7U);
}

/// That these stories can fail: with a grace of a quarter of the beats' distance they do.
TEST(BlindController, IsNotSparedByItsStories) {
  const Result<ScenarioFile> file =
      read_scenarios(std::string(NLC_SOURCE_DIR) + "/tests/scenarios/blind.yaml");
  ASSERT_TRUE(file) << file.error().path;
  RunOptions hasty;
  hasty.flags = {{"node-monitor-grace-period", "2500ms"}, {"node-monitor-period", "1s"}};
  EXPECT_EQ(run_scenario(file->cases.front(), hasty).verdict, Verdict::Failed);
}

}  // namespace
}  // namespace nlc::sim::scenario
