#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "sim/fuzz/day_name.h"
#include "sim/fuzz/draw.h"
#include "sim/fuzz/drawn_day.h"
#include "sim/fuzz/hash.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::sim::fuzz {
namespace {

using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

bool has(const Day& day, std::string_view kind) {
  return has(day.flags, kind) || has(day.given, kind) || has(day.timeline, kind);
}

/// What comes of a few numbers of that stream.
std::string drawn(Draw draw) {
  std::string numbers;
  for (int i = 0; i < 8; ++i) numbers += std::to_string(draw.whole(0, 9));
  return numbers;
}

TEST(Day, IsTheSameEachTimeItIsDrawn) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    EXPECT_EQ(scenario_text(day_of(seed)), scenario_text(day_of(seed)));
  }
  EXPECT_NE(scenario_text(day_of(1)), scenario_text(day_of(2)));
}

/// Whoever changes what a number is drawn to raises `draw_version`, and writes the new hash here: a
/// seed that was printed before would silently play another day. Of these days each kind is one.
TEST(Day, IsAsEverInEachVersionOfTheDraw) {
  Hash drawn;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Day day = day_of(seed);
    for (const std::vector<Line>* lines : {&day.flags, &day.given, &day.timeline}) {
      for (const Line& line : *lines) {
        for (const std::string& text : line.texts) drawn.add(text + "\n");
      }
    }
  }
  EXPECT_EQ(draw_version, 6);
  EXPECT_EQ(drawn.number(), 11734724075567233326U);
}

TEST(Day, IsCalledByItsNumberAndTheVersionOfTheDraw) {
  EXPECT_EQ(day_name(4711), "v" + std::to_string(draw_version) + ":4711");
  EXPECT_EQ(*day_named(day_name(4711)), 4711U);
  EXPECT_EQ(*day_named("4711"), 4711U) << "a number is of this version";
  EXPECT_THAT(scenario_text(day_of(7)), HasSubstr(day_name(7)));
}

TEST(Day, OfAnotherVersionOfTheDrawIsRefused) {
  const auto older = day_named("v" + std::to_string(draw_version - 1) + ":4711");
  ASSERT_FALSE(older);
  EXPECT_THAT(older.error().path, HasSubstr("must be of v" + std::to_string(draw_version)));
  for (const char* nothing : {"", "v", "v1", "v1:", "v:1", ":1", "1:1", "v1:-1", "v1:1:1", "x"}) {
    EXPECT_FALSE(day_named(nothing)) << nothing;
  }
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

TEST(Day, KindsThatCameLaterHaveNumbersOfTheirOwnOnEachDay) {
  EXPECT_EQ(drawn(Draw(1, "user: delete pod")), drawn(Draw(1, "user: delete pod")));
  EXPECT_NE(drawn(Draw(1, "user: delete pod")), drawn(Draw(2, "user: delete pod")));
  EXPECT_NE(drawn(Draw(1, "user: delete pod")), drawn(Draw(1, "user: delete lock")));
}

/// That whoever does not hear of it goes on to lead is known, and no finding.
TEST(Day, LockIsDeletedOnlyWhereEverybodyHearsOfIt) {
  int days = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Day day = day_of(seed);
    if (!has(day, "user: delete lock")) continue;
    ++days;
    for (const char* step : {"pause: controller", "link:", "fail_api:", "pause_api:", "cache:",
                             "restore:", "stop: controller", "admission:", "read_only:"}) {
      EXPECT_THAT(scenario_text(day), Not(HasSubstr(step))) << seed;
    }
  }
  EXPECT_GT(days, 0);
}

/// The reference model sees no turn of a node by pods that go already.
TEST(Day, NoPodGoesAlreadyWhereNodesTakeTurnsByTimeout) {
  int days = 0;
  for (std::uint64_t seed = 0; seed < 1000; ++seed) {
    const Day day = day_of(seed);
    if (!has(day, "flag: by timeouts")) continue;
    ++days;
    EXPECT_FALSE(has(day, "pod: terminating") || has(day, "user: delete pod")) << seed;
  }
  EXPECT_GT(days, 0);
}

TEST(Day, RefusalIsCountedByWhatTheServerSaysNoWith) {
  int lines = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed) {
    for (const Line& line : day_of(seed).timeline) {
      const std::string codes = "fail_api: refused, ";
      if (!line.kind.starts_with(codes)) continue;
      ++lines;
      const std::string& text = line.texts.front();
      const std::string code = text.substr(text.find("code: ") + 6, 3);
      EXPECT_THAT(line.kind.substr(codes.size()), HasSubstr(code));
    }
  }
  EXPECT_GT(lines, 0);
}

}  // namespace
}  // namespace nlc::sim::fuzz
