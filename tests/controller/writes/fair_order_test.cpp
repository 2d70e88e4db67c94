#include "controller/writes/fair_order.h"

#include <gtest/gtest.h>
#include <vector>

namespace nlc::controller {
namespace {

using namespace std::chrono_literals;

constexpr FairOrder::Group large = 1;
constexpr FairOrder::Group small = 2;
constexpr Instant sent_at{};

TEST(FairOrder, WithinAGroupWhoeverCameFirstIsFirst) {
  FairOrder order;
  const auto first = order.join(1, large);
  const auto second = order.join(1, large);
  EXPECT_LT(first, second);
}

TEST(FairOrder, WhoeverCameFirstIsFirstAlsoOfTwoGroups) {
  FairOrder order;
  const auto first = order.join(1, large);
  const auto last = order.join(2, large);
  const auto late = order.join(3, small);
  EXPECT_LT(first, last);
  EXPECT_LT(last, late);
}

TEST(FairOrder, GroupThatComesLateWaitsForAFewOfEachOther) {
  FairOrder order;
  std::vector<FairOrder::Rank> of_large;
  for (int i = 0; i <= FairOrder::few; ++i) of_large.push_back(order.join(1, large));
  const auto late = order.join(2, small);
  EXPECT_LT(of_large[FairOrder::few - 1], late);
  EXPECT_LT(late, of_large[FairOrder::few]);
}

TEST(FairOrder, WhatAGroupDidNotAskForItDoesNotMakeUpFor) {
  FairOrder order;
  const auto serve = [&order](FairOrder::Rank rank) {
    order.served(rank);
    order.sent(large, sent_at);
    order.leave({rank, 1}, large);
  };
  for (int i = 0; i < 10 * FairOrder::few; ++i) serve(order.join(1, large));
  const auto next = order.join(1, large);
  std::vector<FairOrder::Rank> of_small;
  for (int i = 0; i <= FairOrder::few; ++i) of_small.push_back(order.join(2, small));
  EXPECT_LT(of_small[FairOrder::few - 1], next) << "ten rounds of it are over, the next is to come";
  EXPECT_LT(next, of_small[FairOrder::few]);
}

TEST(FairOrder, OfAGroupThatHangsOneHasItsTurnInEachRound) {
  FairOrder order;
  const auto first = order.join(1, large);
  order.served(first);
  order.sent(large, sent_at);
  order.leave({first, 1}, large);
  order.join(2, large);
  order.join(3, large);
  EXPECT_FALSE(order.has_to_give_way(large, sent_at + 1s - 1ns));
  ASSERT_TRUE(order.has_to_give_way(large, sent_at + 1s));

  const std::vector<FairOrder::Place> places = order.give_way(large);
  EXPECT_FALSE(order.has_to_give_way(large, sent_at + 1s)) << "it has";
  ASSERT_EQ(places.size(), 2U);
  EXPECT_EQ(places[1].first.round, places[0].first.round + 1);
  EXPECT_GT(order.join(4, large).round, places[1].first.round);
  EXPECT_LT(order.join(5, small), places[0].first);

  order.answered(large);
  EXPECT_FALSE(order.has_to_give_way(large, sent_at + 1min)) << "none is on its way";
}

TEST(FairOrder, KnowsWhichGroupsHaveSomeUnderWay) {
  FairOrder order;
  order.sent(large, sent_at);
  order.sent(large, sent_at);
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
  order.sent(large, sent_at);
  EXPECT_EQ(order.alone(), (std::vector<FairOrder::Place>{{first, 7}}));
  order.answered(large);
  EXPECT_EQ(order.alone().size(), 2U);
}

}  // namespace
}  // namespace nlc::controller
