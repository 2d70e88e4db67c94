#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>

#include "sim/scenario/defects_page.h"
#include "sim/scenario/report.h"
#include "sim/scenario/suite.h"

/// What stands in files: the conformance cases, the list of those that deviate, the examples of the
/// documentation, and the page that is made from the list.
namespace nlc::sim::scenario {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const std::string tree = NLC_SOURCE_DIR;

ScenarioFile file_at(const std::string& path) {
  Result<ScenarioFile> read = read_scenarios(path);
  EXPECT_TRUE(read) << read.error().path;
  return read ? std::move(*read) : ScenarioFile{};
}

ScenarioFile cases() {
  const std::string folder = std::string(NLC_CONFORMANCE_DIR) + "/cases/";
  ScenarioFile all = file_at(folder + "node-lifecycle.yaml");
  ScenarioFile newer = file_at(folder + "node-lifecycle-1.37.yaml");
  std::ranges::move(newer.cases, std::back_inserter(all.cases));
  std::ranges::move(newer.units, std::back_inserter(all.units));
  return all;
}

/// "NX-001" and "N137-NX-001" are of area NX.
std::string area_of(std::string id) {
  constexpr std::string_view of_1_37 = "N137-";
  if (id.starts_with(of_1_37)) id.erase(0, of_1_37.size());
  return id.substr(0, id.find('-'));
}

Deviations deviations() {
  Result<Deviations> read = read_deviations(tree + "/tests/scenarios/deviations.yaml");
  EXPECT_TRUE(read) << read.error().path;
  return read ? std::move(*read) : Deviations{};
}

void note_failure(const Outcome& outcome, std::vector<std::string>& lines) {
  if (outcome.verdict == Verdict::Failed) lines.push_back(failure_line(outcome));
}

TEST(Conformance, UnitCasesHoldOrDeviateAsListed) {
  const ScenarioFile file = cases();
  const Deviations list = deviations();
  std::vector<std::string> failed;
  for (const UnitCase& unit : file.units) {
    note_failure(run_listed(unit, list.find(unit.id)), failed);
  }
  EXPECT_THAT(failed, IsEmpty());
  EXPECT_EQ(file.units.size(), 108U);
}

class ConformanceOfArea : public ::testing::TestWithParam<const char*> {};

TEST_P(ConformanceOfArea, HoldsOrDeviatesAsListed) {
  const ScenarioFile file = cases();
  const Deviations list = deviations();
  std::vector<std::string> failed;
  std::size_t count = 0;
  for (const Scenario& scenario : file.cases) {
    if (area_of(scenario.id) != GetParam()) continue;
    ++count;
    note_failure(run_listed(scenario, list.find(scenario.id), {}), failed);
  }
  EXPECT_THAT(failed, IsEmpty());
  EXPECT_GT(count, 0U);
}

constexpr const char* areas[] = {"NH", "PN", "NX", "NS", "ZD", "LB", "EV", "LG", "TE", "E2", "LE"};
INSTANTIATE_TEST_SUITE_P(Cases, ConformanceOfArea, ::testing::ValuesIn(areas),
                         [](const auto& area) { return std::string(area.param); });

TEST(Conformance, EveryCaseWithATimelineIsOfAnAreaThatIsRun) {
  for (const Scenario& scenario : cases().cases) {
    EXPECT_THAT(areas, ::testing::Contains(::testing::StrEq(area_of(scenario.id)))) << scenario.id;
  }
}

TEST(Conformance, OnlyCasesThatThereAreAreListedAsDeviating) {
  const ScenarioFile file = cases();
  std::set<std::string> ids;
  for (const Scenario& scenario : file.cases) ids.insert(scenario.id);
  for (const UnitCase& unit : file.units) ids.insert(unit.id);
  for (const Deviation& deviation : deviations().cases) {
    EXPECT_TRUE(ids.contains(deviation.id)) << deviation.id;
  }
}

TEST(ExampleScenarios, Hold) {
  std::vector<std::string> failed;
  std::size_t files = 0;
  for (const fs::directory_entry& entry : fs::directory_iterator(tree + "/docs/scenarios")) {
    ++files;
    for (const Scenario& scenario : file_at(entry.path().string()).cases) {
      note_failure(run_scenario(scenario, {}), failed);
    }
  }
  EXPECT_THAT(failed, IsEmpty());
  EXPECT_EQ(files, 3U);
}

/// With NLC_WRITE_DOCS set the page is written instead.
TEST(DefectsPage, OfTheDocumentationIsWhatTheListSays) {
  const std::string path = tree + "/docs/defects.md";
  const std::string page = defects_page(deviations());
  if (std::getenv("NLC_WRITE_DOCS") != nullptr) std::ofstream(path) << page;
  std::ostringstream text;
  text << std::ifstream(path).rdbuf();
  EXPECT_EQ(text.str(), page) << "to write it anew: make docs";
}

}  // namespace
}  // namespace nlc::sim::scenario
