#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>

#include "sim/fuzz/drawn_day.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::sim::fuzz {
namespace {

using ::testing::Contains;
using ::testing::IsEmpty;

TEST(Day, IsTheSameEachTimeItIsDrawn) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(scenario_text(day_of(seed)), scenario_text(day_of(seed)));
  }
  EXPECT_NE(scenario_text(day_of(1)), scenario_text(day_of(2)));
}

TEST(Day, IsAScenarioFileThatCanBeUnderstood) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const auto file = scenario::read_scenario_text(scenario_text(day_of(seed)), "day");
    ASSERT_TRUE(file) << seed << ": " << file.error().path;
    ASSERT_EQ(file->cases.size(), 1);
    for (const scenario::Failure& problem : file->cases.front().problems) {
      ADD_FAILURE() << seed << ": " << problem.seen;
    }
    EXPECT_EQ(file->cases.front().seed, seed);
  }
}

/// A kind that no day has is a kind that nothing is tried with.
TEST(Day, OfEachKindThereIsOneAmongAThousand) {
  std::set<std::string> drawn;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Day day = day_of(seed);
    for (const std::vector<Line>* lines : {&day.flags, &day.given, &day.timeline}) {
      for (const Line& line : *lines) drawn.insert(line.kind);
    }
  }
  for (const std::string& kind : kinds()) EXPECT_THAT(drawn, Contains(kind));
}

TEST(Day, PeaceBeginsWhenNothingGoesWrongAnyMore) {
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    const Day day = day_of(seed);
    const auto file = scenario::read_scenario_text(scenario_text(day), "day");
    ASSERT_TRUE(file);
    for (const scenario::Step& step : file->cases.front().timeline) {
      const bool heartbeats = step.every && step.until == day.ends;
      const bool all_day = step.from == Duration{0} && step.until == day.ends;
      // Said once more when no restore can bring back what it ends.
      const bool lifts_pause = step.text.find("pause: n") != std::string::npos;
      if (heartbeats || all_day || lifts_pause) continue;
      EXPECT_LE(step.until, day.trouble_ends + std::chrono::seconds(3)) << step.text;
    }
  }
}

}  // namespace
}  // namespace nlc::sim::fuzz
