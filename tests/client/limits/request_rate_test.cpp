#include "client/limits/request_rate.h"

#include <gtest/gtest.h>
#include <optional>

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

const Instant origin{1h};

constexpr RequestKind node_status{RequestPriority::NodeStatus};
constexpr RequestKind read_one{RequestPriority::Read};
constexpr RequestKind pod_write{RequestPriority::PodWrite};
constexpr RequestKind pod_write_again{RequestPriority::PodWrite, Try::Again};

TEST(RequestRate, AnybodyMayHaveATokenForWhichNobodyWaits) {
  const RequestRate rate(1, 1, origin);
  EXPECT_EQ(rate.tokens(origin)->served_first, std::nullopt);
  EXPECT_TRUE(rate.has_token(pod_write, origin));
}

TEST(RequestRate, TheMostImportantThatWaitsIsServedFirst) {
  RequestRate rate(1, 1, origin);
  rate.waits(read_one, origin);
  EXPECT_EQ(rate.tokens(origin)->served_first, read_one);
  rate.waits(node_status, origin + 1ns);
  EXPECT_EQ(rate.tokens(origin + 1ns)->served_first, node_status);
  EXPECT_FALSE(rate.has_token(read_one, origin + 1ns)) << "though it came first";
}

TEST(RequestRate, WhatFailedWaitsForWhatHasNotYet) {
  RequestRate rate(1, 1, origin);
  rate.waits(pod_write_again, origin);
  rate.waits(pod_write, origin + 1ns);
  EXPECT_EQ(rate.tokens(origin + 1ns)->served_first, pod_write);
}

TEST(RequestRate, AKindIsServedFirstOnceItHasWaitedForASecond) {
  for (const RequestKind late : {read_one, pod_write, pod_write_again}) {
    RequestRate rate(1, 1, origin);
    rate.waits(late, origin);
    rate.waits(node_status, origin + 1ns);
    EXPECT_EQ(rate.tokens(origin + 1s - 1ns)->served_first, node_status);
    EXPECT_EQ(rate.tokens(origin + 1s)->served_first, late);
  }
}

TEST(RequestRate, AskingAgainDoesNotBeginTheWaitAnew) {
  RequestRate rate(1, 1, origin);
  rate.waits(read_one, origin);
  rate.waits(node_status, origin + 1ns);
  rate.waits(read_one, origin + 500ms);
  EXPECT_EQ(rate.tokens(origin + 1s)->served_first, read_one);
}

TEST(RequestRate, OfThoseWhoWaitedTooLongTheFirstIsServedFirstAndOfEqualsTheMostImportant) {
  RequestRate rate(1, 1, origin);
  rate.waits(pod_write, origin);
  rate.waits(read_one, origin);
  rate.waits(node_status, origin + 1ns);
  EXPECT_EQ(rate.tokens(origin + 2s)->served_first, read_one);
}

TEST(RequestRate, WhoWasServedWaitsNoMore) {
  RequestRate rate(1, 1, origin);
  rate.waits(read_one, origin);
  rate.take(read_one, origin + 1s);
  EXPECT_EQ(rate.tokens(origin + 2s)->served_first, std::nullopt);
}

TEST(RequestRate, TheOnlyTokenIsForWhoIsServedFirstAndTheSecondForAnybody) {
  RequestRate rate(1, 2, origin);
  rate.take(node_status, origin);
  rate.waits(read_one, origin);
  EXPECT_TRUE(rate.has_token(read_one, origin));
  EXPECT_FALSE(rate.has_token(pod_write, origin));
  EXPECT_TRUE(rate.has_token(pod_write, origin + 1s));
}

}  // namespace
}  // namespace nlc::client
