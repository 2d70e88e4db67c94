#include "controller/pause/policy_in_force.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/pause/policy_watch.h"
#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace std::chrono_literals;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using testing::start;

api::ConfigMap says(std::string text) {
  return {.namespace_ = "kube-system",
          .name = "policy",
          .uid = "u",
          .resource_version = "1",
          .data = {{"pause", std::move(text)}}};
}
const PolicyAccess listed{.lists = 1, .forbidden = false, .trouble = {}};
const PolicyAccess not_yet{};
const PolicyAccess away{.lists = 0, .forbidden = false, .trouble = "503"};
const PolicyAccess refused{.lists = 0, .forbidden = true, .trouble = "403"};

TEST(PolicyInForce, NothingIsKnownBeforeTheFirstList) {
  PolicyInForce in_force;
  in_force.follow(not_yet, start);
  EXPECT_FALSE(in_force.known());
  EXPECT_EQ(in_force.state(), PolicyState::Unread);
  in_force.follow(away, start + 1h);
  EXPECT_FALSE(in_force.known()) << "a server that is away says nothing";
  in_force.follow(listed, start + 1h);
  EXPECT_TRUE(in_force.known());
  EXPECT_EQ(in_force.state(), PolicyState::Absent);
}

TEST(PolicyInForce, RightThatWasNeverThereCountsAsAbsentAfterAWhile) {
  PolicyInForce in_force;
  in_force.follow(refused, start);
  in_force.follow(refused, start + PolicyInForce::refusal_believed_after - 1ns);
  EXPECT_FALSE(in_force.known());
  in_force.follow(refused, start + PolicyInForce::refusal_believed_after);
  EXPECT_TRUE(in_force.known());
  EXPECT_EQ(in_force.state(), PolicyState::Forbidden);
}

TEST(PolicyInForce, RefusalsThatDoNotLastCountForNothing) {
  PolicyInForce in_force;
  in_force.follow(refused, start);
  in_force.follow(away, start + 20s);
  in_force.follow(refused, start + 40s);
  EXPECT_FALSE(in_force.known());
}

TEST(PolicyInForce, RightThatIsTakenAwayLeavesTheLastGoodWord) {
  PolicyInForce in_force;
  in_force.stored(says("evictions"));
  in_force.follow(listed, start);
  in_force.follow({.lists = 1, .forbidden = true, .trouble = "403"}, start + 1h);
  EXPECT_THAT(in_force.policy().pauses, SizeIs(1));
  EXPECT_EQ(in_force.state(), PolicyState::Forbidden);
  EXPECT_THAT(in_force.trouble(), HasSubstr("what was last read stays in force"));
}

TEST(PolicyInForce, TextThatCannotBeReadLeavesTheLastGoodWord) {
  PolicyInForce in_force;
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
TEST(PolicyInForce, NothingIsKnownWhereAListFindsTextThatCannotBeRead) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, NothingIsKnownWhereAReadFindsTextThatCannotBeRead) {
  PolicyInForce in_force;
  in_force.follow(listed, start);
  in_force.look_begun(start + 20s);
  api::ConfigMap malformed = says("evictons");
  malformed.resource_version = "7";
  EXPECT_TRUE(in_force.look_answered(malformed, start + 20s));
  EXPECT_FALSE(in_force.known());
}

TEST(PolicyInForce, NothingIsKnownOfTextThatWasNeverReadable) {
  PolicyInForce in_force;
  in_force.stored(says("evictons"));
  in_force.follow(listed, start);
  EXPECT_FALSE(in_force.known());
  in_force.removed();
  EXPECT_TRUE(in_force.known());
  EXPECT_EQ(in_force.state(), PolicyState::Absent);
}

TEST(PolicyInForce, ReadIsGoodForAMomentAndShowsWhatItsWatchDoesNot) {
  PolicyInForce in_force;
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

/// What a process begins with may be a list of before the pause.
TEST(PolicyInForce, NoListConfirmsAnything) {
  PolicyInForce in_force;
  in_force.follow(listed, start);
  EXPECT_TRUE(in_force.known());
  EXPECT_FALSE(in_force.confirmed(start));
}

/// The server was restored, and cannot be listed: its watch goes on with what was seen before.
TEST(PolicyInForce, ReadThatFindsAnOlderOneLetsNobodyGoBeforeItIsListed) {
  PolicyInForce in_force;
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
TEST(PolicyInForce, WhatOnlyAReadHadFoundIsOverWhereAListAndTheNextReadFindNone) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, ListThatComesWithoutWhatAReadHadFoundEndsNothingByItself) {
  PolicyInForce in_force;
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
TEST(PolicyInForce, WhileSomethingIsPausedItIsReadWhateverItsWatchSays) {
  for (const PolicyAccess& access : {listed, away, refused}) {
    PolicyInForce in_force;
    in_force.follow(listed, start);
    in_force.follow(access, start + 1min);
    EXPECT_FALSE(in_force.look_due(start + 1min)) << "nothing is paused";
    in_force.stored(says("evictions"));
    in_force.follow(access, start + 1min);
    ASSERT_TRUE(in_force.look_due(start + 1min)) << access.trouble;
    in_force.look_begun(start + 1min);
    in_force.look_answered(says("evictions"), start + 1min);
    in_force.follow(access, start + 1min + PolicyInForce::good_for - 1ns);
    EXPECT_FALSE(in_force.look_due(start + 1min + PolicyInForce::good_for - 1ns));
    in_force.follow(access, start + 1min + PolicyInForce::good_for);
    EXPECT_TRUE(in_force.look_due(start + 1min + PolicyInForce::good_for));
  }
}

TEST(PolicyInForce, TextThatCannotBeReadIsReadAgainUntilItCan) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, ReadThatFailedIsTriedAgainThoughNobodyWaitsForItAnyMore) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, WordOfItsWatchThatIsOlderThanWhatWasReadLetsNobodyGoUnasked) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, ReadThatFailsConfirmsNothingAndIsTold) {
  PolicyInForce in_force;
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
TEST(PolicyInForce, ReadThatFindsNoneWhereItsWatchShowsOneLetsNobodyGoBeforeItIsListed) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, WhatIsNotKnownYetIsReadEveryTenSeconds) {
  PolicyInForce in_force;
  in_force.follow(away, start);
  EXPECT_FALSE(in_force.look_due(start));
  in_force.follow(away, start + 10s - 1ns);
  EXPECT_FALSE(in_force.look_due(start + 10s - 1ns));
  in_force.follow(away, start + 10s);
  EXPECT_TRUE(in_force.look_due(start + 10s));
}

