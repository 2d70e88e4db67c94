#include "controller/sight.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;

TEST(Sight, KeepsPaceWithTheClockWhileProofsCome) {
  Sight sight(10s, start);
  const Sighted first = sight.at(start);
  for (int i = 1; i <= 10; ++i) sight.prove(start + i * 9s);
  EXPECT_EQ(sight.at(start + 90s) - first, 90s);
  EXPECT_EQ(sight.blind_time(start + 90s), 0s);
}

TEST(Sight, GapOfExactlyTheLimitIsStillSight) {
  Sight sight(10s, start);
  EXPECT_FALSE(sight.blind(start + 10s));
  EXPECT_TRUE(sight.blind(start + 10s + 1ns));
}

TEST(Sight, StandsAtTheLastProofWhileBlind) {
  Sight sight(10s, start);
  const Sighted first = sight.at(start);
  EXPECT_EQ(sight.at(start + 11s), first);
  EXPECT_EQ(sight.at(start + 10min), first);
}

TEST(Sight, WholeGapIsTakenOffOnceItIsOver) {
  Sight sight(10s, start);
  const Sighted first = sight.at(start);
  sight.prove(start + 60s);
  EXPECT_FALSE(sight.blind(start + 65s));
  EXPECT_EQ(sight.at(start + 65s) - first, 5s);
  EXPECT_EQ(sight.blind_time(start + 65s), 60s);
}

TEST(Sight, TellsWhenSightedTimeWillHaveComeToAMoment) {
  Sight sight(10s, start);
  const Sighted first = sight.at(start);
  EXPECT_EQ(sight.reaches(first + 40s), start + 40s);
  sight.prove(start + 60s);
  EXPECT_EQ(sight.reaches(first + 40s), start + 100s);
}

}  // namespace
}  // namespace nlc::controller
