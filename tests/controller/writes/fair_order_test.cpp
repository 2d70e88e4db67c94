#include "controller/writes/fair_order.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace nlc::controller {
namespace {

using ::testing::ElementsAre;

constexpr FairOrder::Group large = 1;
constexpr FairOrder::Group small = 2;

/// All that wait, in their order.
std::vector<FairOrder::Slot> line_of(const FairOrder& order) {
  std::vector<FairOrder::Slot> slots;
  for (const auto& [rank, slot] : order.line()) slots.push_back(slot);
  return slots;
}

/// The next one in line has its turn.
void serve_next(FairOrder& order, FairOrder::Group group) {
  const FairOrder::Slot next = order.line().begin()->second;
  order.served(next);
  order.leave(next, group);
}

TEST(FairOrder, WithinAGroupWhoeverCameFirstIsFirst) {
  FairOrder order;
  order.join(2, large);
  order.join(1, large);
  EXPECT_THAT(line_of(order), ElementsAre(2, 1));
}

TEST(FairOrder, GroupThatComesLateWaitsForOneOfEachOther) {
  FairOrder order;
  order.join(1, large);
  order.join(2, large);
  order.join(3, small);
  EXPECT_THAT(line_of(order), ElementsAre(1, 3, 2));
}

TEST(FairOrder, NextThatIsPromotedWaitsForNoOtherRound) {
  FairOrder order;
  for (const FairOrder::Slot slot : {1, 2, 3}) order.join(slot, large);
  order.join(4, small);
  order.join(5, small);
  EXPECT_TRUE(order.promote_next(large));
  EXPECT_THAT(line_of(order), ElementsAre(1, 4, 2, 5, 3)) << "1 waits for nobody";
}

TEST(FairOrder, FirstOfAGroupThatComesLateIsBeforeThoseThatArePromoted) {
  FairOrder order;
  order.join(1, large);
  order.join(2, large);
  order.promote_next(large);
  order.join(3, small);
  EXPECT_THAT(line_of(order), ElementsAre(1, 3, 2));
}

TEST(FairOrder, ThoseThatArePromotedGoInTheOrderInWhichTheyCame) {
  FairOrder order;
  for (const FairOrder::Slot slot : {1, 2}) order.join(slot, large);
  for (const FairOrder::Slot slot : {3, 4}) order.join(slot, small);
  order.promote_next(small);
  order.promote_next(large);
  EXPECT_THAT(line_of(order), ElementsAre(1, 3, 2, 4));
}

TEST(FairOrder, NobodyIsPromotedWhereNoneWaitsForAnotherRound) {
  FairOrder order;
  EXPECT_FALSE(order.promote_next(large));
  order.join(1, large);
  EXPECT_FALSE(order.promote_next(large)) << "its turn has come";
}

TEST(FairOrder, NoMoreArePromotedIntoARoundThanAFewOrThereWereGroupsWhenItBegan) {
  FairOrder order;
  for (FairOrder::Slot slot = 0; slot < 100; ++slot) order.join(slot, large);
  const auto promoted = [&] {
    std::size_t count = 0;
    while (order.promote_next(large)) ++count;
    return count;
  };
  EXPECT_EQ(promoted(), FairOrder::few);
  for (FairOrder::Group group = 2; group < 31; ++group) order.join(100 + group, group);
  order.served(50);
  order.join(200, 31);
  EXPECT_EQ(promoted(), 30U);
}

TEST(FairOrder, WhatAGroupDidNotAskForItDoesNotMakeUpFor) {
  FairOrder order;
  for (int i = 0; i < 10; ++i) {
    order.join(1, large);
    order.sent(large);
    serve_next(order, large);
  }
  order.join(1, large);
  order.join(2, small);
  order.join(3, small);
  EXPECT_THAT(line_of(order), ElementsAre(2, 1, 3))
      << "nine rounds of large are over, the tenth is on";
}

TEST(FairOrder, WhatGroupsWereGivenBeforeAnotherCameTheyDoNotPayFor) {
  constexpr FairOrder::Group late = 3;
  FairOrder order;
  for (const FairOrder::Slot slot : {1, 2, 3, 4, 5}) order.join(slot, large);
  for (const FairOrder::Slot slot : {6, 7, 8, 9}) order.join(slot, small);
  serve_next(order, large);
  serve_next(order, small);
  for (int promoted = 0; promoted < 2; ++promoted) {
    for (const FairOrder::Group group : {large, small}) {
      ASSERT_TRUE(order.promote_next(group));
      serve_next(order, group);
    }
  }
  for (const FairOrder::Slot slot : {20, 21, 22}) order.join(slot, late);
  EXPECT_THAT(line_of(order), ElementsAre(20, 4, 9, 21, 5, 22));
}

TEST(FairOrder, WhatAGroupWasGivenBeforeOthersHadTheirTurnsItPaysFor) {
  FairOrder order;
  for (const FairOrder::Slot slot : {1, 2, 3, 4}) order.join(slot, large);
  for (const FairOrder::Slot slot : {5, 6, 7}) order.join(slot, small);
  for (int promoted = 0; promoted < 2; ++promoted) order.promote_next(large);
  EXPECT_THAT(line_of(order), ElementsAre(1, 5, 2, 3, 6, 7, 4));
}

TEST(FairOrder, KnowsWhichGroupsHaveSomeInFlight) {
  FairOrder order;
  order.sent(large);
  order.sent(large);
  order.answered(large);
  EXPECT_TRUE(order.has_in_flight(large));
  EXPECT_FALSE(order.has_in_flight(small));
  order.answered(large);
  EXPECT_FALSE(order.has_in_flight(large));
}

TEST(FairOrder, LineOfIdleGroupsLeavesOutThoseThatHaveSomeInFlight) {
  FairOrder order;
  order.join(7, small);
  order.join(8, large);
  EXPECT_EQ(order.line_of_idle_groups().size(), 2U);
  order.sent(large);
  ASSERT_EQ(order.line_of_idle_groups().size(), 1U);
  EXPECT_EQ(order.line_of_idle_groups().front().second, 7U);
  order.answered(large);
  EXPECT_EQ(order.line_of_idle_groups().size(), 2U);
}

}  // namespace
}  // namespace nlc::controller
