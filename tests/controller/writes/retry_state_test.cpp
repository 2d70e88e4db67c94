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

TEST_F(RetryStateTest, WaitsDoubleFromATenthOfASecondOn) {
  for (Duration longest = 100ms; longest < 15s; longest *= 2) {
    retry.begin();
    retry.failed(now, random, {.fault = Fault::Unavailable});
    const Duration waits = *retry.retry_at(now) - now;
    EXPECT_GE(waits, longest / 2);
    EXPECT_LE(waits, longest);
    now += waits;
  }
}

TEST_F(RetryStateTest, MayBeTriedAgainInTheMomentInWhichItsWaitEnds) {
  retry.begin();
  EXPECT_EQ(retry.retry_at(now), std::nullopt) << "it is on its way";
  retry.failed(now, random, {.fault = Fault::Unavailable});
  const Instant again = retry.retry_at(now).value();
  EXPECT_FALSE(retry.may_begin(again - 1ns));
  EXPECT_EQ(retry.retry_at(again), std::nullopt);
  EXPECT_TRUE(retry.may_begin(again));
}

TEST_F(RetryStateTest, RefusalIsTriedAgainInTenSecondsThenInAMinuteAndThenEveryFive) {
  for (const Duration longest : {10s, 60s, 300s, 300s}) {
    retry.begin();
    retry.failed(now, random, {.fault = Fault::Forbidden});
    const Duration waits = *retry.retry_at(now) - now;
    EXPECT_GE(waits, longest - longest / 10);
    EXPECT_LE(waits, longest);
    now += waits;
  }
}

TEST_F(RetryStateTest, FailuresBeforeARefusalDoNotMakeItsWaitsLonger) {
  tries_within(1min, {.fault = Fault::Unavailable});
  retry.begin();
  retry.failed(now, random, {.fault = Fault::Forbidden});
  EXPECT_LE(retry.retry_at(now), now + 10s);
}

TEST_F(RetryStateTest, OnlyWhatWasRefusedAndWaitsHurries) {
  retry.begin();
  retry.failed(now, random, {.fault = Fault::Unavailable});
  retry.hurry();
  EXPECT_FALSE(retry.may_begin(now)) << "the server is in trouble";
  now = retry.retry_at(now).value();
  retry.begin();
  retry.failed(now, random, {.fault = Fault::Forbidden});
  retry.hurry();
  EXPECT_TRUE(retry.may_begin(now));
}

TEST_F(RetryStateTest, OneThatWasRefusedAndIsTakenReleasesOthersOnceInThirtySeconds) {
  RefusalRelease release;
  EXPECT_FALSE(release.begins_with(retry, now)) << "it was not refused";
  retry.begin();
  retry.failed(now, random, {.fault = Fault::Forbidden});
  EXPECT_TRUE(release.begins_with(retry, now));
  EXPECT_FALSE(release.begins_with(retry, now + 30s - 1ns));
  EXPECT_TRUE(release.begins_with(retry, now + 30s));
}

TEST_F(RetryStateTest, WriteThatIsUndoneWaitsATenthOfASecondAtFirst) {
  for (const Duration longest : {100ms, 200ms, 400ms}) {
    retry.begin();
    retry.succeeded(now);
    EXPECT_TRUE(retry.did_not_last(now, random));
    EXPECT_FALSE(retry.did_not_last(now, random)) << "once";
    const Duration waits = *retry.retry_at(now) - now;
    EXPECT_LE(waits, longest);
    EXPECT_GE(waits, longest / 2);
    now += waits;
  }
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
  EXPECT_GE(retry.retry_at(now), now + 10s);
  EXPECT_LE(retry.retry_at(now), now + 15s);
}

TEST_F(RetryStateTest, ServersRetryAfterIsWhereTheWaitsBeginToDouble) {
  EXPECT_LE(tries_within(30s, {.fault = Fault::Throttled, .retry_after = 1s}), 7);
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
  EXPECT_TRUE(retry.has_history());
  EXPECT_FALSE(retry.did_not_last(now + 1min, random));
  EXPECT_TRUE(retry.may_begin(now + 1min));
  EXPECT_FALSE(retry.has_history());
}

TEST_F(RetryStateTest, WriteThatGaveWayToAnotherOfOursWasNotUndone) {
  retry.begin();
  retry.succeeded(now);
  retry.gave_way();
  EXPECT_FALSE(retry.did_not_last(now + 1s, random));
}

TEST_F(RetryStateTest, WhatIsWantedNoMoreIsAFirstTimeAfterwardsAndWaitsTenSecondsAtMost) {
  ASSERT_GE(tries_within(20min, {.fault = Fault::Forbidden}), 4);
  now -= 5min;
  retry.forget_failures(now);
  EXPECT_EQ(retry.retry_at(now), now + 10s);
  EXPECT_TRUE(retry.was_refused()) << "so others need not wait for it meanwhile";
  EXPECT_FALSE(retry.is_repeated());
}

TEST_F(RetryStateTest, WhatDidNotLastWaitsAlsoWhenItsFailuresAreForgotten) {
  retry.begin();
  retry.succeeded(now);
  ASSERT_TRUE(retry.did_not_last(now + 1ms, random));
  retry.forget_failures(now + 1ms);
  EXPECT_FALSE(retry.may_begin(now + 1ms));
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
