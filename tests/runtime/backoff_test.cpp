#include "runtime/backoff.h"

#include <gtest/gtest.h>

namespace nlc {
namespace {

using namespace std::chrono_literals;

const BackoffOptions options{.backoff_min = 800ms, .backoff_max = 30s};

TEST(Backoff, WaitsDoubleUpToTheMaximum) {
  Random random(1);
  Backoff backoff(options);
  for (const Duration full : {Duration(800ms), Duration(1600ms), Duration(3200ms), Duration(6400ms),
                              Duration(12800ms), Duration(25600ms), Duration(30s), Duration(30s)}) {
    const Duration wait = backoff.next(random);
    EXPECT_GT(wait, full / 2 - 1ns);
    EXPECT_LE(wait, full);
  }
}

TEST(Backoff, ServersRetryAfterIsALowerBound) {
  Random random(1);
  Backoff backoff(options);
  EXPECT_EQ(backoff.next(random, 7s), 7s);
}

TEST(Backoff, AfterAResetWaitsAreShortAgain) {
  Random random(1);
  Backoff backoff(options);
  for (int i = 0; i < 10; ++i) (void)backoff.next(random);
  backoff.reset();
  EXPECT_LE(backoff.next(random), 800ms);
}

}  // namespace
}  // namespace nlc
