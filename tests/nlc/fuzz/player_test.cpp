#include "nlc/fuzz/player.h"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include "runtime/planted.h"
#include "sim/fuzz/drawn_day.h"

namespace nlc::sim {
namespace {

/// Day 56 ends in it.
constexpr const char* ends_the_process = "late-release";
constexpr std::uint64_t day_of_its_end = 56;

TEST(Player, DayThatEndsItsProcessIsACrashAndNotTheEndOfWhoAsks) {
  plant(ends_the_process);
  EXPECT_EQ(rule_broken_apart(fuzz::day_of(day_of_its_end)), crash);
  plant({});
  EXPECT_EQ(rule_broken_apart(fuzz::day_of(day_of_its_end)), "");
}

TEST(Player, GoesOnBehindTheDayThatEndedIt) {
  plant(ends_the_process);
  Player player(day_of_its_end, 1, day_of_its_end + 2);
  EXPECT_EQ(player.hear()->kind, Said::Kind::Begins);
  EXPECT_FALSE(player.hear());
  EXPECT_TRUE(WIFSIGNALED(player.ended()));
  plant({});
  ASSERT_TRUE(player.go_on());
  EXPECT_EQ(player.hear()->seed, day_of_its_end + 1);
}

}  // namespace
}  // namespace nlc::sim
