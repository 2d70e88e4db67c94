#include "runtime/random.h"

#include <gtest/gtest.h>

namespace nlc {
namespace {

using namespace std::chrono_literals;

TEST(Random, SameSeedGivesTheSameStream) {
  Random left(7);
  Random right(7);
  Random other(8);
  EXPECT_EQ(left.next(), right.next());
  EXPECT_NE(left.next(), other.next());
}

TEST(Random, DurationsStayInTheHalfOpenInterval) {
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const Duration drawn = random.between(2s, 3s);
    EXPECT_GE(drawn, 2s);
    EXPECT_LT(drawn, 3s);
  }
  EXPECT_EQ(random.between(3s, 2s), 3s);
}

}  // namespace
}  // namespace nlc
