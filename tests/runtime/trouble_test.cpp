#include "runtime/trouble.h"

#include <gtest/gtest.h>

namespace nlc {
namespace {

using namespace std::chrono_literals;

constexpr Instant start{1h};

TEST(Trouble, IsToldWhenItBeginsThenOnceAMinuteAndWhenItIsOver) {
  Trouble trouble;
  EXPECT_TRUE(trouble.met("timeout", start));
  EXPECT_FALSE(trouble.met("timeout", start + 1s));
  EXPECT_FALSE(trouble.met("timeout", start + 1min - 1ns));
  EXPECT_EQ(trouble.untold(), 2U);
  EXPECT_TRUE(trouble.met("timeout", start + 1min));
  EXPECT_EQ(trouble.untold(), 0U);
  EXPECT_EQ(trouble.over(start + 90s), 90s);
  EXPECT_EQ(trouble.over(start + 91s), std::nullopt);
}

TEST(Trouble, OfAnotherKindIsToldAtOnceAndEachKindOnceAMinute) {
  Trouble trouble;
  EXPECT_TRUE(trouble.met("timeout", start));
  EXPECT_TRUE(trouble.met("unavailable", start + 1s));
  EXPECT_FALSE(trouble.met("timeout", start + 2s));
  EXPECT_FALSE(trouble.met("unavailable", start + 3s));
  EXPECT_TRUE(trouble.met("timeout", start + 1min));
  EXPECT_FALSE(trouble.met("unavailable", start + 1min));
}

TEST(Trouble, ThatComesAndGoesEachSecondIsNotToldEachSecond) {
  Trouble trouble;
  int told = 0;
  for (int second = 0; second < 60; ++second) {
    told += trouble.met("timeout", start + second * 1s) ? 1 : 0;
    told += trouble.over(start + second * 1s + 500ms) ? 1 : 0;
  }
  EXPECT_EQ(told, 2);  // one beginning, and its end
}

}  // namespace
}  // namespace nlc
