#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/pause/policy_test.h"

/// What a quorum read of the operator's policy tells beside its watch, and when it is due.
namespace nlc::controller {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::start;

class PolicyReadsTest : public testing::PolicyTest {};

TEST_F(PolicyReadsTest, NothingIsKnownWhereAReadFindsTextThatCannotBeRead) {
  in_force.follow(listed, start);
  in_force.look_begun(start + 20s);
  api::ConfigMap malformed = says("evictons");
  malformed.resource_version = "7";
  EXPECT_TRUE(in_force.look_answered(malformed, start + 20s));
  EXPECT_FALSE(in_force.known());
}

TEST_F(PolicyReadsTest, ReadIsGoodForAMomentAndShowsWhatItsWatchDoesNot) {
  in_force.follow(listed, start);
  in_force.want_look();
  ASSERT_TRUE(in_force.look_due(start + 20s));
  in_force.look_begun(start + 20s);
  EXPECT_FALSE(in_force.look_due(start + 20s)) << "one at a time";
  EXPECT_TRUE(in_force.look_answered(says("evictions"), start + 21s)) << "the watch is behind";
  EXPECT_THAT(in_force.policy().pauses, SizeIs(1));
  EXPECT_TRUE(in_force.confirmed(start + 30s));
  EXPECT_FALSE(in_force.confirmed(start + 31s)) << "as old as its request";
}

/// The server was restored, and cannot be listed: its watch goes on with what was seen before.
TEST_F(PolicyReadsTest, ReadThatFindsAnOlderOneLetsNobodyGoBeforeItIsListed) {
  api::ConfigMap seen = says("none");
  seen.resource_version = "9";
  in_force.stored(seen);
  in_force.follow(listed, start);
  in_force.look_begun(start + 1s);
  in_force.look_answered(seen, start + 1s);
  ASSERT_TRUE(in_force.confirmed(start + 2s));
  api::ConfigMap restored = says("evictions");
  restored.resource_version = "7";
  in_force.look_begun(start + 2s);
  EXPECT_TRUE(in_force.look_answered(restored, start + 2s)) << "it is listed anew";
  EXPECT_FALSE(in_force.confirmed(start + 2s));
  EXPECT_TRUE(in_force.is_unsure());
  EXPECT_THAT(in_force.trouble(), HasSubstr("an older one"));
  in_force.stored(restored);
  in_force.follow({.lists = 2, .rewinds = 1}, start + 3s);
  EXPECT_FALSE(in_force.known());
  in_force.look_begun(start + 3s);
  in_force.look_answered(restored, start + 3s);
  EXPECT_TRUE(in_force.known());
  EXPECT_THAT(in_force.policy().pauses, SizeIs(1));
}

/// Its watch never had it, and so does not tell that it is gone.
TEST_F(PolicyReadsTest, WhatOnlyAReadHadFoundIsOverWhereAListAndTheNextReadFindNone) {
  in_force.follow(listed, start);
  in_force.look_begun(start + 1s);
  ASSERT_TRUE(in_force.look_answered(says("evictions"), start + 1s));
  in_force.look_begun(start + 10s);
  EXPECT_TRUE(in_force.look_answered(Error{Fault::NotFound, "404"}, start + 10s));
  EXPECT_THAT(in_force.policy().pauses, SizeIs(1))
      << "that may have been answered before it was made";
  EXPECT_FALSE(in_force.confirmed(start + 10s));
  in_force.follow({.lists = 2}, start + 11s);
  EXPECT_THAT(in_force.policy().pauses, SizeIs(1)) << "so may the list have been";
  ASSERT_TRUE(in_force.look_due(start + 11s)) << "and so it is read";
  in_force.look_begun(start + 11s);
  EXPECT_FALSE(in_force.look_answered(Error{Fault::NotFound, "404"}, start + 11s));
  EXPECT_THAT(in_force.policy().pauses, IsEmpty());
  EXPECT_EQ(in_force.state(), PolicyState::Absent);
  EXPECT_TRUE(in_force.confirmed(start + 11s));
}

TEST_F(PolicyReadsTest, ListThatComesWithoutWhatAReadHadFoundEndsNothingByItself) {
  in_force.follow(listed, start);
  in_force.look_begun(start + 1s);
  in_force.look_answered(says("evictions"), start + 1s);
  in_force.follow({.lists = 2}, start + 2s);
  EXPECT_FALSE(in_force.confirmed(start + 2s));
  EXPECT_TRUE(in_force.is_unsure());
  in_force.look_begun(start + 2s);
  in_force.look_answered(says("evictions"), start + 2s);
  EXPECT_THAT(in_force.policy().pauses, SizeIs(1));
  EXPECT_FALSE(in_force.is_unsure());
  EXPECT_TRUE(in_force.confirmed(start + 2s));
}

/// Nobody else asks: whom a pause keeps does not.
TEST_F(PolicyReadsTest, WhileSomethingIsPausedItIsReadWhateverItsWatchSays) {
  for (const PolicyAccess& access : {listed, away, refused}) {
    PolicyInForce policy;
    policy.follow(listed, start);
    policy.follow(access, start + 1min);
    EXPECT_FALSE(policy.look_due(start + 1min)) << "nothing is paused";
    policy.stored(says("evictions"));
    policy.follow(access, start + 1min);
    ASSERT_TRUE(policy.look_due(start + 1min)) << access.trouble;
    policy.look_begun(start + 1min);
    policy.look_answered(says("evictions"), start + 1min);
    policy.follow(access, start + 1min + PolicyInForce::good_for - 1ns);
    EXPECT_FALSE(policy.look_due(start + 1min + PolicyInForce::good_for - 1ns));
    policy.follow(access, start + 1min + PolicyInForce::good_for);
    EXPECT_TRUE(policy.look_due(start + 1min + PolicyInForce::good_for));
  }
}

TEST_F(PolicyReadsTest, TextThatCannotBeReadIsReadAgainUntilItCan) {
  in_force.stored(says("evictons"));
  in_force.follow(listed, start);
  EXPECT_FALSE(in_force.known());
  in_force.follow(away, start + 10s);
  ASSERT_TRUE(in_force.look_due(start + 10s));
  in_force.look_begun(start + 10s);
  api::ConfigMap mended = says("none");
  mended.resource_version = "2";
  EXPECT_TRUE(in_force.look_answered(mended, start + 10s));
  EXPECT_TRUE(in_force.known());
  in_force.follow(away, start + 1h);
  EXPECT_FALSE(in_force.look_due(start + 1h)) << "it holds nobody any more";
}

TEST_F(PolicyReadsTest, ReadThatFailedIsTriedAgainThoughNobodyWaitsForItAnyMore) {
  in_force.follow(listed, start);
  in_force.look_begun(start + 20s);
  in_force.look_answered(Error{Fault::Unavailable, "503"}, start + 20s);
  in_force.follow(listed, start + 30s);
  ASSERT_TRUE(in_force.look_due(start + 30s));
  in_force.look_begun(start + 30s);
  in_force.look_answered(Error{Fault::NotFound, "404"}, start + 30s);
  EXPECT_EQ(in_force.trouble(), "");
  in_force.follow(listed, start + 1h);
  EXPECT_FALSE(in_force.look_due(start + 1h));
}

TEST_F(PolicyReadsTest, WordOfItsWatchThatIsOlderThanWhatWasReadLetsNobodyGoUnasked) {
  in_force.follow(listed, start);
  in_force.look_begun(start + 20s);
  api::ConfigMap read = says("none");
  read.resource_version = "3";
  in_force.look_answered(read, start + 20s);
  ASSERT_TRUE(in_force.confirmed(start + 21s));
  api::ConfigMap late = says("none");
  late.resource_version = "2";
  in_force.stored(late);
  EXPECT_FALSE(in_force.confirmed(start + 21s));
}

TEST_F(PolicyReadsTest, ReadThatFailsConfirmsNothingAndIsTold) {
  in_force.follow(listed, start);
  in_force.want_look();
  in_force.look_begun(start + 20s);
  EXPECT_FALSE(in_force.look_answered(Error{Fault::Unavailable, "503"}, start + 20s));
  EXPECT_FALSE(in_force.confirmed(start + 20s));
  EXPECT_THAT(in_force.trouble(), HasSubstr("no pod goes before it can be read"));
  in_force.want_look();
  EXPECT_FALSE(in_force.look_due(start + 20s));
  EXPECT_TRUE(in_force.look_due(start + 21s));
}

/// The answer may be of before it was made, or of another server.
TEST_F(PolicyReadsTest, ReadThatFindsNoneWhereItsWatchShowsOneLetsNobodyGoBeforeItIsListed) {
  in_force.stored(says("none"));
  in_force.follow(listed, start);
  in_force.look_begun(start + 20s);
  EXPECT_TRUE(in_force.look_answered(Error{Fault::NotFound, "404"}, start + 20s));
  EXPECT_FALSE(in_force.confirmed(start + 20s));
  EXPECT_TRUE(in_force.is_unsure());
  EXPECT_EQ(in_force.state(), PolicyState::Read);
  in_force.removed();
  in_force.follow({.lists = 2}, start + 21s);
  EXPECT_FALSE(in_force.is_unsure());
  EXPECT_EQ(in_force.state(), PolicyState::Absent);
  in_force.look_begun(start + 21s);
  in_force.look_answered(Error{Fault::NotFound, "404"}, start + 21s);
  EXPECT_TRUE(in_force.confirmed(start + 21s));
}

TEST_F(PolicyReadsTest, WhatIsNotKnownYetIsReadEveryTenSeconds) {
  in_force.follow(away, start);
  EXPECT_FALSE(in_force.look_due(start));
  in_force.follow(away, start + 10s - 1ns);
  EXPECT_FALSE(in_force.look_due(start + 10s - 1ns));
  in_force.follow(away, start + 10s);
  EXPECT_TRUE(in_force.look_due(start + 10s));
}

TEST_F(PolicyReadsTest, ReadThatFailsTakesNothingFromTheOneBefore) {
  in_force.follow(listed, start);
  for (const Duration since : {20s, 25s}) {
    in_force.look_begun(start + since);
    in_force.look_answered(
        since == 20s ? Error{Fault::NotFound, "404"} : Error{Fault::Unavailable, "503"},
        start + since);
  }
  EXPECT_TRUE(in_force.confirmed(start + 30s));
  EXPECT_FALSE(in_force.confirmed(start + 30s + 1ns));
}

TEST_F(PolicyReadsTest, RefusalsOfReadsCountFromTheFirstSinceOneThatWasAnswered) {
  in_force.follow(listed, start);
  const auto look = [&](Duration since, const Error& answer) {
    in_force.look_begun(start + since);
    in_force.look_answered(answer, start + since);
    return in_force.confirmed(start + since);
  };
  const Error refusal{Fault::Forbidden, "403"};
  EXPECT_TRUE(look(1s, {Fault::NotFound, "404"}));
  EXPECT_FALSE(look(40s, refusal));
  EXPECT_FALSE(look(50s, {Fault::Unavailable, "503"}));
  EXPECT_FALSE(look(71s, refusal)) << "the server was away in between";
  EXPECT_FALSE(look(101s - 1ns, refusal));
  EXPECT_TRUE(look(101s, refusal));
}

TEST_F(PolicyReadsTest, RefusalOfItsWatchCountsForReadsAsWell) {
  in_force.follow(refused, start);
  in_force.follow(refused, start + 30s);
  in_force.look_begun(start + 30s);
  in_force.look_answered(Error{Fault::Forbidden, "403"}, start + 30s);
  EXPECT_TRUE(in_force.confirmed(start + 30s));
}

TEST_F(PolicyReadsTest, ListOfAnotherTimeConfirmsNothing) {
  in_force.stored(says("none"));
  in_force.follow(listed, start);
  in_force.look_begun(start + 1s);
  in_force.look_answered(says("none"), start + 1s);
  ASSERT_TRUE(in_force.confirmed(start + 2s));
  in_force.removed();
  in_force.follow({.lists = 2, .rewinds = 1}, start + 2s);
  EXPECT_FALSE(in_force.confirmed(start + 2s));
}

TEST_F(PolicyReadsTest, ReadThatFindsOneThatIsThoughtToBeGoneIsBelieved) {
  in_force.stored(says("evictions"));
  in_force.follow(listed, start);
  in_force.removed();
  EXPECT_EQ(in_force.uid(), "");
  in_force.follow(listed, start + 1s);
  in_force.look_begun(start + 1s);
  EXPECT_TRUE(in_force.look_answered(says("evictions"), start + 1s)) << "its watch is behind";
  EXPECT_THAT(in_force.policy().pauses, SizeIs(1));
  EXPECT_EQ(in_force.uid(), "u");
}

TEST_F(PolicyReadsTest, RefusedReadIsBelievedWhenItHasBeenRefusedForAWhile) {
  in_force.follow(listed, start);
  const Error refusal{Fault::Forbidden, "403"};
  in_force.look_begun(start + 20s);
  in_force.look_answered(refusal, start + 20s);
  EXPECT_TRUE(in_force.is_unsure());
  in_force.look_begun(start + 50s);
  in_force.look_answered(refusal, start + 50s);
  EXPECT_TRUE(in_force.confirmed(start + 50s));
  EXPECT_FALSE(in_force.is_unsure());
}

TEST_F(PolicyReadsTest, ListOfAnotherTimeChangesNothingBeforeAReadSaysTheSame) {
  in_force.stored(says("evictions"));
  in_force.follow(listed, start);
  in_force.look_begun(start + 5s);
  in_force.removed();
  in_force.follow({.lists = 2, .rewinds = 1}, start + 6s);
  EXPECT_FALSE(in_force.known());
  in_force.look_answered(Error{Fault::NotFound, "404"}, start + 7s);
  EXPECT_FALSE(in_force.known()) << "it was asked before";
  ASSERT_TRUE(in_force.look_due(start + 8s)) << "whether or not somebody waits for it";
  in_force.look_begun(start + 8s);
  EXPECT_TRUE(in_force.look_answered(says("evictions"), start + 8s)) << "it was the list's mistake";
  EXPECT_TRUE(in_force.known());
  EXPECT_THAT(in_force.policy().pauses, SizeIs(1));
}

TEST_F(PolicyReadsTest, ReadOfAnOlderOneThanWasKnownWhenItWasAskedForShowsThatTheServerWentBack) {
  const auto version = [](const char* number) {
    api::ConfigMap config = says("none");
    config.resource_version = number;
    return config;
  };
  in_force.stored(version("8"));
  in_force.look_begun(start);
  in_force.stored(version("9"));
  in_force.look_answered(version("8"), start);
  EXPECT_EQ(in_force.rewinds(), 0U) << "9 came while it was read";
  in_force.look_begun(start + 1s);
  in_force.look_answered(version("8"), start + 1s);
  EXPECT_EQ(in_force.rewinds(), 1U);
}

}  // namespace
}  // namespace nlc::controller
