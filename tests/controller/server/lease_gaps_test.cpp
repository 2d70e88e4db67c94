#include "tests/controller/server/watched_server.h"

namespace nlc::controller {
namespace {

using namespace testing;

/// While no stream of leases is open something may be missed; who judges afterwards?
class LeaseGapsTest : public WatchedServer {};

/// A restored server may have lost what was renewed then, and nothing in what it answers tells of
/// it.
TEST_F(LeaseGapsTest, AfterAGapWithoutAStreamOfLeasesNobodyIsJudgedForFifteenSeconds) {
  EXPECT_TRUE(health.leases_found({}, {}, "", now));
  leases_watch.gap_ended = now;
  health.follow(now);
  EXPECT_TRUE(health.gap_unsettled(now));
  EXPECT_FALSE(health.leases_found({}, {}, "", now)) << "the read may be of a restored server";
  answer_question("51");
  EXPECT_TRUE(health.gap_unsettled(start + 15s - 1ns));
  EXPECT_FALSE(health.gap_unsettled(start + 15s));
  EXPECT_FALSE(health.take_orders().monitor_pass);
  health.follow(start + 15s);
  EXPECT_TRUE(health.take_orders().monitor_pass) << "whoever died has waited long enough";
}

TEST_F(LeaseGapsTest, AReadThatIsAnsweredRightAfterAGapMayBeOfARestoredServerToo) {
  keep("a", now);
  leases_watch.gap_ended = now;
  EXPECT_FALSE(health.leases_found({}, {}, "", now))
      << "though nobody has looked at the streams since";
  health.lease_written("51", now, now);
  health.lease_written("52", now, now);
  EXPECT_TRUE(health.take_orders().decided.empty());
}

/// Writes of ours bear a read out only against what came after it.
TEST_F(LeaseGapsTest, WhileNoStreamIsOpenNobodyIsJudgedForFifteenSecondsAfterTheLast) {
  leases_watch.open = false;
  leases_watch.left = start;
  leases_watch.broke_off = true;
  EXPECT_FALSE(health.leases_found({}, {}, "51", now));
  EXPECT_TRUE(health.gap_unsettled(start + 15s - 1ns));
  EXPECT_TRUE(health.leases_found({}, {}, "51", start + 15s)) << "there may never be one";
}

TEST_F(LeaseGapsTest, AStreamThatEndedInOrderIsMissedAfterASecond) {
  leases_watch.open = false;
  leases_watch.left = start;
  EXPECT_TRUE(health.leases_found({}, {}, "51", start + 1s - 1ns));
  EXPECT_FALSE(health.leases_found({}, {}, "51", start + 1s));
  EXPECT_TRUE(health.gap_unsettled(start + 15s - 1ns));
  EXPECT_FALSE(health.gap_unsettled(start + 15s));
}

/// A server that was restored from a backup of a moment ago shows it by nothing else.
TEST_F(LeaseGapsTest, WhileNoStreamOfLeasesIsOpenAnotherThatBreaksOffIsAGapToo) {
  leases_watch.open = false;
  health.follow(now);
  EXPECT_TRUE(health.leases_found({}, {}, "51", now));
  ++other_breaks;
  EXPECT_FALSE(health.leases_found({}, {}, "51", now));
  EXPECT_TRUE(health.gap_unsettled(start + 15s - 1ns));
  EXPECT_FALSE(health.gap_unsettled(start + 15s));
}

TEST_F(LeaseGapsTest, WhereAStreamOfLeasesGoesOnAnotherThatBreaksOffIsNoGap) {
  health.follow(now);
  ++other_breaks;
  EXPECT_TRUE(health.leases_found({}, {}, "51", now));
}

TEST_F(LeaseGapsTest, AProcessThatStoodStillDoesNotKnowForHowLongThereWasNone) {
  health.follow(now);
  health.follow(now += 2s);
  ++leases_watch.restarts;
  EXPECT_TRUE(health.leases_found({}, {}, "", now)) << "it runs each second or two";
  health.follow(now += 2s + 1ns);
  EXPECT_TRUE(health.leases_found({}, {}, "", now)) << "the stream goes on";
  ++leases_watch.restarts;
  EXPECT_FALSE(health.leases_found({}, {}, "", now + 2s - 1ns));
  EXPECT_TRUE(health.gap_unsettled(now + 17s - 2ns));
  EXPECT_FALSE(health.gap_unsettled(now + 17s - 1ns));
  heard_for(17s);
  ++leases_watch.restarts;
  EXPECT_TRUE(health.leases_found({}, {}, "", now)) << "that was not while it stood still";
}

TEST_F(LeaseGapsTest, StreamsThatBreakAllTheTimeSpareTheDeadForAMinuteAtMost) {
  for (; now < start + 1min; now += 10s) {
    leases_watch.gap_ended = now;
    health.follow(now);
    EXPECT_TRUE(health.gap_unsettled(now));
  }
  EXPECT_TRUE(health.gap_unsettled(start + 1min - 1ns));
  EXPECT_FALSE(health.gap_unsettled(start + 1min));
}

TEST_F(LeaseGapsTest, WhereStreamsBreakAllTheTimeTheDeadAreFoundInFifteenSecondsOfEachSeventyFive) {
  const auto break_at = [this](Duration at) {
    leases_watch.gap_ended = now = start + at;
    health.follow(now);
  };
  for (Duration at = 0s; at < 75s; at += 5s) {
    break_at(at);
    EXPECT_EQ(health.gap_unsettled(now), at < 1min);
  }
  EXPECT_FALSE(health.gap_unsettled(start + 75s - 1ns));
  break_at(75s);
  EXPECT_TRUE(health.gap_unsettled(now));
  EXPECT_TRUE(health.gap_unsettled(start + 90s - 1ns));
  EXPECT_FALSE(health.gap_unsettled(start + 90s)) << "that stream goes on";
}

TEST_F(LeaseGapsTest, BetweenStreamsThatLiveAMomentLongerThanIsWaitedForThereIsTimeToReadALease) {
  for (Duration at = 0s; at <= 64s; at += 16s) {
    leases_watch.gap_ended = now = start + at;
    health.follow(now);
  }
  EXPECT_FALSE(health.gap_unsettled(start + 64s)) << "a minute after the first";
  EXPECT_FALSE(health.gap_unsettled(start + 75s));
}

TEST_F(LeaseGapsTest, AStreamThatGoesOnIsNoWitnessBeforeItHasBeenCompared) {
  leases_watch.open = false;
  keep("a", now);
  leases_watch.restarts = 1;
  leases_watch.open = true;
  health.follow(now);
  EXPECT_TRUE(health.take_orders().decided.empty());
  answer_question("52");
  health.follow(now);
  EXPECT_EQ(health.take_orders().decided.size(), 1U);
}

TEST_F(LeaseGapsTest, AStreamThatBeganWithAListHasBeenComparedByThat) {
  leases_watch.restarts = leases_watch.restarts_at_list = 1;
  EXPECT_EQ(health.next_question(now), start + 5s);
}

/// Nothing was held against it yet.
TEST_F(LeaseGapsTest, AStreamThatGoesOnBeforeAllHasBeenListedOnceIsListedAnew) {
  leases_watch.restarts = 1;
  health.follow(now);
  EXPECT_TRUE(health.take_orders().list_anew);
  health.follow(now);
  EXPECT_FALSE(health.take_orders().list_anew) << "once is enough";
}

/// Meanwhile it is held against nothing.
TEST_F(LeaseGapsTest, AStreamThatGoesOnWhileLeasesAreListedIsListedAnewWhenTheyHaveBeen) {
  const auto list_anew = [this] {
    health.follow(now);
    return health.take_orders().list_anew;
  };
  EXPECT_FALSE(list_anew());
  leases_watch.version = "";
  EXPECT_FALSE(list_anew());
  ++other_restarts;
  other_breaks = 1;
  EXPECT_FALSE(list_anew());
  leases_watch.version = "60";
  EXPECT_TRUE(list_anew());
  EXPECT_FALSE(list_anew()) << "once is enough";
  leases_watch.version = "";
  EXPECT_FALSE(list_anew());
  ++other_restarts;
  leases_watch.version = "70";
  EXPECT_FALSE(list_anew()) << "it was ended in order, or left by us";
}

/// It has begun anew, perhaps with a backup, and may have come as far again meanwhile.
TEST_F(LeaseGapsTest, WhereAServerLostTheHistoryOfOneWatchAnotherThatBrokeOffIsListedAnew) {
  const auto list_anew = [this] {
    health.follow(now);
    return health.take_orders().list_anew;
  };
  EXPECT_FALSE(list_anew());
  leases_watch.expired = 1;
  EXPECT_FALSE(list_anew()) << "no other broke off";
  other_breaks = 1;
  EXPECT_FALSE(list_anew()) << "no history was lost since";
  leases_watch.expired = 2;
  EXPECT_TRUE(list_anew());
  EXPECT_FALSE(list_anew()) << "once is enough";
  health.policy_expired(1);
  EXPECT_TRUE(list_anew()) << "so it is with the operator's ConfigMap";
  other_breaks_at_list = 1;
  health.policy_expired(2);
  EXPECT_FALSE(list_anew()) << "they have been listed since they broke off";
}

TEST_F(LeaseGapsTest, WhatBrokeOffBeforeTheFirstWriteIsListedAnewByIt) {
  const auto written = [this] {
    health.lease_written("60", now, now);
    health.follow(now);
    return health.take_orders().list_anew;
  };
  health.follow(now);
  other_breaks = other_restarts = 1;
  now += 1s;
  health.follow(now);
  EXPECT_EQ(health.next_probe(now), start) << "whoever leads asks for it";
  leases_watch.restarts = 1;
  EXPECT_FALSE(written()) << "lists may be refused";
  answer_question("60");
  health.follow(now);
  EXPECT_TRUE(health.take_orders().list_anew);
  other_breaks = 2;
  EXPECT_FALSE(written()) << "versions are held against the first one from then on";
  EXPECT_GT(health.next_probe(now), now);
}

TEST_F(LeaseGapsTest, ABreakThatNobodyHasLookedAtYetComesBeforeTheFirstWriteToo) {
  health.follow(now);
  other_breaks = 1;
  health.lease_written("60", now, now);
  health.follow(now);
  EXPECT_TRUE(health.take_orders().list_anew);
}

TEST_F(LeaseGapsTest, WhereLeasesCannotBeWatchedAListOfThemThatIsAnsweredWillDo) {
  leases_watch.open = false;
  other_breaks = 1;
  now += 1s;
  health.follow(now);
  health.lease_written("60", now, now);
  health.follow(now);
  EXPECT_FALSE(health.take_orders().list_anew);
  answer_question("60");
  health.follow(now);
  EXPECT_TRUE(health.take_orders().list_anew);
}

TEST_F(LeaseGapsTest, WhatBrokeOffLongBeforeTheFirstWriteIsWatchedOn) {
  other_breaks = 1;
  health.follow(now);
  now += 1min + 1ns;
  health.lease_written("60", now, now);
  health.follow(now);
  EXPECT_FALSE(health.take_orders().list_anew);
}

TEST_F(LeaseGapsTest, WhoMayNotWriteIsAskedForAFirstWriteEveryTenSeconds) {
  other_breaks = 1;
  health.follow(now);
  health.probe_sent();
  health.probe_answered(Error{.fault = Fault::Unavailable, .path = "POST"}, now);
  EXPECT_EQ(health.next_probe(now), now + 1s);
  health.probe_sent();
  health.probe_answered(Error{.fault = Fault::Forbidden, .path = "POST"}, now);
  EXPECT_EQ(health.next_probe(now), now + 10s);
}

TEST_F(LeaseGapsTest, ProofFromBeforeStreamsBrokeOffSaysNothingOfThem) {
  health.lease_written("60", now, now);
  health.follow(now);
  other_breaks = other_restarts = 1;
  now += 7s;
  health.follow(now);
  now += 1s + 1ns;  // a nanosecond earlier the streams would have brought it
  health.availability().prove(start + 1s);
  health.follow(now);
  (void)health.take_orders();
  now += 11s;
  health.lease_written("61", now, now);
  health.follow(now);
  EXPECT_TRUE(health.take_orders().list_anew);
}

TEST_F(LeaseGapsTest, AStreamThatBeganWithAListSinceTheServerWasSeenIsOfNow) {
  const auto comes_back = [this](std::uint64_t restarts, std::uint64_t restarts_at_list) {
    health.follow(now);
    (void)health.take_orders();
    leases_watch.restarts = restarts;
    leases_watch.restarts_at_list = restarts_at_list;
    now += 11s;
    health.lease_written("60", now, now);
    health.follow(now);
    return health.take_orders().list_anew;
  };
  EXPECT_FALSE(comes_back(1, 1)) << "it was listed in between";
  EXPECT_TRUE(comes_back(2, 1)) << "it goes on";
  EXPECT_FALSE(comes_back(2, 1)) << "it is the same as before";
}

}  // namespace
}  // namespace nlc::controller
