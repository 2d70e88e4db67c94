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
  const auto second = order.join(1, large);
  EXPECT_LT(first, second);
}

TEST(FairOrder, GroupThatComesLateWaitsForOneOfEachOther) {
  FairOrder order;
  const auto first = order.join(1, large);
  const auto second = order.join(1, large);
  const auto late = order.join(2, small);
  EXPECT_LT(first, late);
  EXPECT_LT(late, second);
}

TEST(FairOrder, NextOfAGroupThatHurriesWaitsForNoOtherRound) {
  FairOrder order;
  order.join(1, large);
  order.join(2, large);
  order.join(3, large);
  const auto second_of_small = (order.join(4, small), order.join(5, small));
  const auto hurried = order.hurry_next(large);
  ASSERT_TRUE(hurried);
  EXPECT_EQ(hurried->second, 2U) << "the first of them waits for nobody";
  EXPECT_LT(hurried->first, second_of_small);
  EXPECT_TRUE(order.line().contains(*hurried));
  EXPECT_EQ(order.line().size(), 5U);
}

TEST(FairOrder, FirstOfAGroupThatComesLateIsBeforeThoseThatHurry) {
  FairOrder order;
  order.join(1, large);
  order.join(2, large);
  const auto hurried = order.hurry_next(large);
  const auto late = order.join(3, small);
  ASSERT_TRUE(hurried);
  EXPECT_LT(late, hurried->first);
}

TEST(FairOrder, ThoseThatHurryGoInTheOrderInWhichTheyCame) {
  FairOrder order;
  for (const FairOrder::Group group : {large, small}) {
    order.join(2 * group, group);
    order.join(2 * group + 1, group);
  }
  const auto later = order.hurry_next(small);
  const auto earlier = order.hurry_next(large);
  ASSERT_TRUE(later && earlier);
  EXPECT_LT(earlier->first, later->first);
}

TEST(FairOrder, NobodyHurriesWhereNoneWaitsForAnotherRound) {
  FairOrder order;
  EXPECT_FALSE(order.hurry_next(large));
  order.join(1, large);
  EXPECT_FALSE(order.hurry_next(large)) << "its turn has come";
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

TEST(FairOrder, KnowsWhichGroupsHaveSomeUnderWay) {
  FairOrder order;
  order.sent(large);
  order.sent(large);
  order.answered(large);
  EXPECT_TRUE(order.has_some_under_way(large));
  EXPECT_FALSE(order.has_some_under_way(small));
  order.answered(large);
  EXPECT_FALSE(order.has_some_under_way(large));
}

TEST(FairOrder, AloneAreThoseWhoseGroupHasNoneUnderWay) {
  FairOrder order;
  const auto first = order.join(7, small);
  order.join(8, large);
  EXPECT_EQ(order.alone().size(), 2U);
  order.sent(large);
  EXPECT_EQ(order.alone(), (std::vector<FairOrder::Place>{{first, 7}}));
  order.answered(large);
  EXPECT_EQ(order.alone().size(), 2U);
}

}  // namespace
}  // namespace nlc::controller
