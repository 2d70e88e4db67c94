#include "controller/server/wait_budget.h"

#include <gtest/gtest.h>

namespace nlc::controller {
namespace {

using namespace std::chrono_literals;

constexpr Instant start{1000s};

TEST(WaitBudget, AfterAMinuteOfWaitsNothingIsWaitedForForFifteenSeconds) {
  WaitBudget budget;
  for (Instant now = start; now < start + 150s; now += 5s) {
    budget.follow(true, now);
    const Duration round = (now - start) % 75s;
    EXPECT_EQ(budget.is_spent(now), round >= 60s) << (now - start) / 1s << " s";
  }
}

TEST(WaitBudget, OnlyWhatIsWaitedIsSpent) {
  WaitBudget budget;
  Instant now = start;
  for (int times = 0; times < 60; ++times, now += 10s) {
    EXPECT_FALSE(budget.is_spent(now)) << times << " s";
    budget.follow(true, now);
    budget.follow(false, now + 1s);
  }
  EXPECT_TRUE(budget.is_spent(now));
}

TEST(WaitBudget, FifteenSecondsWithoutAnyBeginAnew) {
  for (const Duration without : {15s - 1ns, 15s + 0ns}) {
    WaitBudget budget;
    budget.follow(true, start);
    budget.follow(false, start + 40s);
    budget.follow(false, start + 40s + without);
    budget.follow(true, start + 40s + without);
    EXPECT_EQ(budget.lasts_until(), start + 40s + without + (without < 15s ? 20s : 60s));
  }
}

}  // namespace
}  // namespace nlc::controller
