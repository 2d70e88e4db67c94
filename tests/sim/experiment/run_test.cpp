#include "sim/experiment/run.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/experiment/export.h"
#include "sim/experiment/results.h"
#include "sim/experiment/table.h"

namespace nlc::sim::experiment {
namespace {

using namespace std::chrono_literals;
using testing::AllOf;
using testing::Eq;
using testing::Ge;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Le;
using testing::Lt;
using testing::Optional;
using testing::SizeIs;

scenario::Scenario scenario_of(const std::string& timeline) {
  const std::string text =
      "cases:\n"
      "- id: SMALL\n"
      "  flags: {node-monitor-grace-period: 40s}\n"
      "  given:\n"
      "  - {generate: {nodes: 4, name: node-%d, ready: 'True'}}\n"
      "  - {generate: {nodes: 1, name: dying-%d, ready: 'True'}}\n"
      "  - {generate: {name: pod-%d-%d, pods_per_node: 1, ready: 'True', tolerations: []}}\n"
      "  timeline:\n" +
      timeline + "  expect:\n  - {when: {at: 0s}, that: [{process: alive}]}\n";
  Result<scenario::ScenarioFile> file = scenario::read_scenario_text(text, "small.yaml");
  EXPECT_TRUE(file && file->cases.at(0).problems.empty());
  return std::move(file->cases.at(0));
}

/// Four nodes whose heartbeats go on to the end, one that stops after 30 s.
scenario::Scenario one_dies() {
  return scenario_of(
      "  - {from: 0s, until: 3m, every: 10s, renew_lease: {node: 'node-*'}}\n"
      "  - {from: 0s, until: 30s, every: 10s, renew_lease: {node: dying-0}}\n");
}

/// All heartbeat to the end; every third heartbeat is lost.
scenario::Scenario lossy() {
  return scenario_of(
      "  - {from: 0s, until: 5m, every: 10s, renew_lease: {node: ['node-*', dying-0], loss: 33%, "
      "jitter: 1s}}\n");
}

/// The kubelet's two loops: renewals, which are lost for a while, and posts of changes.
scenario::Scenario lossy_for_a_while() {
  return scenario_of(
      "  - {from: 0s, until: 5m, every: 10s, renew_lease: {node: 'node-*'}}\n"
      "  - {from: 0s, until: 1m, every: 10s, renew_lease: {node: dying-0}}\n"
      "  - {from: 2m, until: 5m, every: 10s, renew_lease: {node: dying-0}}\n"
      "  - {from: 5s, until: 5m, every: 10s, heartbeat: {node: dying-0, ready: 'True', "
      "only_changes: true}}\n");
}

Setting grace_setting(const std::string& value) { return {{"node-monitor-grace-period", value}}; }

TEST(MeasuredRun, DeadNodeIsMarkedTaintedAndEmptiedWhenItsGraceEnds) {
  const Measures measures = measured_run(one_dies(), {}, 1);
  ASSERT_THAT(measures.deaths, SizeIs(1));
  const Death& death = measures.deaths.front();
  EXPECT_THAT(death.node, Eq("dying-0"));
  for (const std::optional<Duration>& time : death.after) {
    EXPECT_THAT(time, Optional(AllOf(Ge(40s), Lt(41s))));
  }
  EXPECT_THAT(measures.false_positives, Eq(0U));
  EXPECT_THAT(measures.evictions, Eq(1U));
  EXPECT_THAT(measures.pods_deleted, Eq(1U));
  EXPECT_THAT(measures.api_writes, Ge(4U));
}

TEST(MeasuredRun, SettingWinsOverTheScenario) {
  const Measures measures = measured_run(one_dies(), grace_setting("1m"), 1);
  ASSERT_THAT(measures.deaths, SizeIs(1));
  EXPECT_THAT(measures.deaths.front().after[index_of(Moment::Unknown)],
              Optional(AllOf(Ge(60s), Lt(61s))));
}

TEST(MeasuredRun, ScenarioWithoutChanceIsTheSameForEverySeed) {
  const auto first = measured_run(one_dies(), {}, 1).deaths.front().after;
  EXPECT_THAT(measured_run(one_dies(), {}, 2).deaths.front().after, Eq(first));
}

TEST(MeasuredRun, LostBeatsCondemnHealthyNodesAndAMoreReadyGraceMore) {
  const std::size_t hasty = measured_run(lossy(), grace_setting("15s"), 1).false_positives;
  const std::size_t patient = measured_run(lossy(), grace_setting("100s"), 1).false_positives;
  EXPECT_THAT(hasty, Gt(0U));
  EXPECT_THAT(patient, Eq(0U));
}

TEST(MeasuredRun, HealthyNodesThatAreCondemnedHaveNotDied) {
  EXPECT_THAT(measured_run(lossy(), grace_setting("15s"), 1).deaths, IsEmpty());
}

TEST(MeasuredRun, KubeletThatOnlyPostsChangesIsHeardOnceItWasCondemned) {
  const Measures measures = measured_run(lossy_for_a_while(), {}, 1);
  // Silent from 60 s on, Unknown at 100 s, healed by the post at 105 s; renewals go on at 120 s.
  EXPECT_THAT(measures.false_positives, Eq(1U));
  EXPECT_THAT(measures.deaths, IsEmpty());
}

/// A small experiment as its command makes it, down to the bytes.
std::string told(std::uint64_t first_seed) {
  Results results{.id = "SMALL",
                  .title = "",
                  .seeds = 2,
                  .axes = {{.flag = "node-monitor-grace-period", .values = {"15s", "25s"}}}};
  for (const Setting& setting : settings_of(results.axes)) {
    const std::vector<Measures> runs{measured_run(lossy(), setting, first_seed),
                                     measured_run(lossy(), setting, first_seed + 1)};
    results.rows.push_back({.setting = setting, .summary = summarize(runs, 15s)});
  }
  return table_of(results) + csv_of(results) + json_of(results);
}

TEST(MeasuredRun, SameSeedsGiveTheSameBytesAndOthersOthers) {
  const std::string first = told(1);
  EXPECT_THAT(told(1), Eq(first));
  EXPECT_THAT(told(5), testing::Ne(first));
}

std::string refusal_of(const std::string& file, const std::string& id = "") {
  const Result<scenario::Scenario> found = scenario_in(file, id);
  return found ? "accepted" : found.error().path;
}

TEST(ScenarioToRun, FileThatIsNotThereIsNamed) {
  EXPECT_THAT(refusal_of("no-such-file.yaml"), HasSubstr("no-such-file.yaml"));
}

TEST(ScenarioToRun, FilesOfTheGuideCanBeRead) {
  for (const char* name : {"lost-renewals", "monitor-period", "zone-outage"}) {
    const std::string file = std::string(NLC_SOURCE_DIR) + "/docs/experiments/" + name + ".yaml";
    EXPECT_THAT(refusal_of(file), Eq("accepted"));
  }
}

TEST(ScenarioToRun, UnknownIdIsToldWithThoseThereAre) {
  const std::string file = std::string(NLC_SOURCE_DIR) + "/docs/experiments/zone-outage.yaml";
  EXPECT_THAT(refusal_of(file, "NX-1"),
              Eq("--only NX-1: " + file + " has no such case, it has ZONE-OUTAGE"));
}

}  // namespace
}  // namespace nlc::sim::experiment
