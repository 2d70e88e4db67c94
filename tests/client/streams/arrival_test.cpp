#include "client/streams/arrival.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <vector>

#include "runtime/random.h"

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

const Instant since{1h};
const Instant at_present = since + 500ms;

TEST(Arrival, OneAloneCameJustNow) { EXPECT_EQ(arrival(since, at_present, 0, 1), at_present); }

TEST(Arrival, WithoutATimeBetweenTwoLooksAllCameJustNow) {
  EXPECT_EQ(arrival(at_present, at_present, 0, 100), at_present);
  EXPECT_EQ(arrival(at_present, at_present, 99, 100), at_present);
}

TEST(Arrival, LiesBetweenTheLooksInTheOrderOfTheEvents) {
  Instant before = since;
  for (std::size_t place = 0; place < 100; ++place) {
    const Instant came = arrival(since, at_present, place, 100);
    EXPECT_GE(came, before);
    EXPECT_LE(came, at_present);
    before = came;
  }
  EXPECT_EQ(before, at_present);
}

TEST(Arrival, OfIndependentBeatsIsRatherTooLateThanTooEarlyAndByMilliseconds) {
  Random random(1);
  int early = 0;
  Duration worst_early{0};
  Duration worst_late{0};
  constexpr int trials = 200;
  constexpr std::size_t count = 100;
  for (int trial = 0; trial < trials; ++trial) {
    std::vector<Instant> came(count);
    for (Instant& one : came) one = since + random.between(0ms, 500ms);
    std::ranges::sort(came);
    for (std::size_t place = 0; place < count; ++place) {
      const Duration late = arrival(since, at_present, place, count) - came[place];
      if (late < Duration{0}) ++early;
      worst_early = std::max(worst_early, -late);
      worst_late = std::max(worst_late, late);
    }
  }
  EXPECT_LT(early, trials * static_cast<int>(count) / 20);
  EXPECT_LT(worst_early, 60ms);
  EXPECT_LT(worst_late, 160ms);
}

}  // namespace
}  // namespace nlc::client
