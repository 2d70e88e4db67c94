#include "controller/zones/eviction_queue.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;

/// A zone that grants a token in ten seconds.
class EvictionQueueTest : public ::testing::Test {
 protected:
  void spend(Slot slot, Instant now) { queue.spend(slot, zone, now); }
  bool has_token(Instant now) const { return zone.evictions.has_token(now); }
  /// Of two who took tokens ten seconds apart.
  void one_is_used_and_the_other_given_back(Slot used, Slot given_back) {
    spend(1, start);
    spend(2, start + 10s);
    queue.use(used);
    queue.give_back(given_back, zone, start + 11s);
  }

  Zone zone{.key = "a", .state = ZoneState::Normal, .evictions = TokenBucket(0.1, start)};
  EvictionQueue queue;
};

TEST_F(EvictionQueueTest, WhoWaitsKeepsItsPlaceUntilItLeaves) {
  queue.enqueue(1, zone, AvailableTime{5s}, start);
  queue.enqueue(1, zone, AvailableTime{9s}, start + 1s);
  EXPECT_EQ(queue.waiting(1)->first, AvailableTime{5s});
  EXPECT_EQ(queue.gathers_until(1), start);
  EXPECT_EQ(zone.queue.size(), 1U);
  queue.dequeue(2);
  queue.forget(1);
  EXPECT_FALSE(queue.waits(1));
  EXPECT_TRUE(zone.queue.empty());
}

TEST_F(EvictionQueueTest, WhoTakesATokenWaitsNoMore) {
  queue.enqueue(1, zone, AvailableTime{}, start);
  spend(1, start);
  EXPECT_TRUE(queue.has_spent(1));
  EXPECT_TRUE(queue.empty());
  EXPECT_FALSE(has_token(start));
}

TEST_F(EvictionQueueTest, TokenThatWasNotUsedIsThereAgainIfNoOtherIsOnItsWay) {
  spend(1, start);
  queue.give_back(1, zone, start);
  EXPECT_TRUE(has_token(start));
  queue.give_back(1, zone, start);
  EXPECT_FALSE(queue.has_spent(1));
}

TEST_F(EvictionQueueTest, WhileAnotherOfTheZoneIsOnItsWayTheBucketRefillsWithoutIt) {
  spend(1, start);
  spend(2, start + 10s);
  queue.give_back(1, zone, start + 10s);
  EXPECT_FALSE(has_token(start + 10s));
  queue.give_back(2, zone, start + 10s);
  EXPECT_TRUE(has_token(start + 10s)) << "nobody is on its way any more";
}

TEST_F(EvictionQueueTest, TokenThatWasRefilledAndUsedIsNotGivenBackOnceMore) {
  one_is_used_and_the_other_given_back(2, 1);
  EXPECT_FALSE(has_token(start + 11s));
  EXPECT_TRUE(has_token(start + 20s));
}

TEST_F(EvictionQueueTest, TokenInWhosePlaceSomebodyElseTaintedANodeIsNotGivenBack) {
  spend(1, start);
  EXPECT_FALSE(queue.seen(2, zone, start + 10s));
  queue.give_back(1, zone, start + 11s);
  EXPECT_FALSE(has_token(start + 11s));
}

TEST_F(EvictionQueueTest, TokenThatWasTakenLaterThanTheOneThatIsUsedIsThereAgain) {
  one_is_used_and_the_other_given_back(1, 2);
  EXPECT_TRUE(has_token(start + 11s));
}

TEST_F(EvictionQueueTest, WhatIsOnItsWayInAnotherZoneKeepsNoToken) {
  Zone other{.key = "b", .state = ZoneState::Normal, .evictions = TokenBucket(0.1, start)};
  queue.spend(2, other, start);
  spend(1, start);
  queue.give_back(1, zone, start);
  EXPECT_TRUE(has_token(start));
}

TEST_F(EvictionQueueTest, TokenOfAWriteThatIsRefusedIsThereAgainAtOnce) {
  spend(1, start);
  queue.refused(1, zone, Fault::Forbidden, start);
  EXPECT_TRUE(has_token(start));
  EXPECT_FALSE(queue.is_unclear(1));
}

TEST_F(EvictionQueueTest, TokenOfAWriteThatMayHaveBeenAppliedIsKeptUntilItsNodeIsRead) {
  spend(1, start);
  queue.refused(1, zone, Fault::Timeout, start);
  EXPECT_TRUE(queue.is_unclear(1));
  EXPECT_EQ(queue.shows_until(1), start + 1s);
  queue.refused(1, zone, Fault::Forbidden, start + 1s);
  EXPECT_TRUE(queue.is_unclear(1)) << "that was another write";
  queue.read(1, zone, start + 2s);
  EXPECT_FALSE(queue.is_unclear(1));
  EXPECT_TRUE(has_token(start + 2s));
}

TEST_F(EvictionQueueTest, TaintOfOursThatIsSeenUsesItsTokenAndAnothersTakesOne) {
  spend(1, start);
  EXPECT_TRUE(queue.seen(1, zone, start));
  EXPECT_TRUE(has_token(start + 10s));
  EXPECT_FALSE(queue.seen(2, zone, start + 10s));
  EXPECT_FALSE(has_token(start + 10s));
}

TEST_F(EvictionQueueTest, NodeThatIsSeenUntaintedKeepsTheTokenOfAWriteThatIsOnItsWay) {
  spend(1, start);
  queue.changed(1, zone, start);
  EXPECT_TRUE(queue.has_spent(1));
  queue.refused(1, zone, Fault::Timeout, start);
  queue.changed(1, zone, start);
  EXPECT_FALSE(queue.is_unclear(1)) << "it cannot be applied any more";
  EXPECT_TRUE(has_token(start));
}

}  // namespace
}  // namespace nlc::controller
