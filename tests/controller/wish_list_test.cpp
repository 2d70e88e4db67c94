#include "controller/wish_list.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

class WishListTest : public ::testing::Test {
 protected:
  std::vector<Slot> begun() {
    std::vector<Slot> slots;
    wishes.each_due(now, [&](Slot slot, bool) {
      slots.push_back(slot);
      return true;
    });
    return slots;
  }

  Instant now = start;
  Random random{1};
  WishList wishes;
};

TEST_F(WishListTest, NewWishMayBeTriedAtOnceAndOnlyOnce) {
  wishes.add(3);
  wishes.add(3);
  EXPECT_THAT(begun(), ElementsAre(3));
  EXPECT_TRUE(wishes.in_flight(3));
  EXPECT_THAT(begun(), IsEmpty());
}

TEST_F(WishListTest, WishThatIsRefusedWaitsAndIsTriedAgain) {
  wishes.add(3);
  begun();
  wishes.failed(3, now, random, {});
  EXPECT_THAT(begun(), IsEmpty());
  now = wishes.next_after(now).value();
  bool tried_before = false;
  wishes.each_due(now, [&](Slot, bool again) { return tried_before = again; });
  EXPECT_TRUE(tried_before);
}

TEST_F(WishListTest, ServersRetryAfterIsWaitedOut) {
  wishes.add(3);
  begun();
  wishes.failed(3, now, random, 7s);
  EXPECT_GE(wishes.next_after(now), now + 7s);
}

TEST_F(WishListTest, WishThatIsNotBegunIsDropped) {
  wishes.add(3);
  wishes.each_due(now, [](Slot, bool) { return false; });
  EXPECT_EQ(wishes.size(), 0U);
}

TEST_F(WishListTest, AnsweredWishIsLookedAtAgainAtOnce) {
  wishes.add(3);
  begun();
  wishes.answered(3);
  EXPECT_THAT(begun(), ElementsAre(3));
}

TEST_F(WishListTest, FulfilledWishRestsAndIsNotMadeAgain) {
  wishes.add(3);
  begun();
  wishes.rest(3);
  wishes.add(3);
  EXPECT_THAT(begun(), IsEmpty());
  EXPECT_FALSE(wishes.in_flight(3));
  wishes.drop(3);
  wishes.add(3);
  EXPECT_THAT(begun(), ElementsAre(3));
}

TEST_F(WishListTest, NextMomentIsTheFirstThatHasNotCome) {
  EXPECT_EQ(wishes.next_after(now), std::nullopt);
  wishes.add(1);  // may be tried already: no moment to wait for
  EXPECT_EQ(wishes.next_after(now), std::nullopt);
  wishes.add(2);
  begun();
  wishes.failed(1, now, random, 20s);
  wishes.failed(2, now, random, 9s);
  const std::optional<Instant> next = wishes.next_after(now);
  ASSERT_TRUE(next);
  EXPECT_GE(*next, now + 9s);
  EXPECT_LT(*next, now + 20s);
}

}  // namespace
}  // namespace nlc::controller
