#include "client/flow_window.h"

#include <gtest/gtest.h>

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

const Instant start{1h};

Response status(int code) { return {.status = code}; }
Response throttled(std::optional<Duration> retry_after) {
  return {.status = 429, .retry_after = retry_after};
}

TEST(FlowWindow, IsWideOpenWhileTheServerKeepsUp) {
  FlowWindow window(64);
  for (int i = 0; i < 1000; ++i) window.answered(start, start + 1s, status(200));
  EXPECT_EQ(window.size(), 64);
}

TEST(FlowWindow, HalvesForEachRoundOfTroubleAndNotForEachAnswer) {
  FlowWindow window(64);
  for (int i = 0; i < 64; ++i) window.answered(start, start + 1ms, throttled({}));
  EXPECT_EQ(window.size(), 32);
  for (int i = 0; i < 32; ++i) window.answered(start + 2ms, start + 3ms, status(500));
  EXPECT_EQ(window.size(), 16);
}

TEST(FlowWindow, AlwaysLetsOneThrough) {
  FlowWindow window(64);
  for (int i = 0; i < 20; ++i) {
    window.answered(start + i * 1s, start + i * 1s, Error{.fault = Fault::Timeout});
  }
  EXPECT_EQ(window.size(), 1);
}

TEST(FlowWindow, OpensFastUpToHalfOfAllAndThenByOneForEveryRoundOfGoodAnswers) {
  FlowWindow window(8);
  for (int i = 0; i < 3; ++i) {
    window.answered(start + i * 1s, start + i * 1s, Error{.fault = Fault::Unavailable});
  }
  ASSERT_EQ(window.size(), 1);
  const Instant later = start + 1min;
  for (const int size : {2, 3, 4, 4, 4, 4, 5}) {
    window.answered(later, later, status(409));  // a refusal is an answer
    EXPECT_EQ(window.size(), size);
  }
  for (int i = 0; i < 100; ++i) window.answered(later, later, status(200));
  EXPECT_EQ(window.size(), 8);
}

TEST(FlowWindow, RequestThatHangsWhileOthersAreAnsweredTellsNothingOfTheServer) {
  FlowWindow window(8);
  window.answered(start + 5s, start + 6s, status(200));
  window.answered(start, start + 10s, Error{.fault = Fault::Timeout});
  EXPECT_EQ(window.size(), 8);
}

TEST(FlowWindow, WhatFailedBeforeTellsNothingWhileOthersAreAnswered) {
  FlowWindow window(8);
  window.answered(start, start, status(200));
  window.answered(start + 1s, start + 1s, throttled(2s), Try::Again);
  EXPECT_EQ(window.size(), 8);
  EXPECT_LT(window.pause_ends(), start);
  window.answered(start + 20s, start + 20s, throttled(2s), Try::Again);
  EXPECT_EQ(window.size(), 4) << "nobody has been answered for long";
}

TEST(FlowWindow, AServerThatSlowsIsAskedForLess) {
  FlowWindow window(8);
  window.answered(start, start + 2s, status(200));
  EXPECT_EQ(window.size(), 8);
  window.answered(start, start + 2s + 1ns, status(200));
  EXPECT_EQ(window.size(), 4);
}

TEST(FlowWindow, APauseIsKeptThatTheServerAsksForWithinReason) {
  FlowWindow window(8);
  EXPECT_LT(window.pause_ends(), start);
  window.answered(start, start, throttled(2s));
  EXPECT_EQ(window.pause_ends(), start + 2s);
  window.answered(start, start, throttled(1s));
  EXPECT_EQ(window.pause_ends(), start + 2s);
  window.answered(start, start, throttled(1h));
  EXPECT_EQ(window.pause_ends(), start + 10s);
}

}  // namespace
}  // namespace nlc::client
