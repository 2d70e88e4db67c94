#include "controller/nodes/node_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace nlc::controller {
namespace {

using ::testing::ElementsAre;

/// Who waits for room to write labels, and is asked for.
struct WaitingForRoom : ::testing::Test {
  bool begin(Slot slot, client::Room& room, NodeWrites::Turn turn = NodeWrites::Turn::Usual) {
    return writes.begin(slot, {NodeWrites::Kind::Labels, "os"}, room, turn).has_value();
  }
  /// Those that were asked for where there is room for so many.
  std::vector<Slot> asked_with(std::size_t places) {
    client::Room room = client::Room::of(places);
    std::vector<Slot> asked;
    writes.ask_for_room([&](Slot slot) {
      asked.push_back(slot);
      begin(slot, room);
    });
    return asked;
  }

  NodeWrites writes{1};
  client::Room none = client::Room::of(0);
  client::Room plenty = client::Room::of(100);
};

TEST_F(WaitingForRoom, WhoCameFirstIsAskedForFirstUntilThereIsNoneAgain) {
  for (const Slot slot : {5, 4, 3, 2, 1}) begin(slot, none);
  EXPECT_THAT(asked_with(2), ElementsAre(5, 4, 3));
  EXPECT_THAT(asked_with(1), ElementsAre(3, 2));
  EXPECT_THAT(asked_with(9), ElementsAre(2, 1));
  EXPECT_THAT(asked_with(9), ElementsAre());
}

TEST_F(WaitingForRoom, WhoAsksAgainMeanwhileKeepsItsPlace) {
  for (const Slot slot : {3, 2, 1}) begin(slot, none);
  begin(3, none);
  EXPECT_THAT(asked_with(0), ElementsAre(3));
}

TEST_F(WaitingForRoom, WhoComesLaterWaitsBehindThoseWhoWaitThoughThereIsRoom) {
  begin(2, none);
  EXPECT_FALSE(begin(1, plenty));
  EXPECT_TRUE(begin(2, plenty)) << "its turn has come";
  EXPECT_THAT(asked_with(9), ElementsAre(1));
}

TEST_F(WaitingForRoom, WhoAsksFirstDoesNot) {
  begin(2, none);
  EXPECT_TRUE(writes.ask_first(1, [&] { return begin(1, plenty); }));
  EXPECT_FALSE(begin(3, plenty));
}

TEST_F(WaitingForRoom, WhatOnlyTakesTaintsOffGoesBeforeAllElse) {
  using enum NodeWrites::Turn;
  for (const Slot slot : {2, 1}) begin(slot, none);
  EXPECT_TRUE(begin(3, plenty, Relief));
  begin(4, none, Relief);
  EXPECT_FALSE(writes.ask_first(5, [&] { return begin(5, plenty); }));
  EXPECT_THAT(asked_with(9), ElementsAre(4, 2, 1, 5));
}

TEST_F(WaitingForRoom, WhoNeedsNothingAnyMoreKeepsNobodyWaiting) {
  for (const Slot slot : {2, 1}) begin(slot, none);
  writes.ask_for_room([](Slot) {});
  EXPECT_TRUE(writes.is_settled(2));
  EXPECT_TRUE(begin(3, plenty));
}

TEST_F(WaitingForRoom, WhoIsForgottenWaitsNoMore) {
  begin(5, none);
  EXPECT_FALSE(writes.is_settled(5));
  writes.forget(5);
  EXPECT_TRUE(writes.is_settled(5));
  EXPECT_THAT(asked_with(9), ElementsAre());
}

}  // namespace
}  // namespace nlc::controller
