#include "controller/writes/retry_state.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;

class RetryStateTest : public ::testing::Test {
 protected:
  /// Tries as soon as it may for so long, and says how often.
  int tries_within(Duration span, const Error& error) {
    int tries = 0;
    for (const Instant end = now + span; now < end; ++tries) {
      retry.begin();
      retry.failed(now, random, error);
      now = retry.retry_at(now).value();
    }
    return tries;
  }

  Instant now = start;
  Random random{1};
  RetryState retry;
};

TEST_F(RetryStateTest, FailureWaitsLongerEachTimeUpToFifteenSeconds) {
  EXPECT_LE(tries_within(30min, {.fault = Fault::Unavailable}), 30 * 60 / 7.5 + 10);
  EXPECT_LE(retry.retry_at(now - 1ns).value_or(now) - now, 15s);
}

TEST_F(RetryStateTest, RefusalThatWillNotChangeIsTriedAgainEveryFiveMinutes) {
  for (const Fault fault : {Fault::Forbidden, Fault::Invalid}) {
    retry = {};
    EXPECT_LE(tries_within(30min, {.fault = fault}), 9) << name_of(fault);
    EXPECT_GE(retry.retry_at(now - 1s), now);
  }
}

TEST_F(RetryStateTest, ServersRetryAfterIsKeptToButNoLongerThanTenSeconds) {
  retry.begin();
  retry.failed(now, random, {.fault = Fault::Throttled, .retry_after = 7s});
  EXPECT_GE(retry.retry_at(now), now + 7s);
  now += 7s;
  retry.begin();
  retry.failed(now, random, {.fault = Fault::Throttled, .retry_after = 1h});
  EXPECT_EQ(retry.retry_at(now), now + 10s);
}

TEST_F(RetryStateTest, SuccessEndsTheLongWaits) {
  tries_within(5min, {.fault = Fault::Unavailable});
  retry.begin();
  retry.succeeded(now);
  EXPECT_FALSE(retry.is_repeated());
  retry.begin();
  retry.failed(now, random, {.fault = Fault::Unavailable});
  EXPECT_LE(retry.retry_at(now), now + 100ms);
}

TEST_F(RetryStateTest, FirstConflictIsRetriedAtOnceAndASecondInARowWaits) {
  retry.begin();
  EXPECT_FALSE(retry.met_conflict(now, random));
  EXPECT_TRUE(retry.may_begin(now));
  retry.begin();
  EXPECT_TRUE(retry.met_conflict(now, random));
  EXPECT_FALSE(retry.may_begin(now));
}

TEST_F(RetryStateTest, WriteThatSomebodyUndoesEachTimeIsRepeatedLessAndLess) {
  int tries = 0;
  for (; now < start + 10min; ++tries) {
    retry.begin();
    retry.succeeded(now);
    EXPECT_TRUE(retry.did_not_last(now + 1ms, random));
    now = retry.retry_at(now).value();
  }
  EXPECT_LE(tries, 20);
}

TEST_F(RetryStateTest, WriteThatIsWantedAgainAfterAMinuteHadLasted) {
  retry.begin();
  retry.succeeded(now);
  EXPECT_FALSE(retry.did_not_last(now + 1min, random));
  EXPECT_TRUE(retry.may_begin(now + 1min));
}

TEST_F(RetryStateTest, WriteThatGaveWayToAnotherOfOursWasNotUndone) {
  retry.begin();
  retry.succeeded(now);
  retry.was_replaced();
  EXPECT_FALSE(retry.did_not_last(now + 1s, random));
}

TEST_F(RetryStateTest, WhoDoesNotLeadHasNotFailed) {
  for (int i = 0; i < 20; ++i) {
    retry.begin();
    retry.failed(now, random, {.fault = Fault::NotLeading});
    EXPECT_EQ(retry.retry_at(now), now + 100ms);
    now += 100ms;
  }
  EXPECT_FALSE(retry.is_repeated());
}

}  // namespace
}  // namespace nlc::controller
