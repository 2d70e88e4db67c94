#include "sim/rules/remaining_time.h"

#include <gtest/gtest.h>
#include <utility>
#include <vector>

namespace nlc::sim::rules {
namespace {

using namespace std::chrono_literals;

/// Of the minute that begins then.
constexpr Instant start{1h};

Duration left_without(const std::vector<std::pair<Duration, Duration>>& spans) {
  RemainingTime minute(start, start + 1min);
  for (const auto& [from, until] : spans) minute.leave_out(start + from, start + until);
  return minute.left();
}

TEST(RemainingTime, WithoutAnySpanAllOfItRemains) { EXPECT_EQ(left_without({}), 1min); }

TEST(RemainingTime, SpansAreLeftOut) { EXPECT_EQ(left_without({{10s, 20s}, {30s, 35s}}), 45s); }

TEST(RemainingTime, WhatSpansShareIsLeftOutOnce) {
  EXPECT_EQ(left_without({{10s, 20s}, {15s, 30s}}), 40s);
  EXPECT_EQ(left_without({{10s, 30s}, {15s, 20s}}), 40s) << "one within the other";
}

TEST(RemainingTime, WhatIsOutsideOfItIsNotCounted) {
  EXPECT_EQ(left_without({{-10s, 10s}, {50s, 70s}, {80s, 90s}}), 40s);
}

TEST(RemainingTime, ASpanThatEndsBeforeItBeginsLeavesOutNothing) {
  EXPECT_EQ(left_without({{20s, 10s}}), 1min);
}

}  // namespace
}  // namespace nlc::sim::rules
