#include "client/limits/request_rate.h"

#include <gtest/gtest.h>
#include <optional>
#include <utility>

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

const Instant origin{1h};

constexpr RequestKind node_status{RequestPriority::NodeStatus};
constexpr RequestKind read_one{RequestPriority::Read};
constexpr RequestKind pod_write{RequestPriority::PodWrite};
constexpr RequestKind pod_write_again{RequestPriority::PodWrite, Try::Again};
constexpr RequestKind event{RequestPriority::Event};

TEST(RequestRate, ATokenIsForWhoeverComesFirst) {
  RequestRate rate(1, 1, origin);
  rate.waits(read_one, origin);
  EXPECT_EQ(rate.served_first(origin), std::nullopt);
  EXPECT_TRUE(rate.has_token(pod_write, origin));
}

TEST(RequestRate, ATokenIsKeptForAVerdictThatWaits) {
  RequestRate rate(1, 1, origin);
  rate.waits(node_status, origin);
  EXPECT_FALSE(rate.has_token(read_one, origin));
  EXPECT_TRUE(rate.has_token(node_status, origin));
}

TEST(RequestRate, AnEventTakesNoTokenForWhichAFirstTryOfAnotherKindWaits) {
  RequestRate rate(1, 2, origin);
  rate.take(event, origin);
  rate.waits(pod_write_again, origin);
  EXPECT_TRUE(rate.has_token(event, origin));
  rate.waits(pod_write, origin);
  EXPECT_FALSE(rate.has_token(event, origin));
  EXPECT_TRUE(rate.has_token(event, origin + 1s)) << "there are two";
}

TEST(RequestRate, AKindIsServedFirstOnceItHasWaitedForASecondAndForFiveIfItMayWait) {
  for (const auto& [late, after] :
       {std::pair(read_one, 1s), {pod_write, 1s}, {pod_write_again, 5s}, {event, 5s}}) {
    RequestRate rate(10, 1, origin);
    rate.waits(late, origin);
    EXPECT_EQ(rate.served_first(origin + after - 1ns), std::nullopt);
    EXPECT_EQ(rate.served_first(origin + after), late);
  }
}

TEST(RequestRate, VerdictsThatWaitAndWhoWaitedTooLongTakeTurns) {
  RequestRate rate(10, 1, origin);
  Instant now = origin + 1s;
  rate.waits(read_one, origin);
  rate.waits(pod_write, origin);
  for (const RequestKind turn : {node_status, read_one, node_status, pod_write, node_status}) {
    rate.waits(node_status, now);
    EXPECT_EQ(rate.served_first(now), turn);
    rate.take(turn, now);
    now += 100ms;
  }
  rate.waits(node_status, now);
  EXPECT_EQ(rate.served_first(now), node_status) << "nobody else has waited too long";
}

TEST(RequestRate, AskingAgainDoesNotBeginTheWaitAnew) {
  RequestRate rate(10, 1, origin);
  rate.waits(read_one, origin);
  rate.waits(read_one, origin + 500ms);
  EXPECT_EQ(rate.served_first(origin + 1s), read_one);
}

TEST(RequestRate, WhoIsOverdueForLongestIsServedFirstAndOfEqualsTheMostImportant) {
  RequestRate rate(10, 1, origin);
  rate.waits(pod_write_again, origin);
  rate.waits(pod_write, origin + 3s);
  rate.waits(read_one, origin + 3s);
  EXPECT_EQ(rate.served_first(origin + 4s), read_one);
  EXPECT_EQ(rate.served_first(origin + 6s), read_one);
  rate.take(read_one, origin + 6s);
  EXPECT_EQ(rate.served_first(origin + 6s), pod_write);
  rate.take(pod_write, origin + 6s);
  EXPECT_EQ(rate.served_first(origin + 6s), pod_write_again);
}

TEST(RequestRate, WhoWasServedWaitsNoMore) {
  RequestRate rate(1, 1, origin);
  rate.waits(read_one, origin);
  rate.take(read_one, origin + 1s);
  EXPECT_EQ(rate.served_first(origin + 2s), std::nullopt);
}

TEST(RequestRate, TheOnlyTokenIsForWhoIsServedFirstAndTheSecondForAnybody) {
  RequestRate rate(1, 2, origin);
  rate.take(node_status, origin);
  rate.waits(read_one, origin - 10s);
  EXPECT_TRUE(rate.has_token(read_one, origin));
  EXPECT_FALSE(rate.has_token(pod_write, origin));
  EXPECT_TRUE(rate.has_token(pod_write, origin + 1s));
}

}  // namespace
}  // namespace nlc::client
