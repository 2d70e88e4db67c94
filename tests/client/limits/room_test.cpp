#include "client/limits/room.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "limits_world.h"

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

TEST(RoomAhead, IsWhatWouldBeSentAtOnce) {
  LimitsWorld world({.in_flight = 3});
  world.send(RequestPriority::NodeWrite);
  Room room = world.limited.room();
  EXPECT_TRUE(room.take({RequestPriority::NodeWrite}));
  EXPECT_TRUE(room.take({RequestPriority::NodeWrite}));
  EXPECT_FALSE(room.take({RequestPriority::NodeWrite}));
  EXPECT_TRUE(room.refused());
  EXPECT_TRUE(room.take({RequestPriority::PodWrite})) << "a place of its own";
  EXPECT_EQ(world.sent(), 1U) << "taking changes nothing but the room itself";
}

TEST(RoomAhead, IsAsOfNowAlsoWhereNothingHappenedMeanwhile) {
  LimitsWorld hanging({.in_flight = 1});
  hanging.send(RequestPriority::NodeWrite);
  hanging.time.run_for(1s);
  EXPECT_TRUE(hanging.limited.room().take({RequestPriority::NodeWrite}));

  LimitsWorld quiet({.in_flight = 64});
  quiet.send(RequestPriority::NodeWrite);
  quiet.answer(0);
  quiet.time.run_for(250ms);
  Room room = quiet.limited.room();
  for (int i = 0; i < 5; ++i) EXPECT_TRUE(room.take({RequestPriority::PodWrite})) << i;
}

TEST(RoomAhead, ThereIsNoneForWhatTheServerAskedToPause) {
  LimitsWorld world({.in_flight = 64});
  world.send(RequestPriority::NodeWrite, "/", Try::Again);
  world.held.answer(0, Response{.status = 429, .retry_after = 3s});
  EXPECT_FALSE(world.limited.room().take({RequestPriority::NodeWrite, Try::Again}));
  EXPECT_TRUE(world.limited.room().take({RequestPriority::NodeWrite}));
}

/// Three tokens, for which reads and writes of pods have waited too long.
struct StarvedWorld : LimitsWorld {
  StarvedWorld() : LimitsWorld({.requests_per_second = 1, .burst = 3}) {
    Room room = limited.room();
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(room.take({RequestPriority::List}));
    EXPECT_FALSE(room.take({RequestPriority::Read}));
    EXPECT_FALSE(room.take({RequestPriority::PodWrite}));
    limited.used(room, [] {});
    time.run_for(10s);
  }
};

TEST(RoomAhead, LastTokenIsKeptForTheKindThatIsServedFirstAndThenForTheNext) {
  StarvedWorld world;
  Room room = world.limited.room();
  EXPECT_TRUE(room.take({RequestPriority::Read}));
  EXPECT_TRUE(room.take({RequestPriority::NodeWrite}));
  EXPECT_FALSE(room.take({RequestPriority::NodeWrite}));
  EXPECT_TRUE(room.take({RequestPriority::PodWrite}));
}

TEST(RoomAhead, WhoWasRefusedForOneWhoDoesNotAskAgainIsToldAtOnce) {
  StarvedWorld world;
  int told = 0;
  Room room = world.limited.room();
  EXPECT_TRUE(room.take({RequestPriority::NodeWrite}));
  EXPECT_TRUE(room.take({RequestPriority::NodeWrite}));
  EXPECT_FALSE(room.take({RequestPriority::NodeWrite}));
  world.limited.used(room, [&told] { ++told; });
  world.time.run_ready();
  EXPECT_EQ(told, 1);
}

TEST(RoomAhead, OfSoManyIsForWhateverPriorityComes) {
  Room room = Room::of(2);
  EXPECT_TRUE(room.take({RequestPriority::PodWrite}));
  EXPECT_TRUE(room.take({RequestPriority::NodeStatus}));
  EXPECT_FALSE(room.take({RequestPriority::NodeWrite}));
  EXPECT_FALSE(Room::of(0).take({RequestPriority::Read}));
}

