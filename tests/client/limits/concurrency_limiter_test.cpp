#include "client/limits/concurrency_limiter.h"

#include <gtest/gtest.h>
#include <utility>

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

const Instant start{1h};

Response status(int code) { return {.status = code}; }
Response throttled(std::optional<Duration> retry_after) {
  return {.status = 429, .retry_after = retry_after};
}

TEST(ConcurrencyLimiter, IsWideOpenWhileTheServerKeepsUp) {
  ConcurrencyLimiter window({.most = 64});
  for (int i = 0; i < 1000; ++i) window.answered(start, start + 1s, status(200));
  EXPECT_EQ(window.size(start), 64);
}

TEST(ConcurrencyLimiter, HalvesForEachRoundOfTroubleAndNotForEachAnswer) {
  ConcurrencyLimiter window({.most = 64});
  for (int i = 0; i < 64; ++i) window.answered(start, start + 1ms, throttled({}));
  EXPECT_EQ(window.size(start), 32);
  for (int i = 0; i < 32; ++i) window.answered(start + 2ms, start + 3ms, status(500));
  EXPECT_EQ(window.size(start), 16);
}

TEST(ConcurrencyLimiter, AlwaysLetsOneThrough) {
  ConcurrencyLimiter window({.most = 64});
  for (int i = 0; i < 20; ++i) {
    window.answered(start + i * 1s, start + i * 1s, Error{.fault = Fault::Timeout});
  }
  EXPECT_EQ(window.size(start), 1);
}

TEST(ConcurrencyLimiter, NeverShrinksBelowWhatIsToGoOnInAnyCase) {
  ConcurrencyLimiter window({.most = 64, .least = 16});
  for (int i = 0; i < 20; ++i) window.answered(start + i * 1s, start + i * 1s, status(503));
  EXPECT_EQ(window.size(start + 20s), 16);
}

TEST(ConcurrencyLimiter, AMinuteWithoutTroubleOpensItWide) {
  ConcurrencyLimiter window({.most = 64});
  for (int i = 0; i < 3; ++i) window.answered(start + i * 1s, start + i * 1s, status(503));
  EXPECT_EQ(window.size(start + 61s), 8);
  EXPECT_EQ(window.size(start + 62s), 64);
  window.answered(start + 62s, start + 63s, status(503));
  EXPECT_EQ(window.size(start + 63s), 32) << "and what comes then counts from there";
}

TEST(ConcurrencyLimiter, OpensFastUpToHalfOfAllAndThenByOneForEveryRoundOfGoodAnswers) {
  ConcurrencyLimiter window({.most = 8});
  for (int i = 0; i < 3; ++i) {
    window.answered(start + i * 1s, start + i * 1s, Error{.fault = Fault::Unavailable});
  }
  ASSERT_EQ(window.size(start), 1);
  const Instant later = start + 1min;
  for (const int size : {2, 3, 4, 4, 4, 4, 5}) {
    window.answered(later, later, status(409));  // a refusal is an answer
    EXPECT_EQ(window.size(start), size);
  }
  for (int i = 0; i < 100; ++i) window.answered(later, later, status(200));
  EXPECT_EQ(window.size(start), 8);
}

TEST(ConcurrencyLimiter, RequestThatHangsWhileOthersAreAnsweredTellsNothingOfTheServer) {
  ConcurrencyLimiter window({.most = 8});
  window.answered(start + 5s, start + 6s, status(200));
  window.answered(start, start + 10s, Error{.fault = Fault::Timeout});
  EXPECT_EQ(window.size(start), 8);
}

TEST(ConcurrencyLimiter, WhatFailedBeforeTellsNothingWhileOthersAreAnswered) {
  ConcurrencyLimiter window({.most = 8});
  window.answered(start, start, status(200));
  window.answered(start + 1s, start + 1s, throttled(2s), Try::Again);
  EXPECT_EQ(window.size(start), 8);
  EXPECT_LT(window.pause_ends(), start);
  window.answered(start + 20s, start + 20s, throttled(2s), Try::Again);
  EXPECT_EQ(window.size(start), 4) << "nobody has been answered for long";
}

TEST(ConcurrencyLimiter, AGoodAnswerSpeaksForTheServerForTenSeconds) {
  for (const auto& [after, size] : {std::pair<Duration, int>{10s - 1ns, 8}, {10s, 4}}) {
    ConcurrencyLimiter window({.most = 8});
    window.answered(start, start, status(200));
    window.answered(start + 1s, start + after, status(503), Try::Again);
    EXPECT_EQ(window.size(start + after), size);
  }
}

TEST(ConcurrencyLimiter, WhatWasSentInTheMomentInWhichItShrankTellsNothing) {
  ConcurrencyLimiter window({.most = 8});
  window.answered(start, start, status(503));
  window.answered(start + 1s, start + 2s, status(503));
  ASSERT_EQ(window.size(start + 2s), 2);
  window.answered(start + 2s, start + 2s, status(503));
  window.answered(start + 2s, start + 2s, status(200));
  EXPECT_EQ(window.size(start + 2s), 2);
  window.answered(start + 2s + 1ns, start + 3s, status(200));
  EXPECT_EQ(window.size(start + 3s), 3);
}

TEST(ConcurrencyLimiter, AServerThatSlowsIsAskedForLess) {
  ConcurrencyLimiter window({.most = 8});
  window.answered(start, start + 2s, status(200));
  EXPECT_EQ(window.size(start), 8);
  window.answered(start, start + 2s + 1ns, status(200));
  EXPECT_EQ(window.size(start), 4);
}

TEST(ConcurrencyLimiter, APauseIsKeptThatTheServerAsksForWithinReason) {
  ConcurrencyLimiter window({.most = 8});
  EXPECT_LT(window.pause_ends(), start);
  window.answered(start, start, throttled(2s));
  EXPECT_EQ(window.pause_ends(), start + 2s);
  window.answered(start, start, throttled(1s));
  EXPECT_EQ(window.pause_ends(), start + 2s);
  window.answered(start, start, throttled(1h));
  EXPECT_EQ(window.pause_ends(), start + 10s);

  ConcurrencyLimiter hasty({.most = 8, .pause_max = 1s});
  hasty.answered(start, start, throttled(5s));
  EXPECT_EQ(hasty.pause_ends(), start + 1s);
}

}  // namespace
}  // namespace nlc::client
