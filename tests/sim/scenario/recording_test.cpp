#include "sim/scenario/recording.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/small_case.h"

namespace nlc::sim::scenario {
namespace {

using namespace testing;
using nlohmann::json;
using ::testing::ElementsAre;

json recorded(const Parts& parts, const Settings& flags = {}) {
  const Result<std::string> run = record(case_of(parts), {.flags = flags});
  EXPECT_TRUE(run) << run.error().path;
  return run ? json::parse(*run) : json{};
}

/// Seconds since the start at which that node was told to have another status, and which.
std::vector<std::pair<double, std::string>> statuses(const json& run, const std::string& name) {
  std::vector<std::pair<double, std::string>> told;
  for (const json& frame : run["frames"]) {
    const json& change = frame["change"];
    const double at = (change["at"].get<double>() - run["begin"].get<double>()) / 1000;
    for (const json& node : change.value("nodes", json::array())) {
      const std::string status = node[2];
      const bool another = told.empty() || told.back().second != status;
      if (node[0] == name && another) told.emplace_back(at, status);
    }
  }
  return told;
}

std::vector<std::string> states(const json& run, const std::string& about) {
  std::vector<std::string> told;
  for (const json& answer : run["answers"]) {
    const std::string state = answer[2]["state"];
    if (answer[1] == about && (told.empty() || told.back() != state)) told.push_back(state);
  }
  return told;
}

TEST(Recording, TellsWithEachSecondWhatHasChanged) {
  const json run = recorded({.flags = {"node-eviction-rate: 1"}});
  EXPECT_EQ(run["frames"][0]["kind"], "snapshot");
  using Told = std::pair<double, std::string>;
  EXPECT_THAT(statuses(run, "node0"), ElementsAre(Told{1, "ready"}, Told{41, "evicting"}));
  EXPECT_EQ(statuses(run, "node1").size(), 1U);
}

/// Without tolerations.
constexpr std::string_view mortal_pod =
    "  - {apiVersion: v1, kind: Pod, metadata: {name: pod0}, spec: {nodeName: node0}, status: "
    "{conditions: [{type: Ready, status: 'True'}]}}\n";

TEST(Recording, KeepsWhyANodeAndItsPodWereAsTheyWere) {
  const json run = recorded({.flags = {"node-eviction-rate: 1"},
                             .given = std::string(two_nodes) + std::string(mortal_pod)});
  EXPECT_THAT(states(run, "node/node0"),
              ElementsAre("not_synced", "healthy", "within_grace", "tainted"));
  EXPECT_THAT(states(run, "pod/default/pod0"), ElementsAre("not_synced", "stays", "terminating"));
}

TEST(Recording, TakesFlagsThatWinOverThoseOfTheCase) {
  EXPECT_EQ(statuses(recorded({}, {{"node-monitor-grace-period", "100s"}}), "node0")[1].first, 101);
}

TEST(Recording, SaysThatNobodyLeadsWhileNoReplicaRuns) {
  const json run =
      recorded({.timeline = {"{at: 100s, kill: controller}", "{at: 200s, start: controller}"}});
  std::vector<std::string> roles;
  for (const json& frame : run["frames"]) {
    if (frame["kind"] == "snapshot") roles.push_back(frame["change"]["replica"]["role"]);
  }
  EXPECT_THAT(roles, ElementsAre("leads", "nobody leads", "leads"));
}

TEST(Recording, OfALongRunLooksLessOften) {
  const json run = recorded(
      {.timeline = {
           "{from: 0s, until: 5h, every: 30s, heartbeat: {node: node0, ready: 'True'}}",
           "{from: 10m, until: 5h, every: 30s, heartbeat: {node: node1, ready: 'True'}}"}});
  std::int64_t before = run["begin"].get<std::int64_t>() - 5000;
  for (const json& frame : run["frames"]) {
    const std::int64_t at = frame["change"]["at"];
    EXPECT_GE(at - before, 5000);
    before = at;
  }
  EXPECT_LE(run["frames"].size(), 3601U);
  EXPECT_EQ(run["end"].get<std::int64_t>() - run["begin"].get<std::int64_t>(), 5 * 3600 * 1000);
}

}  // namespace
}  // namespace nlc::sim::scenario
