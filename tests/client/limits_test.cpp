#include "client/limits.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <string_view>
#include <vector>

#include "held_transport.h"
#include "sim/virtual_time.h"

namespace nlc::client {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;

using testing::SizeIs;

/// Limits over a held transport in virtual time.
struct World {
  explicit World(LimitOptions options) : limited(held, time, time, options) {}

  void send(RequestPriority priority, std::string target = "/", Try attempt = Try::First) {
    limited.send({.target = std::move(target), .priority = priority, .attempt = attempt},
                 [this](const Result<Response>&) { ++answered; });
  }
  void send_many(RequestPriority priority, int count, Try attempt = Try::First) {
    for (int i = 0; i < count; ++i) send(priority, "/", attempt);
  }
  void answer(std::size_t index) { held.answer(index, Response{.status = 200}); }
  std::size_t sent() const { return held.sent.size(); }
  bool was_sent(std::string_view target) const {
    return std::ranges::any_of(held.sent,
                               [&](const auto& one) { return one.request.target == target; });
  }

  sim::VirtualTime time{WallTime{}};
  HeldTransport held;
  int answered = 0;
  LimitedTransport limited;
};

std::vector<RequestPriority> priorities_of(const HeldTransport& held) {
  std::vector<RequestPriority> priorities;
  for (const auto& one : held.sent) priorities.push_back(one.request.priority);
  return priorities;
}

TEST(InFlight, NeverExceedsItsBound) {
  World world({.in_flight = 3});
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
  World world({.in_flight = 1});
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
  World world({.in_flight = 64});
  world.send(RequestPriority::Event, "/first");
  world.send(RequestPriority::NodeWrite, "/second");
  ASSERT_EQ(world.sent(), 2U);
  EXPECT_EQ(world.held.sent[0].request.target, "/first");
}

TEST(InFlight, ServerThatThrottlesIsAskedLessOfThatPriorityAndAfterItsPause) {
  World world({.in_flight = 4});
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
  World world({.in_flight = 64});
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
  World world({.in_flight = 64});
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
  World world({.in_flight = 2});
  world.send(RequestPriority::Event);
  world.held.answer(0, Response{.status = 429, .retry_after = 3s});
  world.send_many(RequestPriority::NodeWrite, 2);
  EXPECT_EQ(world.sent(), 3U);
}

TEST(InFlight, OfEventsAFewAreHoweverManyThereAre) {
  World world({.in_flight = 64});
  world.send_many(RequestPriority::Event, 100);
  EXPECT_EQ(world.sent(), 4U);
  world.answer(0);
  EXPECT_EQ(world.sent(), 5U);
}

TEST(PriorityOrder, WhatIsLeftOfAllPlacesGoesToTheMostImportantPriority) {
  World world({.in_flight = 8});
  world.send_many(RequestPriority::Verdict, 8);
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
  World world({.in_flight = 4});
  world.send_many(RequestPriority::NodeWrite, 300);
  EXPECT_EQ(world.sent(), 4U);
  for (const RequestPriority priority :
       {RequestPriority::NodeStatus, RequestPriority::Verdict, RequestPriority::Read,
        RequestPriority::PodWrite, RequestPriority::Event}) {
    world.send(priority);
  }
  EXPECT_EQ(world.sent(), 9U);
}

TEST(PriorityOrder, WhatFailedBeforeTakesHalfOfItsPriorityAndLeavesTheRestToOthers) {
  World world({.in_flight = 64});
  for (int i = 0; i < 100; ++i) {
    world.limited.send(
        {.target = "/again", .priority = RequestPriority::PodWrite, .attempt = Try::Again},
        [](const Result<Response>&) {});
  }
  EXPECT_EQ(world.sent(), 32U);
  Room room = world.limited.room();
  EXPECT_TRUE(room.take(RequestPriority::PodWrite));
  EXPECT_FALSE(room.take(RequestPriority::PodWrite, Try::Again)) << "others wait already";
  world.send(RequestPriority::PodWrite, "/first");
  EXPECT_TRUE(world.was_sent("/first")) << "it overtakes them";
}

TEST(PriorityOrder, WithinAPriorityFirstComeFirstServed) {
  World world({.in_flight = 1});
  for (const char* target : {"/a", "/b", "/c"}) world.send(RequestPriority::PodWrite, target);
  world.answer(0);
  world.answer(1);
  ASSERT_EQ(world.sent(), 3U);
  EXPECT_EQ(world.held.sent[1].request.target, "/b");
  EXPECT_EQ(world.held.sent[2].request.target, "/c");
}

/// A server that answers nothing: each request times out, and is repeated twice a minute.
struct HangingWorld : World {
  HangingWorld() : World({.in_flight = 64}) {}

