#include "controller/server/calendar_votes.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;

class CalendarVotesTest : public ::testing::Test {
 protected:
  /// By its kubelet's calendar that was so long ago.
  void heard(informer::Slot node, Duration age, Duration ago = 0s) {
    votes.heard(node, now.wall - std::chrono::floor<std::chrono::microseconds>(age), ago, now);
  }
  const Moment now{.now = start, .wall = noon};
  CalendarVotes votes;
};

TEST_F(CalendarVotesTest, WhereNobodySaysWhenNobodyContradicts) {
  EXPECT_TRUE(votes.agree());
  votes.heard(0, std::nullopt, 0s, now);
  EXPECT_TRUE(votes.agree());
}

TEST_F(CalendarVotesTest, AgreeWithinTwoSecondsOfWhatTheHeartbeatMayHaveTaken) {
  heard(0, 2s);
  EXPECT_TRUE(votes.agree());
  heard(0, 2001ms);
  EXPECT_FALSE(votes.agree());
  heard(0, 12s, 10s);
  EXPECT_TRUE(votes.agree());
  heard(0, -2s);
  EXPECT_FALSE(votes.agree());
}

TEST_F(CalendarVotesTest, OneAgainstOneIsNoAgreement) {
  heard(0, 0s);
  heard(1, 1h);
  EXPECT_FALSE(votes.agree());
}

TEST_F(CalendarVotesTest, EachNodeHasOneVoteHoweverOftenItIsHeard) {
  heard(0, 1h);
  heard(1, 1h);
  for (int i = 0; i < 10; ++i) heard(2, 0s);
  EXPECT_FALSE(votes.agree());
}

TEST_F(CalendarVotesTest, WhoeverIsForgottenVotesNoMore) {
  heard(0, 0s);
  heard(1, 1h);
  votes.forget(1);
  EXPECT_TRUE(votes.agree());
}

}  // namespace
}  // namespace nlc::controller
