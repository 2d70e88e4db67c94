#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iostream>
#include <iterator>
#include <map>
#include <set>

#include "sim/scenario/deviations.h"
#include "sim/scenario/report.h"
#include "tests/conformance/unit_run.h"

/// The cases of node-lifecycle*.yaml: each holds as it is written, or deviates as listed.
namespace nlc::conformance {
namespace {

using namespace sim::scenario;
using ::testing::IsEmpty;

constexpr const char* list_path = NLC_CONFORMANCE_DIR "/deviations.yaml";
constexpr const char* paths[] = {NLC_CONFORMANCE_DIR "/cases/node-lifecycle.yaml",
                                 NLC_CONFORMANCE_DIR "/cases/node-lifecycle-1.37.yaml"};

std::vector<Scenario> timeline_cases() {
  std::vector<Scenario> all;
  for (const char* path : paths) {
    Result<ScenarioFile> read = read_scenarios(path);
    EXPECT_TRUE(read) << read.error().path;
    if (read) std::ranges::move(read->cases, std::back_inserter(all));
  }
  return all;
}

std::vector<UnitCase> units() {
  std::vector<UnitCase> all;
  for (const char* path : paths) std::ranges::move(read_units(path), std::back_inserter(all));
  return all;
}

/// "NX-001" and "N137-NX-001" are of area NX.
std::string area_of(std::string id) {
  constexpr std::string_view of_1_37 = "N137-";
  if (id.starts_with(of_1_37)) id.erase(0, of_1_37.size());
  return id.substr(0, id.find('-'));
}

Deviations deviations() {
  Result<Deviations> read = read_deviations(list_path);
  EXPECT_TRUE(read) << read.error().path;
  return read ? std::move(*read) : Deviations{};
}

void note_failure(const Outcome& outcome, std::vector<std::string>& lines) {
  if (outcome.verdict == Verdict::Failed) lines.push_back(failure_line(outcome));
}

std::map<std::string, UnitDeviation> unit_deviations() {
  std::map<std::string, UnitDeviation> all;
  for (const UnitDeviation& each : read_unit_deviations(list_path)) {
    EXPECT_TRUE(all.emplace(each.id, each).second) << each.id << " is listed twice";
  }
  return all;
}

TEST(CaseLedger, UnitCasesHoldOrDeviateAsListed) {
  const std::vector<UnitCase> all = units();
  const auto list = unit_deviations();
  std::vector<std::string> failed;
  std::vector<Outcome> outcomes;
  for (const UnitCase& unit : all) {
    const auto listed = list.find(unit.id);
    outcomes.push_back(run_listed(unit, listed == list.end() ? nullptr : &listed->second));
    note_failure(outcomes.back(), failed);
  }
  EXPECT_THAT(failed, IsEmpty());
  EXPECT_EQ(all.size(), 108U);
  std::cout << "unit sections of node-lifecycle*.yaml: " << all.size() << " cases, "
            << tally_line(tally_of(outcomes)) << "\n";
}

TEST(Conformance, UnitCasesDeviateForAReasonAndByWhatHoldsInstead) {
  const Deviations list = deviations();
  for (const auto& [id, unit] : unit_deviations()) {
    EXPECT_TRUE(std::ranges::count(list.reasons, unit.reason, &Reason::name)) << id;
    EXPECT_TRUE(unit.output || !unit.instead.empty()) << id << ": nothing holds in its place";
  }
}

class ConformanceOfArea : public ::testing::TestWithParam<const char*> {};

TEST_P(ConformanceOfArea, HoldsOrDeviatesAsListed) {
  const Deviations list = deviations();
  std::vector<std::string> failed;
  std::size_t count = 0;
  for (const Scenario& scenario : timeline_cases()) {
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
  for (const Scenario& scenario : timeline_cases()) {
    EXPECT_THAT(areas, ::testing::Contains(::testing::StrEq(area_of(scenario.id)))) << scenario.id;
  }
}

TEST(Conformance, OnlyCasesThatThereAreAreListedAsDeviating) {
  std::set<std::string> ids;
  for (const Scenario& scenario : timeline_cases()) ids.insert(scenario.id);
  for (const Deviation& deviation : deviations().cases) {
    EXPECT_TRUE(ids.contains(deviation.id)) << deviation.id;
  }
  std::set<std::string> unit_ids;
  for (const UnitCase& unit : units()) unit_ids.insert(unit.id);
  for (const auto& [id, unit] : unit_deviations()) EXPECT_TRUE(unit_ids.contains(id)) << id;
}

}  // namespace
}  // namespace nlc::conformance
