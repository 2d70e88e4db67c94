#include "sim/experiment/plot.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "sim/experiment/finding.h"
#include "sim/experiment/panel.h"
#include "sim/experiment/scale.h"
#include "tests/sim/experiment/made_results.h"

namespace nlc::sim::experiment {
namespace {

using namespace std::chrono_literals;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::EndsWith;
using testing::Eq;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::SizeIs;
using testing::StartsWith;

TEST(Scale, StepsAreRoundAndTheTopCoversEverything) {
  EXPECT_THAT(scale_for(60).ticks(), ElementsAre(0, 20, 40, 60));
  EXPECT_THAT(scale_for(61).top, Eq(80));
  EXPECT_THAT(scale_for(5).step, Eq(1));
  EXPECT_THAT(scale_for(1234).ticks(), ElementsAre(0, 500, 1000, 1500));
}

TEST(Scale, OfNothingStillHasATop) { EXPECT_THAT(scale_for(0).ticks(), ElementsAre(0, 1)); }

TEST(Scale, LabelsHaveAsManyDecimalsAsTheStepNeeds) {
  EXPECT_THAT(scale_for(0.4).label(0.2), Eq("0.2"));
  EXPECT_THAT(scale_for(0.04).label(0.02), Eq("0.02"));
  EXPECT_THAT(scale_for(400).label(200), Eq("200"));
}

/// The longer grace twice, which evicts its dead node.
Results everything_alike() {
  Results results = made::two_graces();
  results.rows.front().summary = results.rows.back().summary;
  return results;
}

/// The two graces with a second flag, and what each of its values makes of a row.
Results with_periods(const std::function<void(Row&, const std::string& period)>& change) {
  Results results = made::two_graces();
  results.axes.push_back({.flag = "node-monitor-period", .values = {"2s", "5s"}});
  const std::vector<Row> of_graces = results.rows;
  results.rows.clear();
  for (const Row& before : of_graces) {
    for (const char* period : {"2s", "5s"}) {
      results.rows.push_back(before);
      results.rows.back().setting.emplace_back("node-monitor-period", period);
      change(results.rows.back(), period);
    }
  }
  return results;
}

TEST(Plot, HasAPanelPerMeasureWithItsUnitAndTheFlagBeneath) {
  const std::string svg = plot_of(made::two_graces());
  for (const char* words :
       {"Marked Unknown", "Taint NoSchedule", "Taint NoExecute", "Last of its pods deleted",
        "False positives", "API writes", "seconds after the last heartbeat", "times per run",
        ">node-monitor-grace-period<", ">20s<", ">40s<"}) {
    EXPECT_THAT(svg, HasSubstr(words));
  }
}

TEST(Plot, LeavesOutWhatIsTheSameWithEverySettingAndSaysSo) {
  const Figure figure = figure_of(made::two_graces());
  EXPECT_THAT(figure.panels, SizeIs(6));
  EXPECT_THAT(figure.left_out, ElementsAre("Evictions: 0.5 with every setting",
                                           "Pods deleted: 1.0 with every setting"));
}

TEST(Plot, TitleSaysWhatDiffersMostAndBetweenWhichSettings) {
  EXPECT_THAT(
      plot_of(made::two_graces()),
      HasSubstr(">False positives per run: 0 with node-monitor-grace-period=40s, 1.5 with 20s<"));
}

TEST(Plot, OfOneSettingIsCalledAsItsScenario) {
  Results results = made::two_graces();
  results.axes.clear();
  results.rows.resize(1);
  results.rows.front().setting.clear();
  EXPECT_THAT(plot_of(results), HasSubstr(">A node dies, &quot;perhaps&quot;<"));
}

TEST(Plot, SaysOfHowManyRunsAndDeadNodesItIs) {
  const std::string svg = plot_of(made::two_graces());
  EXPECT_THAT(svg, HasSubstr("n = 2 runs, 1 … 2 dead nodes"));
}

TEST(Plot, MedianIsOfDeadNodesThatGotThereAndEachMarkSaysOfHowMany) {
  const Panel panel = panels_of(made::two_graces())[5];
  ASSERT_THAT(panel.title, Eq("Taint NoExecute"));
  EXPECT_THAT(panel.unit, Eq("seconds after the last heartbeat; above: n/never"));
  EXPECT_THAT(panel.reach,
              ElementsAre(ElementsAre(Reach{.came = 1, .never = 1}, Reach{.came = 1, .never = 0})));
  const std::string svg = plot_of(made::two_graces());
  EXPECT_THAT(svg, HasSubstr("median of those that got there"));
  EXPECT_THAT(svg, HasSubstr(">1/1<"));
  EXPECT_THAT(svg, HasSubstr(">1/0<"));
}

TEST(Plot, MarksAreOfAllDeadNodesWhereNothingElseIsSaid) {
  Results results = everything_alike();
  Spread& unknown = results.rows.front().summary.since_heartbeat[index_of(Moment::Unknown)];
  unknown.least = unknown.p50 = 20s;
  const std::string svg = plot_of(results);
  EXPECT_THAT(svg, HasSubstr("1 dead node per setting"));
  EXPECT_THAT(svg, HasSubstr("mark at the median, line"));
  EXPECT_THAT(svg, Not(HasSubstr("never")));
  EXPECT_THAT(svg, Not(HasSubstr("got there")));
}

TEST(Plot, NodesThatNeverGotThereAreADifferenceThoughTheMediansAreAlike) {
  Results results = everything_alike();
  ++results.rows.back().summary.deaths;
  EXPECT_THAT(figure_of(results).panels, SizeIs(4));
  EXPECT_THAT(finding_of(results, panels_of(results)),
              Eq("node-monitor-grace-period moves no mean and no median"));
}

TEST(Plot, DrawsNothingAndNamesEverythingWhereNoSettingDiffers) {
  const Results results = everything_alike();
  EXPECT_THAT(figure_of(results).panels, IsEmpty());
  const std::string svg = plot_of(results);
  EXPECT_THAT(svg, HasSubstr(">node-monitor-grace-period: no value makes a difference<"));
  for (const std::string& measure : figure_of(results).left_out) {
    EXPECT_THAT(measure, AnyOf(EndsWith(" with every setting"), EndsWith(": in no run")));
  }
  EXPECT_THAT(figure_of(results).left_out, SizeIs(8));
  EXPECT_THAT(svg, Not(HasSubstr("mark at")));
}

TEST(Plot, SameDeadNodesThatNeverGotThereAreTold) {
  Results results = everything_alike();
  for (Row& row : results.rows) ++row.summary.deaths;
  EXPECT_THAT(figure_of(results).left_out,
              Contains("Taint NoExecute: 41.0 s with every setting (n/never: 1/1)"));
}

TEST(Plot, FlagThatMakesNoDifferenceIsNamedAndItsSeriesAreOne) {
  const Results results = with_periods([](Row&, const std::string&) {});
  EXPECT_THAT(figure_of(results).names, ElementsAre("2s = 5s"));
  EXPECT_THAT(figure_of(results).panels.front().series, SizeIs(1));
  EXPECT_THAT(finding_of(results, panels_of(results)),
              EndsWith("1.5 with 20s; node-monitor-period makes no difference"));
}

TEST(Plot, SeriesThatAreAlikeInOnePanelAreDrawnThereOnce) {
  const Results results = with_periods([](Row& row, const std::string& period) {
    row.summary.false_positives.mean += period == "2s" ? 1 : 0;
  });
  EXPECT_THAT(figure_of(results).names, ElementsAre("2s", "5s"));
  const std::string svg = plot_of(results);
  EXPECT_THAT(svg, HasSubstr(">all alike<"));
  EXPECT_THAT(svg, HasSubstr(std::string(common_look().colour)));
}

TEST(Plot, WordsOfTheScenarioCannotBreakTheDrawing) {
  Results results = made::two_graces();
  results.title = "<b> & \"c\"";
  const std::string svg = plot_of(results);
  EXPECT_THAT(svg, HasSubstr("&lt;b> &amp; &quot;c&quot;"));
  EXPECT_THAT(svg, Not(HasSubstr("<b>")));
}

TEST(Plot, WithoutDeathsThereAreNoPanelsOfTimes) {
  Results results = made::two_graces();
  for (Row& row : results.rows) row.summary.deaths = 0;
  EXPECT_THAT(panels_of(results), SizeIs(4));
  EXPECT_THAT(plot_of(results), Not(HasSubstr("heartbeat")));
}

TEST(Plot, MeasureThatNeverHappenedIsNotDrawnAndNamed) {
  Results results = made::two_graces();
  for (Row& row : results.rows) row.summary.since_heartbeat[index_of(Moment::PodMarked)] = {};
  EXPECT_THAT(figure_of(results).panels, SizeIs(5));
  EXPECT_THAT(figure_of(results).left_out, Contains("Last of its pods deleted: in no run"));
}

TEST(Plot, SeriesAreCombinationsOfTheFurtherAxes) {
  const Panel panel = panels_of(with_periods([](Row&, const std::string&) {})).front();
  EXPECT_THAT(panel.names, ElementsAre("2s", "5s"));
  EXPECT_THAT(panel.places, ElementsAre("20s", "40s"));
  ASSERT_THAT(panel.series, SizeIs(2));
  EXPECT_THAT(panel.series.front(), SizeIs(2));
}

TEST(Plot, SeriesDifferInShapeAndColourTogether) {
  std::set<std::pair<std::string_view, Shape>> looks;
  for (std::size_t i = 0; i < 36; ++i) looks.emplace(look_of(i).colour, look_of(i).shape);
  EXPECT_THAT(looks, SizeIs(36));
}

TEST(Plot, LongTimesAreShownInMinutes) {
  Results results = made::two_graces();
  results.rows.front().summary.since_heartbeat[index_of(Moment::NoExecute)].most =
      std::chrono::minutes(6);
  const std::vector<Panel> panels = panels_of(results);
  EXPECT_THAT(panels[3].unit, StartsWith("seconds after the last heartbeat"));
  EXPECT_THAT(panels[5].unit, Eq("minutes after the last heartbeat; above: n/never"));
}

}  // namespace
}  // namespace nlc::sim::experiment
