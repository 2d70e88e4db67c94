#include "controller/writes/fair_order.h"

#include <gtest/gtest.h>
#include <vector>

namespace nlc::controller {
namespace {

constexpr FairOrder::Group large = 1;
constexpr FairOrder::Group small = 2;

TEST(FairOrder, WithinAGroupWhoeverCameFirstIsFirst) {
  FairOrder order;
  const auto first = order.join(1, large);
  const auto second = order.join(2, large);
  EXPECT_LT(first, second);
}

TEST(FairOrder, GroupThatComesLateWaitsForOneOfEachOther) {
  FairOrder order;
  const auto first = order.join(1, large);
  const auto second = order.join(2, large);
  const auto late = order.join(3, small);
  EXPECT_LT(first, late);
  EXPECT_LT(late, second);
}

TEST(FairOrder, NextThatIsPromotedWaitsForNoOtherRound) {
  FairOrder order;
  order.join(1, large);
  order.join(2, large);
  order.join(3, large);
  order.join(4, small);
  const auto second_of_small = order.join(5, small);
  const auto promoted = order.promote_next(large);
  ASSERT_TRUE(promoted);
  EXPECT_EQ(promoted->second, 2U) << "the first of them waits for nobody";
  EXPECT_LT(promoted->first, second_of_small);
  EXPECT_TRUE(order.line().contains(*promoted));
  EXPECT_EQ(order.line().size(), 5U);
}

TEST(FairOrder, FirstOfAGroupThatComesLateIsBeforeThoseThatArePromoted) {
  FairOrder order;
  order.join(1, large);
  order.join(2, large);
  const auto promoted = order.promote_next(large);
  const auto late = order.join(3, small);
  ASSERT_TRUE(promoted);
  EXPECT_LT(late, promoted->first);
}

TEST(FairOrder, ThoseThatArePromotedGoInTheOrderInWhichTheyCame) {
  FairOrder order;
  for (const FairOrder::Group group : {large, small}) {
    order.join(2 * group, group);
    order.join(2 * group + 1, group);
  }
  const auto later = order.promote_next(small);
  const auto earlier = order.promote_next(large);
  ASSERT_TRUE(later && earlier);
  EXPECT_LT(earlier->first, later->first);
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
  for (FairOrder::Group group = 2; group < 31; ++group) order.join(100, group);
  order.served({.round = 1});
  order.join(100, 31);
  EXPECT_EQ(promoted(), 30U);
}

TEST(FairOrder, WhatAGroupDidNotAskForItDoesNotMakeUpFor) {
  FairOrder order;
  for (int i = 0; i < 10; ++i) {
    const auto turn = order.join(1, large);
    order.leave({turn, 1}, large);
    order.served(turn);
    order.sent(large);
  }
  const auto next = order.join(1, large);
  const auto first = order.join(2, small);
  const auto second = order.join(2, small);
  EXPECT_LT(first, next) << "nine rounds of it are over, the tenth is on";
  EXPECT_LT(next, second);
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
  const auto first = order.join(7, small);
  order.join(8, large);
  EXPECT_EQ(order.line_of_idle_groups().size(), 2U);
  order.sent(large);
  EXPECT_EQ(order.line_of_idle_groups(), (std::vector<FairOrder::Place>{{first, 7}}));
  order.answered(large);
  EXPECT_EQ(order.line_of_idle_groups().size(), 2U);
}

}  // namespace
}  // namespace nlc::controller
