#include "sim/experiment/plot.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "sim/experiment/panel.h"
#include "sim/experiment/scale.h"
#include "tests/sim/experiment/made_results.h"

namespace nlc::sim::experiment {
namespace {

using testing::ElementsAre;
using testing::Eq;
using testing::HasSubstr;
using testing::Not;
using testing::SizeIs;

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

TEST(Plot, HasAPanelPerMeasureWithItsUnitAndTheFlagBeneath) {
  const std::string svg = plot_of(made::two_graces());
  for (const char* words : {"Marked Unknown", "Taint NoSchedule", "Taint NoExecute",
                            "Last of its pods deleted", "False positives", "Evictions",
                            "Pods deleted", "API writes", "seconds after the last heartbeat",
                            "times per run", ">node-monitor-grace-period<", ">20s<", ">40s<"}) {
    EXPECT_THAT(svg, HasSubstr(words));
  }
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

TEST(Plot, MeasureThatNeverHappenedSaysSo) {
  Results results = made::two_graces();
  for (Row& row : results.rows) row.summary.since_beat[index_of(Moment::PodMarked)] = {};
  EXPECT_THAT(plot_of(results), HasSubstr(">in no run<"));
}

TEST(Plot, SeriesAreCombinationsOfTheFurtherAxes) {
  Results results = made::two_graces();
  results.axes.push_back({.flag = "node-monitor-period", .values = {"2s", "5s"}});
  const Row first = results.rows.front();
  results.rows.clear();
  for (const char* value : {"20s", "40s"}) {
    for (const char* period : {"2s", "5s"}) {
      results.rows.push_back(first);
      results.rows.back().setting = {{"node-monitor-grace-period", value},
                                     {"node-monitor-period", period}};
    }
  }
  EXPECT_THAT(series_names(results), ElementsAre("2s", "5s"));
  const Panel panel = panels_of(results).front();
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
  results.rows.front().summary.since_beat[index_of(Moment::NoExecute)].most =
      std::chrono::minutes(6);
  const std::vector<Panel> panels = panels_of(results);
  EXPECT_THAT(panels[0].unit, Eq("seconds after the last heartbeat"));
  EXPECT_THAT(panels[2].unit, Eq("minutes after the last heartbeat, where it came"));
}

}  // namespace
}  // namespace nlc::sim::experiment
