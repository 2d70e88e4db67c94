#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "limits_world.h"

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

/// A server that answers nothing: each request times out, and is repeated twice a minute.
struct HangingWorld : LimitsWorld {
  HangingWorld() : LimitsWorld({.in_flight = 64}) {}

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
       {RequestPriority::NodeStatus, RequestPriority::LeaseRead, RequestPriority::NodeWrite,
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
  LimitsWorld world({.in_flight = 64});
  world.send_many(RequestPriority::NodeWrite, 30);
  world.send_many(RequestPriority::NodeWrite, 30, Try::Again);
  world.send_many(RequestPriority::PodWrite, 30);
  EXPECT_EQ(world.sent(), 60U + 4U);
  world.time.run_for(1s);
  EXPECT_EQ(world.sent(), 60U + 30U);
}

TEST(Throttling, OfHundredsOfRequestsKeepsTheNextOfTheirPriorityWaitingForSeconds) {
  LimitsWorld world({.in_flight = 64});
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
  LimitsWorld world({.in_flight = 64});
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
  LimitsWorld late({.in_flight = 64});
  late.send(RequestPriority::NodeWrite);
  late.time.run_for(1s);
  late.answer(0);
  late.send_many(RequestPriority::PodWrite, 5);
  EXPECT_EQ(late.sent(), 1U + 5U);

  LimitsWorld repeated({.in_flight = 64});
  repeated.send(RequestPriority::NodeWrite, "/", Try::Again);
  repeated.answer(0);
  repeated.send_many(RequestPriority::PodWrite, 5);
  EXPECT_EQ(repeated.sent(), 1U + 5U);
}

TEST(GivingWay, StillGoesOn) {
  LimitsWorld world({.in_flight = 64});
  world.send(RequestPriority::Read);
  world.send_many(RequestPriority::PodWrite, 5);
  world.answer(1);
  EXPECT_EQ(world.sent(), 1U + 5U);
}

TEST(GivingWay, NodesHaveAllPlaces) {
  LimitsWorld world({.in_flight = 64});
  world.send_many(RequestPriority::PodWrite, 10);
  world.send_many(RequestPriority::NodeWrite, 60);
  EXPECT_EQ(world.sent(), 64U);
}

}  // namespace
}  // namespace nlc::client
