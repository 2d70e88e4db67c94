#include <algorithm>
#include <filesystem>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <vector>

#include "sim/scenario/report.h"
#include "sim/scenario/run.h"

/// The scenarios of tests/scenarios: what must hold whatever servers, networks and kubelets do; and
/// the examples of the documentation.
namespace nlc::sim::scenario {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const fs::path folder = fs::path(NLC_SOURCE_DIR) / "tests" / "scenarios";

std::vector<std::string> files_in(const fs::path& place) {
  std::vector<std::string> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(place)) {
    if (entry.path().extension() == ".yaml") files.push_back(entry.path().string());
  }
  std::ranges::sort(files);
  return files;
}

std::vector<Scenario> cases_in(const std::string& file) {
  Result<ScenarioFile> read = read_scenarios(file);
  EXPECT_TRUE(read) << read.error().path;
  return read ? std::move(read->cases) : std::vector<Scenario>{};
}

std::vector<std::string> failures_in(const std::string& file) {
  std::vector<std::string> failed;
  const std::vector<Scenario> cases = cases_in(file);
  EXPECT_GT(cases.size(), 0U) << file;
  for (const Scenario& scenario : cases) {
    const Outcome outcome = run_scenario(scenario, {});
    if (outcome.verdict == Verdict::Failed) failed.push_back(failure_line(outcome));
  }
  return failed;
}

class ScenarioFiles : public ::testing::TestWithParam<std::string> {};

TEST_P(ScenarioFiles, Hold) { EXPECT_THAT(failures_in(GetParam()), IsEmpty()); }

INSTANTIATE_TEST_SUITE_P(Files, ScenarioFiles, ::testing::ValuesIn(files_in(folder)),
                         [](const auto& file) {
                           std::string name = fs::path(file.param).stem().string();
                           std::ranges::replace(name, '-', '_');
                           return name;
                         });

TEST(ExampleScenarios, Hold) {
  const std::vector<std::string> files = files_in(fs::path(NLC_SOURCE_DIR) / "docs" / "scenarios");
  for (const std::string& file : files) EXPECT_THAT(failures_in(file), IsEmpty()) << file;
  EXPECT_EQ(files.size(), 3U);
}

TEST(ScenarioIds, AreGivenOnce) {
  std::map<std::string, std::string> known;
  for (const std::string& file : files_in(folder)) {
    for (const Scenario& scenario : cases_in(file)) {
      const auto [place, is_new] = known.emplace(scenario.id, file);
      EXPECT_TRUE(is_new) << scenario.id << " of " << file << " is in " << place->second;
    }
  }
}

/// That these scenarios can fail: with a grace of a quarter of the heartbeats' distance they do.
TEST(BlindController, IsNotSparedByItsStories) {
  RunOptions hasty;
  hasty.flags = {{"node-monitor-grace-period", "2500ms"}, {"node-monitor-period", "1s"}};
  const std::vector<Scenario> cases = cases_in((folder / "blind.yaml").string());
  ASSERT_FALSE(cases.empty());
  EXPECT_EQ(run_scenario(cases.front(), hasty).verdict, Verdict::Failed);
}

}  // namespace
}  // namespace nlc::sim::scenario
