#include "nlc/fuzz/player.h"

#include <gtest/gtest.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

#include "runtime/planted.h"
#include "sim/fuzz/drawn_day.h"

namespace nlc::workbench {
namespace {

/// With a mistake that ends the process on day 56, until the end of the test.
class CrashPlanted : public testing::Test {
 protected:
  CrashPlanted() { plant("late-release"); }
  ~CrashPlanted() override { plant({}); }

  const std::uint64_t seed = 56;
};

TEST_F(CrashPlanted, DayThatEndsItsProcessIsACrashAndNotTheEndOfWhoAsks) {
  EXPECT_EQ(rule_broken_in_own_process(sim::fuzz::day_of(seed)), crash);
  plant({});
  EXPECT_EQ(rule_broken_in_own_process(sim::fuzz::day_of(seed)), "");
}

TEST_F(CrashPlanted, PlayerGoesOnBehindTheDayThatEndedIt) {
  Player player(seed, 1, seed + 2);
  const std::optional<Said> begun = player.hear();
  ASSERT_TRUE(begun);
  EXPECT_EQ(begun->kind, Said::Kind::Begins);
  EXPECT_FALSE(player.hear());
  EXPECT_TRUE(WIFSIGNALED(player.ended()));
  plant({});
  ASSERT_TRUE(player.go_on());
  const std::optional<Said> next = player.hear();
  ASSERT_TRUE(next);
  EXPECT_EQ(next->seed, seed + 1);
}

void wait_for_ever(int) {
  while (true) ::pause();
}

TEST(Forked, EndsWithItsOwner) {
  int pipe = -1;
  {
    const Forked process(wait_for_ever);
    pipe = ::dup(process.pipe());
  }
  char byte = 0;
  EXPECT_EQ(::read(pipe, &byte, 1), 0) << "nobody is left who could write";
  ::close(pipe);
}

TEST(Forked, ThatTakesThePlaceOfAnotherEndsThat) {
  Forked process(wait_for_ever);
  const int before = ::dup(process.pipe());
  process = Forked(wait_for_ever);
  char byte = 0;
  EXPECT_EQ(::read(before, &byte, 1), 0);
  ::close(before);
}

TEST(Forked, EndsByASignalWhenItsWorkThrows) {
  Forked process([](int) { throw std::runtime_error("on purpose"); });
  EXPECT_TRUE(WIFSIGNALED(process.ended()));
}

}  // namespace
}  // namespace nlc::workbench
