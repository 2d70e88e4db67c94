#include "controller/nodes/waiting_line.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

namespace nlc::controller {
namespace {

using ::testing::ElementsAre;

/// All that wait, each served as soon as it is first.
std::vector<WaitingLine::Slot> served_one_by_one(WaitingLine line) {
  std::vector<WaitingLine::Slot> served;
  while (!line.empty()) {
    served.push_back(line.first());
    line.leave(line.first());
  }
  return served;
}

/// The nodes 3, 1 and 2 wait; that is the order in which they came.
struct WaitingLineTest : ::testing::Test {
  WaitingLineTest() {
    for (const WaitingLine::Slot slot : {3, 1, 2}) line.join(slot);
  }
  WaitingLine line;
};

TEST_F(WaitingLineTest, WhoCameFirstIsServedFirstWhateverItsSlot) {
  EXPECT_THAT(served_one_by_one(line), ElementsAre(3, 1, 2));
}

TEST_F(WaitingLineTest, WhoComesAgainWhileItWaitsKeepsItsPlaceAndIsServedOnce) {
  line.join(1);
  EXPECT_THAT(served_one_by_one(line), ElementsAre(3, 1, 2));
}

TEST_F(WaitingLineTest, WhoLeftAndComesAgainWaitsBehindAllOthers) {
  line.leave(3);
  line.join(3);
  EXPECT_THAT(served_one_by_one(line), ElementsAre(1, 2, 3));
}

TEST_F(WaitingLineTest, WhoLeavesFromTheMiddleIsSkipped) {
  line.leave(1);
  EXPECT_FALSE(line.contains(1));
  EXPECT_THAT(served_one_by_one(line), ElementsAre(3, 2));
}

TEST_F(WaitingLineTest, WhoDoesNotWaitMayLeaveAndNobodyIsMoved) {
  line.leave(7);
  EXPECT_THAT(served_one_by_one(line), ElementsAre(3, 1, 2));
}

TEST_F(WaitingLineTest, IsEmptyWhenTheLastHasLeftAndTakesWhoComesThen) {
  for (const WaitingLine::Slot slot : {2, 3, 1}) line.leave(slot);
  EXPECT_TRUE(line.empty());
  line.join(2);
  EXPECT_TRUE(line.contains(2));
  EXPECT_THAT(served_one_by_one(line), ElementsAre(2));
}

}  // namespace
}  // namespace nlc::controller