  void send_hanging(RequestPriority priority, int count, Try attempt = Try::First) {
    for (int i = 0; i < count; ++i) send_hanging(priority, attempt);
  }
  void send_hanging(RequestPriority priority, Try attempt) {
    limited.send({.target = "/hangs", .priority = priority, .attempt = attempt},
                 [this, priority](const Result<Response>&) {
                   repetitions.push_back(time.run_at(
                       time.now() + 15s, [this, priority] { send_hanging(priority, Try::Again); }));
                 });
  }
  void run_for(Duration span) {
    for (const Instant end = time.now() + span; time.now() < end;) {
      for (; seen < sent(); ++seen) {
        if (held.sent[seen].request.target != "/hangs") continue;
        ++on_the_way;
        timeouts.push_back(time.run_at(time.now() + 10s, [this, number = seen] {
          --on_the_way;
          held.answer(number, Error{Fault::Timeout, "no answer"});
        }));
      }
      most_on_the_way = std::max(most_on_the_way, on_the_way);
      time.run_for(100ms);
    }
  }

  std::size_t seen = 0;
  int on_the_way = 0;
  int most_on_the_way = 0;
  std::vector<Timer> timeouts;
  std::vector<Timer> repetitions;
};

TEST(Hanging, HundredsOfRequestsKeepTheNextOfTheirPriorityWaitingForSeconds) {
  HangingWorld world;
  world.send_hanging(RequestPriority::NodeWrite, 300);
  world.send(RequestPriority::NodeWrite, "/innocent");
  world.send(RequestPriority::NodeStatus, "/other-priority");
  EXPECT_TRUE(world.was_sent("/other-priority"));
  world.run_for(5s);
  EXPECT_TRUE(world.was_sent("/innocent"));
}

TEST(Hanging, ThousandsThatWereTriedOnceKeepAFirstTryNotWaiting) {
  HangingWorld world;
  world.send_hanging(RequestPriority::NodeWrite, 2000);
  world.run_for(2min);
  world.send(RequestPriority::NodeWrite, "/innocent");
  EXPECT_TRUE(world.was_sent("/innocent"));
}

TEST(Hanging, TheNextHundredsDoNotEither) {
  HangingWorld world;
  for (int batch = 0; batch < 4; ++batch) {
    const std::string innocent = "/innocent-" + std::to_string(batch);
    world.send_hanging(RequestPriority::PodWrite, 300);
    world.send(RequestPriority::PodWrite, innocent);
    world.run_for(5s);
    EXPECT_TRUE(world.was_sent(innocent));
    world.run_for(85s);
  }
}

TEST(Hanging, OfAServerThatAnswersNothingNoMoreThanSixHundredAreOnTheirWay) {
  HangingWorld world;
  for (const RequestPriority priority :
       {RequestPriority::NodeStatus, RequestPriority::Verdict, RequestPriority::NodeWrite,
        RequestPriority::List, RequestPriority::Read, RequestPriority::PodWrite,
        RequestPriority::Event}) {
    world.send_hanging(priority, 1000);
  }
  world.run_for(2min);
  EXPECT_GE(world.most_on_the_way, 64 + 8 * 64);
  EXPECT_LE(world.most_on_the_way, 640);
}

TEST(Hanging, WhatIsRepeatedForEverPilesUpLess) {
  HangingWorld world;
  world.send_hanging(RequestPriority::PodWrite, 1000, Try::Again);
  world.run_for(1min);
  EXPECT_LE(world.most_on_the_way, 64);
  world.most_on_the_way = 0;
  world.run_for(1min);
  EXPECT_LE(world.most_on_the_way, 40) << "and ever less";
}

TEST(Hanging, NodesThatHangMakePodsGiveWayForASecond) {
  World world({.in_flight = 64});
  world.send_many(RequestPriority::NodeWrite, 30);
  world.send_many(RequestPriority::NodeWrite, 30, Try::Again);
  world.send_many(RequestPriority::PodWrite, 30);
  EXPECT_EQ(world.sent(), 60U + 4U);
  world.time.run_for(1s);
  EXPECT_EQ(world.sent(), 60U + 30U);
}

TEST(Throttling, OfHundredsOfRequestsKeepsTheNextOfTheirPriorityWaitingForSeconds) {
  World world({.in_flight = 64});
  world.send_many(RequestPriority::PodWrite, 300);
  world.send(RequestPriority::PodWrite, "/innocent");
  std::size_t answered = 0;
  for (int second = 0; second < 10; ++second) {
    for (const std::size_t sent = world.sent(); answered < sent; ++answered) {
      world.held.answer(answered, Response{.status = 429, .retry_after = 10s});
    }
    EXPECT_LE(world.sent() - answered, 0U) << "all of them are told to wait";
    world.time.run_for(1s);
    EXPECT_LE(world.sent() - answered, 32U);
  }
  EXPECT_TRUE(world.was_sent("/innocent"));
}

TEST(GivingWay, PodWritesAndEventsKeepToAFewPlacesUntilNodesHaveBeenQuiet) {
  World world({.in_flight = 64});
  world.send(RequestPriority::NodeWrite);
  world.send_many(RequestPriority::PodWrite, 5);
  world.send_many(RequestPriority::Event, 5);
  EXPECT_EQ(world.sent(), 1U + 4U + 1U);
  world.answer(0);
  world.time.run_for(249ms);
  EXPECT_EQ(world.sent(), 1U + 4U + 1U);
  world.time.run_for(2ms);
  EXPECT_EQ(world.sent(), 1U + 5U + 4U);
}

TEST(GivingWay, IsNotForWhatIsAnsweredAfterASecondOrWasRepeated) {
  World late({.in_flight = 64});
  late.send(RequestPriority::NodeWrite);
  late.time.run_for(1s);
  late.answer(0);
  late.send_many(RequestPriority::PodWrite, 5);
  EXPECT_EQ(late.sent(), 1U + 5U);

  World repeated({.in_flight = 64});
  repeated.send(RequestPriority::NodeWrite, "/", Try::Again);
  repeated.answer(0);
  repeated.send_many(RequestPriority::PodWrite, 5);
  EXPECT_EQ(repeated.sent(), 1U + 5U);
}

TEST(GivingWay, StillGoesOn) {
  World world({.in_flight = 64});
  world.send(RequestPriority::Read);
  world.send_many(RequestPriority::PodWrite, 5);
  world.answer(1);
  EXPECT_EQ(world.sent(), 1U + 5U);
}

TEST(GivingWay, NodesHaveAllPlaces) {
  World world({.in_flight = 64});
  world.send_many(RequestPriority::PodWrite, 10);
  world.send_many(RequestPriority::NodeWrite, 60);
  EXPECT_EQ(world.sent(), 64U);
}

TEST(RoomAhead, IsWhatWouldBeSentAtOnce) {
  World world({.in_flight = 3});
  world.send(RequestPriority::NodeWrite);
  Room room = world.limited.room();
  EXPECT_TRUE(room.take(RequestPriority::NodeWrite));
  EXPECT_TRUE(room.take(RequestPriority::NodeWrite));
  EXPECT_FALSE(room.take(RequestPriority::NodeWrite));
  EXPECT_TRUE(room.refused());
  EXPECT_TRUE(room.take(RequestPriority::PodWrite)) << "a place of its own";
  EXPECT_EQ(world.sent(), 1U) << "taking changes nothing but the room itself";
}

TEST(RoomAhead, IsAsOfNowAlsoWhereNothingHappenedMeanwhile) {
  World hanging({.in_flight = 1});
  hanging.send(RequestPriority::NodeWrite);
  hanging.time.run_for(1s);
  EXPECT_TRUE(hanging.limited.room().take(RequestPriority::NodeWrite));

  World quiet({.in_flight = 64});
  quiet.send(RequestPriority::NodeWrite);
  quiet.answer(0);
  quiet.time.run_for(250ms);
  Room room = quiet.limited.room();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(room.take(RequestPriority::PodWrite)) << i;
}

TEST(RoomAhead, ThereIsNoneForWhatTheServerAskedToPause) {
  World world({.in_flight = 64});
  world.send(RequestPriority::NodeWrite, "/", Try::Again);
  world.held.answer(0, Response{.status = 429, .retry_after = 3s});
  EXPECT_FALSE(world.limited.room().take(RequestPriority::NodeWrite, Try::Again));
  EXPECT_TRUE(world.limited.room().take(RequestPriority::NodeWrite));
}

TEST(RoomAhead, LastTokenIsKeptForThePriorityThatIsServedFirst) {
  Room room(
      Room::State{.capacity = Capacity(8), .tokens = 2, .served_first = RequestPriority::Read});
  EXPECT_TRUE(room.take(RequestPriority::NodeWrite));
  EXPECT_FALSE(room.take(RequestPriority::NodeWrite));
  EXPECT_TRUE(room.take(RequestPriority::Read));
}

TEST(RoomAhead, OfSoManyIsForWhateverPriorityComes) {
  Room room = Room::of(2);
  EXPECT_TRUE(room.take(RequestPriority::PodWrite));
  EXPECT_TRUE(room.take(RequestPriority::NodeStatus));
  EXPECT_FALSE(room.take(RequestPriority::NodeWrite));
  EXPECT_FALSE(Room::of(0).take(RequestPriority::Read));
}

TEST(RoomAhead, OfAPriorityInWhichOthersWaitThereIsNone) {
  World world({.in_flight = 1});
  world.send_many(RequestPriority::NodeWrite, 2);
  Room room = world.limited.room();
  EXPECT_FALSE(room.take(RequestPriority::NodeWrite));
}

/// Somebody was refused room, for a request is on its way.
struct RefusedWorld : World {
  RefusedWorld() : World({.in_flight = 1}) {
    send(RequestPriority::NodeWrite);
    Room room = limited.room();
    EXPECT_FALSE(room.take(RequestPriority::NodeWrite));
    limited.used(room, [this] { ++told; });
  }
  int told = 0;
};

TEST(RoomAhead, WhoWasRefusedIsToldOnceWhenThereIsRoomAgain) {
  RefusedWorld world;
  world.time.run_for(999ms);
  EXPECT_EQ(world.told, 0);
  world.answer(0);
  world.time.run_ready();
  EXPECT_EQ(world.told, 1);
  world.time.run_for(1min);
  EXPECT_EQ(world.told, 1);
}

TEST(RoomAhead, WhoWasRefusedIsToldWhenWhatIsOnItsWayHangs) {
  RefusedWorld world;
  world.time.run_for(1s);
  EXPECT_EQ(world.told, 1);
  EXPECT_TRUE(world.limited.room().take(RequestPriority::NodeWrite));
}

TEST(RoomAhead, WhereNearlyAllThatMayHangDoesOnlyFirstPlacesAreLeft) {
  World world({.in_flight = 64});
  for (int second = 0; second < 5; ++second) {
    world.send_many(RequestPriority::PodWrite, 60);
    world.time.run_for(1s);
  }
  Room room = world.limited.room();
  EXPECT_FALSE(room.take(RequestPriority::PodWrite, Try::First, Share::More));
  EXPECT_TRUE(room.may_take(RequestPriority::PodWrite, Try::First));
  EXPECT_TRUE(room.take(RequestPriority::PodWrite, Try::First, Share::First));
}

TEST(RoomAhead, LastEighthOfWhatAPriorityMayHaveInFlightIsKeptForFirstPlaces) {
  constexpr int all = 64 + 4 * 64;
  Capacity capacity(64);
  ByPriority<int> overdue;
  int& hanging = overdue.of(RequestPriority::PodWrite, Try::First);
  const auto one_more_hangs = [&] {
    capacity.take(RequestPriority::PodWrite, Try::First);
    ++hanging;
    capacity.look(Instant{}, overdue);
  };
  while (hanging < all - all / 8 - 1) one_more_hangs();
  EXPECT_TRUE(capacity.has_place(RequestPriority::PodWrite, Try::First, Share::More));
  one_more_hangs();
  EXPECT_FALSE(capacity.has_place(RequestPriority::PodWrite, Try::First, Share::More));
  EXPECT_TRUE(capacity.has_place(RequestPriority::PodWrite, Try::First, Share::First));
}

/// Reads were refused room for lack of a token; the next one comes after a second.
struct WithoutTokenWorld : World {
  WithoutTokenWorld() : World({.requests_per_second = 1, .burst = 1, .in_flight = 64}) {
    send(RequestPriority::Verdict);
    Room room = limited.room();
    EXPECT_FALSE(room.take(RequestPriority::Read));
    limited.used(room, [this] { taken = limited.room().take(RequestPriority::Read); });
  }
  bool taken = false;
};

TEST(RoomAhead, WhoWasRefusedATokenIsServedBeforeWhoComesLater) {
  WithoutTokenWorld world;
  world.time.run_for(100ms);
  world.send(RequestPriority::NodeWrite, "/later");
  world.time.run_for(901ms);
  EXPECT_TRUE(world.taken);
  EXPECT_FALSE(world.was_sent("/later"));
}

TEST(RoomAhead, WhoDoesNotAskAgainKeepsNoTokenFromOthers) {
  WithoutTokenWorld world;
  world.limited.used(world.limited.room(), nullptr);
  world.time.run_for(100ms);
  world.send(RequestPriority::NodeWrite, "/later");
  world.time.run_for(901ms);
  EXPECT_TRUE(world.was_sent("/later"));
}

TEST(RoomAhead, WhoDoesNotAskAgainLeavesATokenThatIsThereToWhoeverWaitsForIt) {
  WithoutTokenWorld world;
  world.time.run_for(100ms);
  world.send(RequestPriority::NodeWrite, "/waits");
  world.time.run_for(901ms);
  ASSERT_FALSE(world.was_sent("/waits"));
  world.limited.used(world.limited.room(), nullptr);
  EXPECT_TRUE(world.was_sent("/waits"));
}

TEST(RoomAhead, IsToldByTheClockWhereAPauseOrARateRefused) {
  World world({.requests_per_second = 1, .burst = 1, .in_flight = 64});
  world.send(RequestPriority::NodeWrite);
  Room room = world.limited.room();
  EXPECT_FALSE(room.take(RequestPriority::PodWrite));
  int told = 0;
  world.limited.used(room, [&told] { ++told; });
  world.time.run_for(1s);
  EXPECT_EQ(told, 1);
}

TEST(Election, IsNeverHeld) {
  World world({.requests_per_second = 0.001, .burst = 1, .in_flight = 1});
  world.send_many(RequestPriority::NodeWrite, 5);
  EXPECT_EQ(world.sent(), 1U);
  world.send_many(RequestPriority::Election, 3);
  EXPECT_EQ(world.sent(), 4U);
}

TEST(Election, TakesNobodysPlace) {
  World world({.in_flight = 1});
  world.send(RequestPriority::Election);
  world.send(RequestPriority::NodeWrite);
  EXPECT_EQ(world.sent(), 2U);
}

TEST(Watches, AreNotHeld) {
  World world({.requests_per_second = 0.001, .burst = 1, .in_flight = 1});
  world.send_many(RequestPriority::Read, 2);
  const Subscription watch = world.limited.watch({.target = "/watch"}, nullptr);
  EXPECT_THAT(world.held.watched, SizeIs(1));
}

TEST(Rate, ZeroIsNoLimit) {
  World world({.requests_per_second = 0, .burst = 1, .in_flight = 1000});
  world.send_many(RequestPriority::NodeWrite, 500);
  EXPECT_EQ(world.sent(), 500U);
}

TEST(Rate, BurstGoesAtOnceAndTheRestByTheClock) {
  World world({.requests_per_second = 20, .burst = 30, .in_flight = 1000});
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
  World world({.requests_per_second = 7, .burst = 1, .in_flight = 10000});
  world.send_many(RequestPriority::PodWrite, 1000);
  world.time.run_for(60s);
  EXPECT_NEAR(static_cast<double>(world.sent()), 7 * 60 + 1, 1);
}

TEST(Rate, BucketFillsToTheBurstAndNoFurther) {
  World world({.requests_per_second = 10, .burst = 5, .in_flight = 1000});
  world.send_many(RequestPriority::NodeWrite, 5);
  world.time.run_for(1h);
  world.send_many(RequestPriority::NodeWrite, 20);
  EXPECT_EQ(world.sent(), 10U);
}

TEST(Rate, FractionOfARequestPerSecondIsHonoured) {
  World world({.requests_per_second = 0.1, .burst = 1, .in_flight = 10});
  world.send_many(RequestPriority::NodeWrite, 2);
  world.time.run_for(9s);
  EXPECT_EQ(world.sent(), 1U);
  world.time.run_for(1001ms);
  EXPECT_EQ(world.sent(), 2U);
}

TEST(Rate, BurstOfZeroStillLetsRequestsThrough) {
  World world({.requests_per_second = 10, .burst = 0, .in_flight = 10});
  world.send_many(RequestPriority::NodeWrite, 3);
  world.time.run_for(1s);
  EXPECT_EQ(world.sent(), 3U);
}

TEST(Rate, TokenGoesToTheFirstPriorityThatWaits) {
  World world({.requests_per_second = 1, .burst = 1, .in_flight = 100});
  world.send(RequestPriority::Read);
  world.send(RequestPriority::Event);
  world.send(RequestPriority::NodeWrite);
  world.time.run_for(1100ms);
  EXPECT_THAT(priorities_of(world.held),
              ElementsAre(RequestPriority::Read, RequestPriority::NodeWrite));
}

TEST(Rate, PriorityThatWaitedForASecondIsServedBeforeMoreImportantOnes) {
  World world({.requests_per_second = 2, .burst = 1, .in_flight = 1000});
  world.send_many(RequestPriority::NodeWrite, 1000);
  world.send_many(RequestPriority::Read, 10);
  world.time.run_for(20s);
  EXPECT_EQ(std::ranges::count(priorities_of(world.held), RequestPriority::Read), 10);
}

TEST(Rate, NoTokenIsSpentWhileNoPlaceIsFree) {
  World world({.requests_per_second = 1, .burst = 2, .in_flight = 1});
  world.send_many(RequestPriority::Read, 2);
  world.time.run_for(10s);
  world.answer(0);
  EXPECT_EQ(world.sent(), 2U);
  world.answer(1);
  world.send(RequestPriority::Read);
  EXPECT_EQ(world.sent(), 3U);
}

TEST(Answers, MaySendTheNextRequestThemselves) {
  World world({.in_flight = 1});
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
  World world({.requests_per_second = 10, .burst = 1, .in_flight = 10});
  world.send_many(RequestPriority::Read, 3);
  world.time.run_for(1s);
  const auto steps = world.time.steps();
  world.time.run_for(1h);
  EXPECT_EQ(world.time.steps(), steps);
}

TEST(Timers, NoneIsLeftWhenAnAnswerMadeRoomForAll) {
  World world({.in_flight = 1});
  world.send_many(RequestPriority::Read, 2);
  world.answer(0);
  const auto steps = world.time.steps();
  world.time.run_for(1h);
  EXPECT_EQ(world.time.steps(), steps);
}

}  // namespace
}  // namespace nlc::client
