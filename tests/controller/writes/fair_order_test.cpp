#include "controller/writes/fair_order.h"

#include <gtest/gtest.h>
#include <iterator>
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

TEST(FairOrder, WhereOneWasTakenTheOthersOfItsGroupWaitForNobodyWhoCameLater) {
  FairOrder order;
  order.join(1, large);
  order.join(2, large);
  const auto late = order.join(3, small);
  const std::vector<FairOrder::Place> places = order.taken(large);
  ASSERT_EQ(places.size(), 1U) << "the first of them waits for nobody";
  EXPECT_EQ(places[0].second, 2U);
  EXPECT_LT(places[0].first, late);
  EXPECT_EQ(std::next(order.line().begin())->second, 2U);
}

TEST(FairOrder, OfAGroupAFewAtMostGoBeforeOthersInOneRound) {
  FairOrder order;
  for (int i = 0; i < 2 * FairOrder::few; ++i) {
    order.join(static_cast<FairOrder::Slot>(i), large);
  }
  EXPECT_EQ(order.taken(large).size(), std::size_t{FairOrder::few});
  EXPECT_EQ(order.taken(large).size(), 0U);
  order.served({.round = 1});
  EXPECT_EQ(order.taken(large).size(), std::size_t{FairOrder::few - 1}) << "these are left";
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