TEST(RoomAhead, OfAPriorityInWhichOthersWaitThereIsNone) {
  LimitsWorld world({.in_flight = 1});
  world.send_many(RequestPriority::NodeWrite, 2);
  Room room = world.limited.room();
  EXPECT_FALSE(room.take({RequestPriority::NodeWrite}));
}

/// Somebody was refused room, for a request is on its way.
struct RefusedWorld : LimitsWorld {
  RefusedWorld() : LimitsWorld({.in_flight = 1}) {
    send(RequestPriority::NodeWrite);
    Room room = limited.room();
    EXPECT_FALSE(room.take({RequestPriority::NodeWrite}));
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
  EXPECT_TRUE(world.limited.room().take({RequestPriority::NodeWrite}));
}

TEST(RoomAhead, WhereNearlyAllThatMayHangDoesOnlyFirstPlacesAreLeft) {
  LimitsWorld world({.in_flight = 64});
  for (int second = 0; second < 5; ++second) {
    world.send_many(RequestPriority::PodWrite, 60);
    world.time.run_for(1s);
  }
  Room room = world.limited.room();
  EXPECT_FALSE(room.take({RequestPriority::PodWrite}, Share::More));
  EXPECT_TRUE(room.may_take({RequestPriority::PodWrite}));
  EXPECT_TRUE(room.take({RequestPriority::PodWrite}, Share::First));
}

TEST(RoomAhead, LastEighthOfWhatAPriorityMayHaveInFlightIsKeptForFirstPlaces) {
  constexpr int all = 64 + 4 * 64;
  Capacity capacity(64);
  ByKind<int> overdue;
  int& hanging = overdue.of({RequestPriority::PodWrite});
  const auto one_more_hangs = [&] {
    capacity.take({RequestPriority::PodWrite});
    ++hanging;
    capacity.update(Instant{}, overdue);
  };
  while (hanging < all - all / 8 - 1) one_more_hangs();
  EXPECT_TRUE(capacity.has_place({RequestPriority::PodWrite}, Share::More));
  one_more_hangs();
  EXPECT_FALSE(capacity.has_place({RequestPriority::PodWrite}, Share::More));
  EXPECT_TRUE(capacity.has_place({RequestPriority::PodWrite}, Share::First));
}

/// A read was refused room for lack of a token, and then something more important queues. The next
/// token comes after a second.
struct WithoutTokenWorld : LimitsWorld {
  WithoutTokenWorld() : LimitsWorld({.requests_per_second = 1, .burst = 1, .in_flight = 64}) {
    send(RequestPriority::LeaseRead);
    Room room = limited.room();
    EXPECT_FALSE(room.take({RequestPriority::Read}));
    limited.used(room, [] {});
    time.run_for(100ms);
    send_many(RequestPriority::NodeWrite, 20);
  }
};

TEST(RoomAhead, ATokenIsKeptForWhoWasRefusedOneForTooLong) {
  WithoutTokenWorld world;
  world.time.run_for(1500ms);
  EXPECT_EQ(world.sent(), 1U);
  EXPECT_TRUE(world.limited.room().take({RequestPriority::Read}));
}

TEST(RoomAhead, WhoDoesNotAskAgainKeepsNoTokenFromOthers) {
  WithoutTokenWorld world;
  world.limited.used(world.limited.room(), nullptr);
  world.time.run_for(1500ms);
  EXPECT_EQ(world.sent(), 2U);
}

TEST(RoomAhead, WhoDoesNotAskAgainLeavesATokenThatIsThereToWhoeverWaitsForIt) {
  WithoutTokenWorld world;
  world.time.run_for(1500ms);
  EXPECT_EQ(world.sent(), 1U);
  world.limited.used(world.limited.room(), nullptr);
  EXPECT_EQ(world.sent(), 2U);
}

TEST(RoomAhead, IsToldByTheClockWhereAPauseOrARateRefused) {
  LimitsWorld world({.requests_per_second = 1, .burst = 1, .in_flight = 64});
  world.send(RequestPriority::NodeWrite);
  Room room = world.limited.room();
  EXPECT_FALSE(room.take({RequestPriority::PodWrite}));
  int told = 0;
  world.limited.used(room, [&told] { ++told; });
  world.time.run_for(1s);
  EXPECT_EQ(told, 1);
}

}  // namespace
}  // namespace nlc::client
