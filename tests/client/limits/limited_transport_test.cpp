#include "client/limits/limited_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "limits_world.h"

namespace nlc::client {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::SizeIs;

std::vector<RequestPriority> priorities_of(const HeldTransport& held) {
  std::vector<RequestPriority> priorities;
  for (const auto& one : held.sent) priorities.push_back(one.request.priority);
  return priorities;
}

TEST(InFlight, NeverExceedsItsBound) {
  LimitsWorld world({.in_flight = 3});
  world.send_many(RequestPriority::NodeWrite, 10);
  EXPECT_EQ(world.sent(), 3U);
  EXPECT_EQ(world.limited.waiting(), 7U);
  for (std::size_t next = 0; next < 10; ++next) {
    EXPECT_LE(world.sent() - next, 3U);
    world.answer(next);
  }
  EXPECT_EQ(world.sent(), 10U);
  EXPECT_EQ(world.answered, 10);
  EXPECT_EQ(world.limited.waiting(), 0U);
}

TEST(InFlight, AnswerThatIsAnErrorFreesItsPlaceToo) {
  LimitsWorld world({.in_flight = 1});
  world.send_many(RequestPriority::Read, 2);
  world.held.answer(0, Error{Fault::Timeout, "late"});
  EXPECT_EQ(world.sent(), 2U);
}

TEST(InFlight, AnswerThatComesAfterItsEndIsHeardByNobody) {
  sim::VirtualTime time{WallTime{}};
  HeldTransport held;
  bool told = false;
  {
    LimitedTransport limited(held, time, time, {});
    limited.send({.target = "/"}, [&told](const Result<Response>&) { told = true; });
  }
  held.answer(0, Response{.status = 200});
  EXPECT_FALSE(told);
}

TEST(InFlight, WithRoomEverythingGoesAtOnceAndInOrder) {
  LimitsWorld world({.in_flight = 64});
  world.send(RequestPriority::Event, "/first");
  world.send(RequestPriority::NodeWrite, "/second");
  ASSERT_EQ(world.sent(), 2U);
  EXPECT_EQ(world.held.sent[0].request.target, "/first");
}

TEST(InFlight, ServerThatThrottlesIsAskedLessOfThatPriorityAndAfterItsPause) {
  LimitsWorld world({.in_flight = 4});
  world.send_many(RequestPriority::NodeWrite, 10);
  world.held.answer(0, Response{.status = 429, .retry_after = 3s});
  world.answer(1);
  world.answer(2);
  EXPECT_EQ(world.sent(), 4U);
  world.time.run_for(999ms);
  EXPECT_EQ(world.sent(), 4U) << "a first try waits for one second of those three";
  world.time.run_for(1ms);
  EXPECT_EQ(world.sent(), 6U) << "two at once: the fourth has given up its place by now";
}

TEST(InFlight, WhatFailedBeforeKeepsToAllOfThePauseThatAServerAsksFor) {
  LimitsWorld world({.in_flight = 64});
  world.send(RequestPriority::NodeWrite, "/", Try::Again);
  world.held.answer(0, Response{.status = 429, .retry_after = 9s});
  world.send(RequestPriority::NodeWrite, "/", Try::Again);
  world.send(RequestPriority::NodeWrite, "/first");
  EXPECT_TRUE(world.was_sent("/first")) << "no first try was refused";
  world.time.run_for(8999ms);
  EXPECT_EQ(world.sent(), 2U);
  world.time.run_for(1ms);
  EXPECT_EQ(world.sent(), 3U);
}

TEST(InFlight, APauseBeginsWhenTheServerAsksForIt) {
  LimitsWorld world({.in_flight = 64});
  world.send(RequestPriority::NodeWrite, "/", Try::Again);
  world.time.run_for(20s);
  world.held.answer(0, Response{.status = 429, .retry_after = 9s});
  world.send(RequestPriority::NodeWrite, "/", Try::Again);
  world.time.run_for(8999ms);
  EXPECT_EQ(world.sent(), 1U);
  world.time.run_for(1ms);
  EXPECT_EQ(world.sent(), 2U);
}

TEST(InFlight, EventsThatAreThrottledHoldUpNothingElse) {
  LimitsWorld world({.in_flight = 2});
  world.send(RequestPriority::Event);
  world.held.answer(0, Response{.status = 429, .retry_after = 3s});
  world.send_many(RequestPriority::NodeWrite, 2);
  EXPECT_EQ(world.sent(), 3U);
}

TEST(InFlight, OfEventsAFewAreHoweverManyThereAre) {
  LimitsWorld world({.in_flight = 64});
  world.send_many(RequestPriority::Event, 100);
  EXPECT_EQ(world.sent(), 4U);
  world.answer(0);
  EXPECT_EQ(world.sent(), 5U);
}

TEST(PriorityOrder, WhatIsLeftOfAllPlacesGoesToTheMostImportantPriority) {
  LimitsWorld world({.in_flight = 8});
  world.send_many(RequestPriority::LeaseRead, 8);
  for (const RequestPriority priority :
       {RequestPriority::Read, RequestPriority::NodeWrite, RequestPriority::NodeStatus}) {
    world.send_many(priority, 2);  // one in the place of its own
  }
  EXPECT_EQ(world.sent(), 8U + 3U);
  for (std::size_t i = 0; i < 6; ++i) world.answer(i);
  std::vector<RequestPriority> next = priorities_of(world.held);
  next.erase(next.begin(), next.begin() + 11);
  EXPECT_THAT(next, ElementsAre(RequestPriority::NodeStatus, RequestPriority::NodeWrite,
                                RequestPriority::Read));
}

TEST(PriorityOrder, RequestsOfOnePriorityThatHangKeepNoOtherPriorityFromItsTurn) {
  LimitsWorld world({.in_flight = 4});
  world.send_many(RequestPriority::NodeWrite, 300);
  EXPECT_EQ(world.sent(), 4U);
  for (const RequestPriority priority :
       {RequestPriority::NodeStatus, RequestPriority::LeaseRead, RequestPriority::Read,
        RequestPriority::PodWrite, RequestPriority::Event}) {
    world.send(priority);
  }
  EXPECT_EQ(world.sent(), 9U);
}

TEST(PriorityOrder, WhatFailedBeforeTakesHalfOfItsPriorityAndLeavesTheRestToOthers) {
  LimitsWorld world({.in_flight = 64});
  for (int i = 0; i < 100; ++i) {
    world.limited.send(
        {.target = "/again", .priority = RequestPriority::PodWrite, .attempt = Try::Again},
        [](const Result<Response>&) {});
  }
  EXPECT_EQ(world.sent(), 32U);
  Room room = world.limited.room();
  EXPECT_TRUE(room.take({RequestPriority::PodWrite}));
  EXPECT_FALSE(room.take({RequestPriority::PodWrite, Try::Again})) << "others wait already";
  world.send(RequestPriority::PodWrite, "/first");
  EXPECT_TRUE(world.was_sent("/first")) << "it overtakes them";
}

TEST(PriorityOrder, WithinAPriorityFirstComeFirstServed) {
  LimitsWorld world({.in_flight = 1});
  for (const char* target : {"/a", "/b", "/c"}) world.send(RequestPriority::PodWrite, target);
  world.answer(0);
  world.answer(1);
  ASSERT_EQ(world.sent(), 3U);
  EXPECT_EQ(world.held.sent[1].request.target, "/b");
  EXPECT_EQ(world.held.sent[2].request.target, "/c");
}

TEST(Election, IsNeverHeld) {
  LimitsWorld world({.requests_per_second = 0.001, .burst = 1, .in_flight = 1});
  world.send_many(RequestPriority::NodeWrite, 5);
  EXPECT_EQ(world.sent(), 1U);
  world.send_many(RequestPriority::Election, 3);
  EXPECT_EQ(world.sent(), 4U);
}

TEST(Election, TakesNobodysPlace) {
  LimitsWorld world({.in_flight = 1});
  world.send(RequestPriority::Election);
  world.send(RequestPriority::NodeWrite);
  EXPECT_EQ(world.sent(), 2U);
}

TEST(Watches, AreNotHeld) {
  LimitsWorld world({.requests_per_second = 0.001, .burst = 1, .in_flight = 1});
  world.send_many(RequestPriority::Read, 2);
  const Subscription watch = world.limited.watch({.target = "/watch"}, nullptr);
  EXPECT_THAT(world.held.watched, SizeIs(1));
}

TEST(Rate, ZeroIsNoLimit) {
  LimitsWorld world({.requests_per_second = 0, .burst = 1, .in_flight = 1000});
  world.send_many(RequestPriority::NodeWrite, 500);
  EXPECT_EQ(world.sent(), 500U);
}

TEST(Rate, BurstGoesAtOnceAndTheRestByTheClock) {
  LimitsWorld world({.requests_per_second = 20, .burst = 30, .in_flight = 1000});
  world.send_many(RequestPriority::NodeWrite, 100);
  EXPECT_EQ(world.sent(), 30U);
  world.time.run_for(49ms);
  EXPECT_EQ(world.sent(), 30U);
  world.time.run_for(2ms);
  EXPECT_EQ(world.sent(), 31U);
  world.time.run_for(949ms);
  EXPECT_NEAR(static_cast<double>(world.sent()), 50, 1);
  world.time.run_for(1h);
  EXPECT_EQ(world.sent(), 100U);
}

TEST(Rate, SaturatedForAMinuteItIsTheRateThatWasAskedFor) {
  LimitsWorld world({.requests_per_second = 7, .burst = 1, .in_flight = 10000});
  world.send_many(RequestPriority::PodWrite, 1000);
  world.time.run_for(60s);
  EXPECT_NEAR(static_cast<double>(world.sent()), 7 * 60 + 1, 1);
}

TEST(Rate, BucketFillsToTheBurstAndNoFurther) {
  LimitsWorld world({.requests_per_second = 10, .burst = 5, .in_flight = 1000});
  world.send_many(RequestPriority::NodeWrite, 5);
  world.time.run_for(1h);
  world.send_many(RequestPriority::NodeWrite, 20);
  EXPECT_EQ(world.sent(), 10U);
}

TEST(Rate, FractionOfARequestPerSecondIsHonoured) {
  LimitsWorld world({.requests_per_second = 0.1, .burst = 1, .in_flight = 10});
  world.send_many(RequestPriority::NodeWrite, 2);
  world.time.run_for(9s);
  EXPECT_EQ(world.sent(), 1U);
  world.time.run_for(1001ms);
  EXPECT_EQ(world.sent(), 2U);
}

TEST(Rate, BurstOfZeroStillLetsRequestsThrough) {
  LimitsWorld world({.requests_per_second = 10, .burst = 0, .in_flight = 10});
  world.send_many(RequestPriority::NodeWrite, 3);
  world.time.run_for(1s);
  EXPECT_EQ(world.sent(), 3U);
}

TEST(Rate, TokenGoesToTheFirstPriorityThatWaits) {
  LimitsWorld world({.requests_per_second = 1, .burst = 1, .in_flight = 100});
  world.send(RequestPriority::Read);
  world.send(RequestPriority::Event);
  world.send(RequestPriority::NodeWrite);
  world.time.run_for(1100ms);
  EXPECT_THAT(priorities_of(world.held),
              ElementsAre(RequestPriority::Read, RequestPriority::NodeWrite));
}

TEST(Rate, PriorityThatWaitedForASecondIsServedBeforeMoreImportantOnes) {
  LimitsWorld world({.requests_per_second = 10, .burst = 1, .in_flight = 1000});
  world.send_many(RequestPriority::NodeWrite, 1000);
  world.send_many(RequestPriority::Read, 10);
  world.time.run_for(20s);
  EXPECT_EQ(std::ranges::count(priorities_of(world.held), RequestPriority::Read), 10);
}

TEST(Rate, NoTokenIsSpentWhileNoPlaceIsFree) {
  LimitsWorld world({.requests_per_second = 1, .burst = 2, .in_flight = 1});
  world.send_many(RequestPriority::Read, 2);
  world.time.run_for(10s);
  world.answer(0);
  EXPECT_EQ(world.sent(), 2U);
  world.answer(1);
  world.send(RequestPriority::Read);
  EXPECT_EQ(world.sent(), 3U);
}

TEST(Answers, MaySendTheNextRequestThemselves) {
  LimitsWorld world({.in_flight = 1});
  std::vector<std::string> order;
  world.limited.send({.target = "/a"}, [&](const Result<Response>&) {
    order.emplace_back("a");
    world.limited.send({.target = "/c"}, [&](const Result<Response>&) { order.emplace_back("c"); });
  });
  world.limited.send({.target = "/b"}, [&](const Result<Response>&) { order.emplace_back("b"); });
  for (std::size_t i = 0; i < 3; ++i) world.answer(i);
  EXPECT_THAT(order, ElementsAre("a", "b", "c"));
}

TEST(Timers, NoneIsLeftWhenNobodyWaits) {
  LimitsWorld world({.requests_per_second = 10, .burst = 1, .in_flight = 10});
  world.send_many(RequestPriority::Read, 3);
  world.time.run_for(1s);
  const auto steps = world.time.steps();
  world.time.run_for(1h);
  EXPECT_EQ(world.time.steps(), steps);
}

TEST(Timers, NoneIsLeftWhenAnAnswerMadeRoomForAll) {
  LimitsWorld world({.in_flight = 1});
  world.send_many(RequestPriority::Read, 2);
  world.answer(0);
  const auto steps = world.time.steps();
  world.time.run_for(1h);
  EXPECT_EQ(world.time.steps(), steps);
}

}  // namespace
}  // namespace nlc::client
