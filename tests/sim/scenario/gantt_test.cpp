#include "sim/scenario/gantt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/small_case.h"

namespace nlc::sim::scenario {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using report::Gantt;
using report::GanttBar;
using report::GanttGroup;
using report::GanttRow;
using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::StartsWith;

Gantt gantt_of_case(const Parts& parts) {
  const Scenario scenario = case_of(parts);
  Result<Gantt> gantt = gantt_of(scenario, {}, run_scenario(scenario, {}));
  EXPECT_TRUE(gantt) << gantt.error().path;
  return gantt ? *std::move(gantt) : Gantt{};
}

GanttRow row(const Gantt& gantt, const std::string& name) {
  for (const GanttGroup& group : gantt.groups) {
    for (const GanttRow& row : group.rows) {
      if (row.name == name) return row;
    }
  }
  ADD_FAILURE() << "no row " << name;
  return {};
}

/// "Ready 0 40": what its bars say, and between which seconds.
std::vector<std::string> bars(const GanttRow& row) {
  std::vector<std::string> told;
  for (const GanttBar& bar : row.bars) {
    told.push_back(bar.words.substr(0, bar.words.find(',')) + " " +
                   std::to_string(std::chrono::round<std::chrono::seconds>(bar.from).count()) +
                   " " +
                   std::to_string(std::chrono::round<std::chrono::seconds>(bar.until).count()));
  }
  return told;
}

TEST(Gantt, ShowsANodeFromReadyToUnknownToItsTaints) {
  const GanttRow node = row(gantt_of_case({.flags = {"node-eviction-rate: 1"}}), "node0");
  EXPECT_THAT(bars(node), ::testing::UnorderedElementsAre("Ready 0 40", "Ready is Unknown 40 600",
                                                          "NoSchedule 40 600", "NoExecute 40 600"));
}

TEST(Gantt, ShowsHeartbeatsAndThoseThatDidNotArrive) {
  const Gantt gantt = gantt_of_case({.timeline = {"{from: 95s, until: 125s, pause_api: {}}"}});
  EXPECT_THAT(row(gantt, "node0").ticks, IsEmpty());
  EXPECT_THAT(row(gantt, "node1").lost_ticks, ElementsAre(100s, 110s, 120s));
  EXPECT_GT(row(gantt, "node1").ticks.size(), 50U);
}

TEST(Gantt, ShowsWhenPodsAreNotReadyAndWhenTheyLeave) {
  const std::string mortal =
      "  - {apiVersion: v1, kind: Pod, metadata: {name: pod0}, spec: {nodeName: node0}, status: "
      "{conditions: [{type: Ready, status: 'True'}]}}\n";
  const GanttRow node = row(
      gantt_of_case({.flags = {"node-eviction-rate: 1"}, .given = std::string(two_nodes) + mortal}),
      "node0");
  ASSERT_THAT(node.marks, SizeIs(2));
  EXPECT_THAT(node.marks[0].words, StartsWith("1 pod NotReady at 40"));
  EXPECT_THAT(node.marks[1].words, StartsWith("1 pod deleted at 40"));
}

TEST(Gantt, ShowsLivesOfTheControllerAndWhoMayWrite) {
  const Gantt gantt = gantt_of_case(
      {.timeline = {"{at: 100s, kill: controller}", "{at: 200s, start: controller}"}});
  EXPECT_THAT(bars(row(gantt, "the only replica")),
              ::testing::UnorderedElementsAre("runs 0 100", "may write 0 100", "runs 200 600",
                                              "may write 200 600"));
}

TEST(Gantt, ShowsWhatLastsOnTheTimelineInARowAndAllElseInOne) {
  const Gantt gantt =
      gantt_of_case({.timeline = {"{from: 95s, until: 125s, pause_api: {}}",
                                  "{at: 300s, delete: {kind: Node, name: node0}}"}});
  ASSERT_THAT(gantt.groups.front().rows, SizeIs(2));
  EXPECT_THAT(gantt.groups.front().rows[0].marks, SizeIs(2));  // the controller starts as well
  EXPECT_THAT(gantt.groups.front().rows[1].bars, SizeIs(1));
}

TEST(Gantt, MarksExpectationsThatDidNotHoldAndSaysWhatWasSeen) {
  const std::string unknown = "{node: {name: node0, conditions: {Ready: {status: Unknown}}}}";
  const std::string ready = "{node: {name: node1, conditions: {Ready: {status: 'True'}}}}";
  const Gantt gantt = gantt_of_case(
      {.expect = {expecting("holds: [0s, 10m]", ready), expecting("holds: [0s, 30s]", unknown)}});
  EXPECT_EQ(gantt.finding, "failed: 1 of 2 expectations does not hold");
  const std::vector<GanttRow>& rows = gantt.groups.back().rows;
  ASSERT_THAT(rows, SizeIs(2));
  EXPECT_THAT(rows[0].name, StartsWith("✗ holds"));
  EXPECT_THAT(rows[0].words, HasSubstr("at +0.000s"));
  EXPECT_THAT(rows[1].name, StartsWith("✓ holds"));
}

TEST(Gantt, OfManyNodesShowsTheFirstToWhichSomethingHappened) {
  const std::string many = "  - {generate: {nodes: 300, name: many-%d, ready: 'True'}}\n";
  const Gantt gantt = gantt_of_case(
      {.given = std::string(two_nodes) + many,
       .timeline = {"{from: 0s, until: 10m, every: 10s, renew_lease: {node: 'many-*'}}"}});
  std::size_t rows = 0;
  for (std::size_t i = 2; i < gantt.groups.size(); ++i) rows += gantt.groups[i].rows.size();
  EXPECT_EQ(rows, nodes_max);
  EXPECT_THAT(bars(row(gantt, "node0")), Contains(StartsWith("Ready is Unknown")));
  EXPECT_EQ(gantt.groups.back().name,
            "60 of 302 nodes are shown: the first to which something happened");
}

}  // namespace
}  // namespace nlc::sim::scenario
