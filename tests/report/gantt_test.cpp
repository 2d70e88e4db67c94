#include "report/gantt.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nlc::report {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::Not;

Gantt of(GanttRow row, Duration end = 100s) {
  return {.title = "T-1: a <case>",
          .finding = "passed",
          .end = end,
          .groups = {{.name = "zone a", .rows = {std::move(row)}}}};
}

TEST(Gantt, BarsLieWhereTheirTimesAre) {
  const std::string svg =
      svg_of(of({.name = "node0",
                 .bars = {{.from = 50s, .until = 100s, .colour = "#e0602a", .words = "Unknown"}}}));
  EXPECT_THAT(
      svg,
      HasSubstr(
          R"(<rect x="660" y="111" width="490" height="7" fill="#e0602a"><title>Unknown</title></rect>)"));
  EXPECT_THAT(svg, HasSubstr(">node0<"));
}

TEST(Gantt, AxisCountsInRoundSpansThatHaveRoom) {
  const std::string minutes = svg_of(of({}, 20min));
  EXPECT_THAT(minutes, HasSubstr(">2m0s<"));
  EXPECT_THAT(minutes, Not(HasSubstr(">1m0s<")));
  EXPECT_THAT(svg_of(of({}, 7 * 24h)), HasSubstr(">24h0m0s<"));
}

TEST(Gantt, TicksCloserThanAPixelAreDrawnOnce) {
  GanttRow row{.name = "node0"};
  for (int i = 0; i < 100'000; ++i) row.ticks.push_back(i * 1ms);
  EXPECT_LT(svg_of(of(row)).size(), 20'000U);
}

TEST(Gantt, WordsThatHaveNoRoomAreCutBetweenLetters) {
  GanttRow row{.name = "node0", .words = std::string(200, 'a') + "\u00fc"};
  row.bars = {{.from = 10s, .until = 20s, .colour = "#cfe0f5"}};
  const std::string svg = svg_of(of(row));
  EXPECT_THAT(svg, HasSubstr("aaa…<"));
  EXPECT_THAT(svg, Not(HasSubstr(std::string(200, 'a') + "\u00fc")));
}

TEST(Gantt, IsReadInTheDarkToo) {
  const std::string svg = svg_of(of({}));
  EXPECT_THAT(svg, HasSubstr("prefers-color-scheme: dark"));
  for (const char* colour : {"#ffffff", "#222222", "#666666", "#e4e4e4"}) {
    EXPECT_THAT(svg, HasSubstr("[fill=\"" + std::string(colour) + "\"]"));
  }
}

TEST(Gantt, WordsCannotBreakTheDrawing) { EXPECT_THAT(svg_of(of({})), HasSubstr("a &lt;case>")); }

}  // namespace
}  // namespace nlc::report
