#include <algorithm>
#include <array>
#include <cstdlib>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iostream>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/run.h"

/// A process may die at any moment. Whatever was written until then, the next one ends where the
/// first would have ended.
namespace nlc::sim::scenario {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

/// So long after the last step everything is at rest: graces, queues at a tenth of a node a second,
/// tolerations.
constexpr Duration until_rest = 20min;

constexpr std::array<std::string_view, 6> left_out{
    // The countdown of a pod whose node object is gone is known only to the process that saw it
    // begin; from then on such pods are the pod garbage collector's.
    "TE-108",
    // Its timeline deletes whichever node has no taint yet, which a crash may make another one.
    "NX-110",
    // --pod-eviction-timeout counts from what one process saw (spec/node-lifecycle.md "Eviction by
    // timeout"). When it has run out anew the other nodes have fallen silent too, and a total
    // disruption evicts nobody.
    "LG-024", "LG-104", "LG-105", "LG-109"};

std::vector<Scenario> cases_of(const std::string& area) {
  Result<ScenarioFile> file =
      read_scenarios(std::string(NLC_CONFORMANCE_DIR) + "/cases/node-lifecycle.yaml");
  EXPECT_TRUE(file) << file.error().path;
  std::vector<Scenario> chosen;
  if (!file) return chosen;
  for (Scenario& scenario : file->cases) {
    if (std::ranges::find(left_out, scenario.id) != left_out.end()) continue;
    if (scenario.id.starts_with(area)) chosen.push_back(std::move(scenario));
  }
  return chosen;
}

Ending ending_of(const Scenario& scenario, std::optional<std::uint64_t> stop_at_write) {
  RunOptions options;
  options.expect.emplace();  // only where it ends is of interest
  options.stop_at_write = stop_at_write;
  options.run_on = until_rest;
  Ending ending;
  run_scenario(scenario, options, &ending);
  return ending;
}

/// Each write of each case, as `make test-crashes` sets it; else a handful of a few cases. PN-004
/// marks thousands of pods alike: of its 6,000 writes a hundred, evenly spread.
bool every_write() { return std::getenv("NLC_EVERY_WRITE") != nullptr; }

constexpr std::size_t case_stride = 7;
constexpr std::uint64_t few = 3;
constexpr std::uint64_t many = 100;

std::set<std::uint64_t> crash_points(std::uint64_t writes) {
  const std::uint64_t most = every_write() ? many : few;
  const std::uint64_t step = std::max<std::uint64_t>(writes / most, 1);
  std::set<std::uint64_t> points;
  for (std::uint64_t write = 1; write <= writes; write += step) points.insert(write);
  return points;
}

class Crash : public ::testing::TestWithParam<std::string> {};

TEST_P(Crash, AtAnyWriteEndsWhereNoCrashWouldHaveEnded) {
  std::vector<std::string> astray;
  std::uint64_t pairs = 0;
  const std::vector<Scenario> cases = cases_of(GetParam());
  for (std::size_t i = 0; i < cases.size(); i += every_write() ? 1 : case_stride) {
    const Scenario& scenario = cases[i];
    const Ending undisturbed = ending_of(scenario, std::nullopt);
    for (const std::uint64_t write : crash_points(undisturbed.writes)) {
      ++pairs;
      const Ending crashed = ending_of(scenario, write);
      if (crashed.state == undisturbed.state) continue;
      astray.push_back(scenario.id + " after write " + std::to_string(write) + ": " +
                       nlohmann::json::diff(undisturbed.state, crashed.state).dump());
    }
  }
  std::cout << GetParam() << ": " << pairs << " crashes\n";
  EXPECT_GT(pairs, 0U);
  EXPECT_THAT(astray, IsEmpty());
}

INSTANTIATE_TEST_SUITE_P(Areas, Crash,
                         ::testing::Values("NH", "PN", "NX", "NS", "ZD", "LB", "EV", "LG", "TE",
                                           "E2", "LE"),
                         [](const auto& area) { return area.param; });

}  // namespace
}  // namespace nlc::sim::scenario