TEST(PolicyInForce, ReadThatFailsTakesNothingFromTheOneBefore) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, RefusalsOfReadsCountFromTheFirstSinceOneThatWasAnswered) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, RefusalOfItsWatchCountsForReadsAsWell) {
  PolicyInForce in_force;
  in_force.follow(refused, start);
  in_force.follow(refused, start + 30s);
  in_force.look_begun(start + 30s);
  in_force.look_answered(Error{Fault::Forbidden, "403"}, start + 30s);
  EXPECT_TRUE(in_force.confirmed(start + 30s));
}

TEST(PolicyInForce, SaysWhatFollowsFromARightThatIsMissing) {
  PolicyInForce in_force;
  in_force.follow(refused, start);
  EXPECT_THAT(in_force.trouble(), HasSubstr("nobody is evicted for as long as that is new"));
  in_force.follow(refused, start + 30s);
  EXPECT_THAT(in_force.trouble(), HasSubstr("it was never readable, and counts as absent"));
  in_force.follow({.lists = 1, .forbidden = true, .trouble = "403"}, start + 31s);
  EXPECT_THAT(in_force.trouble(), HasSubstr("what was last read stays in force"));
}

TEST(PolicyInForce, SaysWhatFollowsWhileItHasNotBeenRead) {
  PolicyInForce in_force;
  EXPECT_EQ(in_force.trouble(), "it has not been read yet; nobody is evicted before it is");
  in_force.follow(away, start);
  EXPECT_EQ(in_force.trouble(), "503; nobody is evicted before it is");
}

TEST(PolicyInForce, ListOfAnotherTimeThatShowsNothingNewChangesNothing) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, ListOfAnotherTimeConfirmsNothing) {
  PolicyInForce in_force;
  in_force.stored(says("none"));
  in_force.follow(listed, start);
  in_force.look_begun(start + 1s);
  in_force.look_answered(says("none"), start + 1s);
  ASSERT_TRUE(in_force.confirmed(start + 2s));
  in_force.removed();
  in_force.follow({.lists = 2, .rewinds = 1}, start + 2s);
  EXPECT_FALSE(in_force.confirmed(start + 2s));
}

TEST(PolicyInForce, ReadThatFindsOneThatIsThoughtToBeGoneIsBelieved) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, RefusedReadIsBelievedWhenItHasBeenRefusedForAWhile) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, ListOfAnotherTimeChangesNothingBeforeAReadSaysTheSame) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, AfterAStandstillAReadThatFindsAnOlderOneLetsNobodyGo) {
  PolicyInForce in_force;
  api::ConfigMap seen = says("none");
  seen.resource_version = "9";
  in_force.stored(seen);
  in_force.follow(listed, start);
  in_force.stood_still(start + 5s);
  in_force.look_begun(start + 5s);
  EXPECT_TRUE(in_force.look_answered(says("none"), start + 5s)) << "it is listed anew";
  EXPECT_FALSE(in_force.confirmed(start + 5s));
}

TEST(PolicyInForce, ReadOfAnOlderOneThanWasKnownWhenItWasAskedForShowsThatTheServerWentBack) {
  PolicyInForce in_force;
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

TEST(PolicyInForce, AfterAStandstillItIsReadBeforeAnybodyGoes) {
  PolicyInForce in_force;
  in_force.follow(listed, start);
  in_force.look_begun(start + 4s);
  in_force.look_answered(Error{Fault::NotFound, "404"}, start + 4s);
  ASSERT_TRUE(in_force.confirmed(start + 5s));
  in_force.stood_still(start + 5s);
  EXPECT_TRUE(in_force.is_unsure());
  EXPECT_FALSE(in_force.confirmed(start + 5s));
  ASSERT_TRUE(in_force.look_due(start + 5s));
  in_force.look_begun(start + 5s);
  EXPECT_TRUE(in_force.look_answered(says("evictions"), start + 6s));
  EXPECT_FALSE(in_force.is_unsure());
}

TEST(PolicyInForce, ProcessThatDidNotRunForMoreThanTwoSecondsStoodStill) {
  PolicyInForce in_force;
  PolicyWatch watch({}, in_force, [] {});
  in_force.follow(listed, start);
  watch.runs(start);
  watch.runs(start + 2s);
  EXPECT_FALSE(in_force.is_unsure());
  watch.runs(start + 4s + 1ns);
  EXPECT_TRUE(in_force.is_unsure());
}

TEST(PolicyInForce, ReadThatWasOnItsWayInAStandstillConfirmsNothing) {
  PolicyInForce in_force;
  in_force.follow(listed, start);
  in_force.look_begun(start + 1s);
  in_force.stood_still(start + 5s);
  in_force.look_answered(Error{Fault::NotFound, "404"}, start + 5s);
  EXPECT_FALSE(in_force.confirmed(start + 5s));
  EXPECT_TRUE(in_force.look_due(start + 5s));
}

}  // namespace
}  // namespace nlc::controller
