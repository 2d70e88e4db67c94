#include "client/limits/request_rate.h"

#include <gtest/gtest.h>
#include <optional>

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

const Instant origin{1h};

TEST(RequestRate, APriorityIsServedFirstOnceItHasWaitedForASecond) {
  RequestRate rate(1, 1, origin);
  rate.waits(RequestPriority::Read, origin);
  EXPECT_EQ(rate.tokens(origin + 1s - 1ns)->served_first, std::nullopt);
  EXPECT_EQ(rate.tokens(origin + 1s)->served_first, RequestPriority::Read);
}

TEST(RequestRate, AskingAgainDoesNotBeginTheWaitAnew) {
  RequestRate rate(1, 1, origin);
  rate.waits(RequestPriority::Read, origin);
  rate.waits(RequestPriority::Read, origin + 500ms);
  EXPECT_EQ(rate.tokens(origin + 1s)->served_first, RequestPriority::Read);
}

TEST(RequestRate, WhoWaitedLongestIsServedFirstAndOfEqualsTheMostImportant) {
  RequestRate rate(1, 1, origin);
  rate.waits(RequestPriority::PodWrite, origin);
  rate.waits(RequestPriority::Read, origin);
  rate.waits(RequestPriority::NodeWrite, origin + 1ns);
  EXPECT_EQ(rate.tokens(origin + 2s)->served_first, RequestPriority::Read);
}

TEST(RequestRate, WhoWasServedWaitsNoMore) {
  RequestRate rate(1, 1, origin);
  rate.waits(RequestPriority::Read, origin);
  rate.take(RequestPriority::Read, origin + 1s);
  EXPECT_EQ(rate.tokens(origin + 2s)->served_first, std::nullopt);
}

TEST(RequestRate, TheOnlyTokenIsForWhoIsServedFirstAndTheSecondForAnybody) {
  RequestRate rate(1, 2, origin);
  rate.take(RequestPriority::NodeWrite, origin);
  rate.waits(RequestPriority::Read, origin - 1s);
  EXPECT_TRUE(rate.has_token(RequestPriority::Read, origin));
  EXPECT_FALSE(rate.has_token(RequestPriority::NodeWrite, origin));
  EXPECT_TRUE(rate.has_token(RequestPriority::NodeWrite, origin + 1s));
}

}  // namespace
}  // namespace nlc::client
