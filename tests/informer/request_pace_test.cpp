#include "informer/request_pace.h"

#include "tests/informer/watching.h"

namespace nlc::informer::testing {
namespace {

struct RequestPaceTest : ::testing::Test {
  RequestPaceTest() { pace.asked(start); }
  Instant waits(const WaitCause& cause, bool begins_list = false) {
    return pace.wait(cause, begins_list, random, start);
  }

  Random random{1};
  RequestPace pace{BackoffOptions{}};
};

TEST_F(RequestPaceTest, FiveStreamsAreReopenedAtOnceAndAfterThatOneASecond) {
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(pace.may_reopen(start)) << i;
  EXPECT_FALSE(pace.may_reopen(start + 999ms));
  EXPECT_TRUE(pace.may_reopen(start + 1s));
}

TEST_F(RequestPaceTest, ARetryAfterIsObeyedUpToTenSecondsAndNeverCutShort) {
  EXPECT_GE(waits({.reason = "throttled", .fault = Fault::Throttled, .retry_after = 8s}),
            start + 8s);
  EXPECT_GE(pace.hurry(start + 7s).value_or(start + 8s), start + 8s);
  const Instant until = waits({.reason = "down", .fault = Fault::Unavailable, .retry_after = 1h});
  EXPECT_GE(until, start + 10s);
  EXPECT_LE(until, start + 1min);
}

TEST_F(RequestPaceTest, AWaitIsCutShortToTwoSecondsAfterTheLastTry) {
  while (waits({.reason = "down", .fault = Fault::Unavailable}) < start + 5s) {
  }
  EXPECT_EQ(pace.hurry(start + 1s), start + 2s);
  EXPECT_FALSE(pace.hurry(start + 1s)) << "it is that short already";
}

TEST_F(RequestPaceTest, AListThatTheServerBeganToAnswerIsNotHurried) {
  pace.asked_for_list(start);
  waits({.reason = "down", .fault = Fault::Unavailable}, true);
  EXPECT_TRUE(pace.hurry(start + 2s));
  pace.list_served();
  waits({.reason = "down", .fault = Fault::Unavailable}, true);
  EXPECT_FALSE(pace.hurry(start + 2s));
}

TEST_F(RequestPaceTest, AListThatNobodyExpectedBeginsAtOnceAndTheNextWaitsUntilAStreamWasHealthy) {
  for (const bool at_once : {true, false}) {
    pace.asked_for_list(start);
    EXPECT_EQ(pace.list_anew(random) <= start, at_once);
  }
  pace.was_healthy();
  pace.asked_for_list(start);
  EXPECT_LE(pace.list_anew(random), start);
}

TEST_F(RequestPaceTest, AListThatIsWantedOnceMoreBeforeItIsBegunWaitsNoLonger) {
  pace.asked_for_list(start);
  pace.list_anew(random);
  pace.asked_for_list(start);
  const Instant begins = pace.list_anew(random);
  EXPECT_GT(begins, start);
  EXPECT_EQ(pace.list_anew(random), begins);
}

}  // namespace
}  // namespace nlc::informer::testing
