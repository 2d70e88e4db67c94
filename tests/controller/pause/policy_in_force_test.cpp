#include "controller/pause/policy_in_force.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/pause/policy_test.h"

namespace nlc::controller {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::start;

class PolicyInForceTest : public testing::PolicyTest {};

TEST_F(PolicyInForceTest, NothingIsKnownBeforeTheFirstList) {
  in_force.follow(not_yet, start);
  EXPECT_FALSE(in_force.known());
  EXPECT_EQ(in_force.state(), PolicyState::Unread);
  in_force.follow(away, start + 1h);
  EXPECT_FALSE(in_force.known()) << "a server that is away says nothing";
  in_force.follow(listed, start + 1h);
  EXPECT_TRUE(in_force.known());
  EXPECT_EQ(in_force.state(), PolicyState::Absent);
}

TEST_F(PolicyInForceTest, RightThatWasNeverThereCountsAsAbsentAfterAWhile) {
  in_force.follow(refused, start);
  in_force.follow(refused, start + PolicyInForce::refusal_believed_after - 1ns);
  EXPECT_FALSE(in_force.known());
  in_force.follow(refused, start + PolicyInForce::refusal_believed_after);
  EXPECT_TRUE(in_force.known());
  EXPECT_EQ(in_force.state(), PolicyState::Forbidden);
}

TEST_F(PolicyInForceTest, RefusalsThatDoNotLastCountForNothing) {
  in_force.follow(refused, start);
  in_force.follow(away, start + 20s);
  in_force.follow(refused, start + 40s);
  EXPECT_FALSE(in_force.known());
}

TEST_F(PolicyInForceTest, RightThatIsTakenAwayLeavesTheLastGoodWord) {
  in_force.stored(says("evictions"));
  in_force.follow(listed, start);
  in_force.follow({.lists = 1, .forbidden = true, .trouble = "403"}, start + 1h);
  EXPECT_THAT(in_force.policy().pauses, SizeIs(1));
  EXPECT_EQ(in_force.state(), PolicyState::Forbidden);
  EXPECT_THAT(in_force.trouble(), HasSubstr("what was last read stays in force"));
}

TEST_F(PolicyInForceTest, TextThatCannotBeReadLeavesTheLastGoodWord) {
  in_force.stored(says("evictions"));
  in_force.follow(listed, start);
  in_force.stored(says("evictons"));
  EXPECT_THAT(in_force.policy().pauses, SizeIs(1));
  EXPECT_EQ(in_force.state(), PolicyState::Malformed);
  in_force.stored(says("none"));
  EXPECT_THAT(in_force.policy().pauses, IsEmpty());
  EXPECT_EQ(in_force.state(), PolicyState::Read);
}

/// A word may have been said and overwritten before the list.
TEST_F(PolicyInForceTest, NothingIsKnownWhereAListFindsTextThatCannotBeRead) {
  in_force.follow(listed, start);
  ASSERT_TRUE(in_force.known());
  api::ConfigMap malformed = says("evictons");
  malformed.resource_version = "7";
  in_force.stored(malformed);
  in_force.follow(listed, start + 1s);
  EXPECT_TRUE(in_force.known()) << "a watch misses nothing";
  in_force.stored(malformed);
  in_force.follow({.lists = 2}, start + 2s);
  EXPECT_TRUE(in_force.known()) << "the same as before";
  malformed.resource_version = "9";
  in_force.stored(malformed);
  in_force.follow({.lists = 3}, start + 3s);
  EXPECT_FALSE(in_force.known());
  EXPECT_THAT(in_force.trouble(), HasSubstr("nobody is evicted before it can be read"));
}

TEST_F(PolicyInForceTest, NothingIsKnownOfTextThatWasNeverReadable) {
  in_force.stored(says("evictons"));
  in_force.follow(listed, start);
  EXPECT_FALSE(in_force.known());
  in_force.removed();
  EXPECT_TRUE(in_force.known());
  EXPECT_EQ(in_force.state(), PolicyState::Absent);
}

/// What a process begins with may be a list of before the pause.
TEST_F(PolicyInForceTest, NoListConfirmsAnything) {
  in_force.follow(listed, start);
  EXPECT_TRUE(in_force.known());
  EXPECT_FALSE(in_force.confirmed(start));
}

TEST_F(PolicyInForceTest, SaysWhatFollowsFromARightThatIsMissing) {
  in_force.follow(refused, start);
  EXPECT_THAT(in_force.trouble(), HasSubstr("nobody is evicted for as long as that is new"));
  in_force.follow(refused, start + 30s);
  EXPECT_THAT(in_force.trouble(), HasSubstr("it was never readable, and counts as absent"));
  in_force.follow({.lists = 1, .forbidden = true, .trouble = "403"}, start + 31s);
  EXPECT_THAT(in_force.trouble(), HasSubstr("what was last read stays in force"));
}

TEST_F(PolicyInForceTest, SaysWhatFollowsWhileItHasNotBeenRead) {
  EXPECT_EQ(in_force.trouble(), "it has not been read yet; nobody is evicted before it is");
  in_force.follow(away, start);
  EXPECT_EQ(in_force.trouble(), "503; nobody is evicted before it is");
}

TEST_F(PolicyInForceTest, ListOfAnotherTimeThatShowsNothingNewChangesNothing) {
  in_force.stored(says("none"));
  in_force.follow(listed, start);
  in_force.follow({.lists = 2, .rewinds = 1}, start + 1s);
  EXPECT_TRUE(in_force.known());
  EXPECT_FALSE(in_force.is_unsure());
  api::ConfigMap newer = says("evictions");
  newer.resource_version = "2";
  in_force.stored(newer);
  in_force.follow({.lists = 3, .rewinds = 1}, start + 2s);
  EXPECT_TRUE(in_force.known()) << "that list was of now";
}

}  // namespace
}  // namespace nlc::controller
