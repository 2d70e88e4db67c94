#include "controller/server/api_server_health.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;

/// The watch of leases as a test has it; the others have listed once.
class ApiServerHealthTest : public ::testing::Test, protected Watches {
 protected:
  ApiServerHealthTest() { health.lead(true); }

  WatchProgress progress(Watched what) const override {
    return what == Watched::Leases ? leases_watch
                                   : WatchProgress{.version = "1",
                                                   .lists = lists,
                                                   .restarts = other_restarts,
                                                   .breaks = other_breaks,
                                                   .breaks_at_list = other_breaks_at_list,
                                                   .synced = true,
                                                   .open = true};
  }
  void keep(const std::string& node, Instant when) {
    health.keep(
        {.asked = {.nodes = {node}, .asked = when, .dated = true}, .found = {}, .answered = when});
  }
  /// Time, in which the stream of leases said something.
  Instant heard_for(Duration span) { return leases_watch.last_heard = now += span; }
  void answer_question(std::string version) {
    health.question_sent(now);
    now += 10ms;
    health.question_answered(LeasePage{.items = {}, .resource_version = std::move(version)}, now);
  }

  informer::Store<api::Node> nodes;
  informer::Store<api::NodeLease> leases;
  informer::Store<api::Pod> pods;
  informer::Index pods_by_node;
  std::uint64_t lists = 1;
  std::uint64_t other_restarts = 0;
  std::uint64_t other_breaks = 0;
  std::uint64_t other_breaks_at_list = 0;
  WatchProgress leases_watch{
      .version = "50", .lists = 1, .last_heard = start, .synced = true, .open = true};
  Instant now = start;
  ApiServerHealth health{{nodes, leases, pods, pods_by_node},
                         *this,
                         {.blind_after = 10s, .probe_after = 5s, .probes = true},
                         start};
};

TEST_F(ApiServerHealthTest, AStreamThatSaysNothingForFiveSecondsIsAskedAbout) {
  EXPECT_EQ(health.next_question(now), start + 5s);
}

/// A restored server says nothing on it before it has come as far again.
TEST_F(ApiServerHealthTest, AStreamThatGoesOnWhereAnotherBrokeOffIsAskedAboutAtOnce) {
  leases_watch.restarts = 1;
  leases_watch.open = false;
  EXPECT_EQ(health.next_question(now), start + 5s) << "nobody can be asked yet";
  leases_watch.open = true;
  leases_watch.last_heard = now += 3s;
  EXPECT_LE(health.next_question(now), now);

  answer_question("40");
  EXPECT_TRUE(health.take_orders().list_anew) << "it has gone back";
}

TEST_F(ApiServerHealthTest, OneAnswerIsEnoughForEachNewStream) {
  leases_watch.restarts = 1;
  now += 3s;
  answer_question("51");
  EXPECT_EQ(health.next_question(now), now + 5s);

  leases_watch.restarts = 2;
  now += 3s;
  EXPECT_LE(health.next_question(now), now);
}

/// The second time while leases could not be listed since the first.
TEST_F(ApiServerHealthTest, WhatAServerShowedBeforeItWentBackOnceMoreIsAwaitedNoLonger) {
  health.went_back("a read shows it");
  health.shown(Watched::Leases, "1000000050", now);
  health.went_back("a read shows it again");
  ++lists;
  ++leases_watch.lists;
  now += 20s;
  health.availability().prove(now);
  health.follow(now);
  EXPECT_EQ(health.doubts(now).stalled, "");
}

/// What a restore has undone is written over by as many versions; its objects are older all the
/// same.
TEST_F(ApiServerHealthTest, AListThatIsNewerAndShowsALeaseAsItWasBeforeIsOfARestoredServer) {
  leases.apply({.name = "node", .uid = "1", .resource_version = "50"});
  const auto answer = [this](std::string lease, std::string list) {
    health.question_sent(now);
    const api::NodeLease shown{.name = "node", .uid = "1", .resource_version = std::move(lease)};
    health.question_answered(LeasePage{.items = {shown}, .resource_version = std::move(list)}, now);
    return health.take_orders().list_anew;
  };
  EXPECT_FALSE(answer("50", "50"));
  EXPECT_FALSE(answer("51", "52"));
  EXPECT_TRUE(answer("45", "50"));
  ++lists;
  ++leases_watch.lists;
  health.follow(now);
  EXPECT_TRUE(health.doubtful(now)) << "no late server has such a list: nodes have yet to speak";
}

TEST_F(ApiServerHealthTest, LeasesThatAreReadAreHeldAgainstWhatIsKnownOfThem) {
  leases.apply({.name = "node", .uid = "1", .resource_version = "50", .renewed = noon});
  const auto found = [this](const api::NodeLease& lease, const std::string& list = "") {
    health.leases_found({}, {lease}, list, now);
    return health.take_orders().list_anew;
  };
  using Lease = api::NodeLease;
  EXPECT_FALSE(found(Lease{.name = "new", .uid = "2", .resource_version = "7"}));
  EXPECT_FALSE(
      found(Lease{.name = "node", .uid = "2", .resource_version = "45", .renewed = noon + 1s}))
      << "it is another";
  const Lease before{.name = "node", .uid = "1", .resource_version = "45", .renewed = noon};
  EXPECT_FALSE(found(before)) << "a late server";
  EXPECT_FALSE(found(before, "49")) << "a late list";
  EXPECT_FALSE(
      found({.name = "node", .uid = "1", .resource_version = "50", .renewed = noon + 1s}, "60"));
  EXPECT_TRUE(found({.name = "node", .uid = "1", .resource_version = "45", .renewed = noon + 1s}))
      << "it was renewed in an older version";
}

TEST_F(ApiServerHealthTest,
       FirstLeasesOfWhichMoreThanOneInTenIsOldAreOfAServerThatHasJustComeBack) {
  health.view_synced({.fresh = 10, .old = 1});
  EXPECT_FALSE(health.unsettled(now));
  health.view_synced({.fresh = 10, .old = 2});
  EXPECT_TRUE(health.unsettled(now));
}

TEST_F(ApiServerHealthTest, ServerThatWentBackIsFollowedUntilItIsKnownAgain) {
  const auto relist = [this] {
    ++lists;
    ++leases_watch.lists;
    health.follow(now);
    return health.take_orders();
  };
  health.follow(now);
  EXPECT_FALSE(health.take_orders().monitor_pass) << "nothing happened";
  health.went_back("a write", ServerVersions::Evidence::Write);
  EXPECT_TRUE(health.take_orders().list_anew);
  EXPECT_EQ(health.settles_at(now), std::nullopt);
  ++lists;  // of nodes and pods
  health.went_back("a read");
  EXPECT_FALSE(health.take_orders().list_anew) << "that is under way";
  ApiServerHealth::Orders orders = relist();
  EXPECT_TRUE(orders.list_anew) << "once more, for the lists may be of before that";
  EXPECT_FALSE(orders.view_renewed);
  orders = relist();
  EXPECT_TRUE(orders.view_renewed);
  EXPECT_TRUE(orders.monitor_pass);
  EXPECT_FALSE(orders.list_anew);
  EXPECT_EQ(health.settles_at(now), now + 15s);
  now += 15s;
  health.follow(now);
  orders = health.take_orders();
  EXPECT_TRUE(orders.monitor_pass);
  EXPECT_TRUE(orders.list_anew) << "it may have gone back once more meanwhile";
  EXPECT_FALSE(orders.view_renewed);
}

TEST_F(ApiServerHealthTest, OfTwoDoubtsTheEndOfTheFirstIsLookedFor) {
  health.availability().resume(start + 1s);
  EXPECT_EQ(health.settles_at(now), start + 16s);
  EXPECT_EQ(health.settles_at(start + 16s), std::nullopt);
  health.went_back("a list", ServerVersions::Evidence::List);
  ++lists;
  ++leases_watch.lists;
  health.follow(now += 500ms);
  EXPECT_EQ(health.settles_at(now), start + 15s + 500ms);
  EXPECT_EQ(health.settles_at(start + 16s), start + 15s + 500ms);
}

TEST_F(ApiServerHealthTest, WithoutAnAnswerItIsAskedAgainInASecond) {
  leases_watch.restarts = 1;
  now += 3s;
  health.question_sent(now);
  health.question_answered(Error{.fault = Fault::Timeout, .path = "LIST"}, now);
  EXPECT_EQ(health.next_question(now), now + 1s);
}

/// By then a restored server has come as far again, and all leases were renewed since.
TEST_F(ApiServerHealthTest, WhereTheFirstAnswerAboutANewStreamIsLateAllIsListedAnew) {
  leases_watch.restarts = 1;
  const auto answer_late = [this] {
    health.question_sent(now += 1s);
    health.question_answered(Error{.fault = Fault::Timeout, .path = "LIST"}, now += 5s);
    EXPECT_FALSE(health.take_orders().list_anew) << "the server is slow enough";
    answer_question("51");
    return health.take_orders().list_anew;
  };
  EXPECT_TRUE(answer_late());
  answer_question("51");
  EXPECT_FALSE(health.take_orders().list_anew) << "once is enough";
  EXPECT_FALSE(answer_late()) << "it is the same stream that says nothing";

  leases_watch.restarts = 2;
  health.question_sent(now += 1s);
  health.question_answered(Error{.fault = Fault::Timeout, .path = "LIST"}, now += 5s);
  ++lists;
  ++leases_watch.lists;
  answer_question("51");
  EXPECT_FALSE(health.take_orders().list_anew) << "all was listed meanwhile";

  leases_watch.restarts = 3;
  health.went_back("a list", ServerVersions::Evidence::List);
  health.take_orders();
  EXPECT_FALSE(answer_late()) << "all will be listed, and once more when nodes have settled";
}

TEST_F(ApiServerHealthTest, WhereSomeHaveNotBeenListedMeanwhileAllIsListedAnew) {
  const auto lists_anew = [this](std::uint64_t of_leases, std::uint64_t of_others) {
    ++leases_watch.restarts;
    health.question_sent(now += 1s);
    health.question_answered(Error{.fault = Fault::Timeout, .path = "LIST"}, now += 5s);
    leases_watch.lists += of_leases;
    lists += of_others;
    answer_question("51");
    return health.take_orders().list_anew;
  };
  EXPECT_TRUE(lists_anew(1, 0));
  EXPECT_TRUE(lists_anew(0, 1));
  EXPECT_FALSE(lists_anew(1, 1));
}

TEST_F(ApiServerHealthTest, ListThatIsUnderWayWhenTheAnswerComesIsOfNow) {
  leases_watch.restarts = 1;
  health.question_sent(now += 1s);
  health.question_answered(Error{.fault = Fault::Timeout, .path = "LIST"}, now += 5s);
  ++lists;
  health.question_sent(now += 1s);
  leases_watch.version = "";
  health.question_answered(LeasePage{.items = {}, .resource_version = "51"}, now);
  EXPECT_FALSE(health.take_orders().list_anew);
}

/// A restored server may have lost what was renewed then, and nothing in what it answers tells of
/// it.
TEST_F(ApiServerHealthTest, AfterAGapWithoutAStreamOfLeasesNobodyIsJudgedForFifteenSeconds) {
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

TEST_F(ApiServerHealthTest, AReadThatIsAnsweredRightAfterAGapMayBeOfARestoredServerToo) {
  keep("a", now);
  leases_watch.gap_ended = now;
  EXPECT_FALSE(health.leases_found({}, {}, "", now))
      << "though nobody has looked at the streams since";
  health.lease_written("51", now, now);
  health.lease_written("52", now, now);
  EXPECT_TRUE(health.take_orders().decided.empty());
}

/// Writes of ours bear a read out only against what came after it.
TEST_F(ApiServerHealthTest, WhileNoStreamIsOpenNobodyIsJudgedForFifteenSecondsAfterTheLast) {
  leases_watch.open = false;
  leases_watch.left = start;
  leases_watch.broke_off = true;
  EXPECT_FALSE(health.leases_found({}, {}, "51", now));
  EXPECT_TRUE(health.gap_unsettled(start + 15s - 1ns));
  EXPECT_TRUE(health.leases_found({}, {}, "51", start + 15s)) << "there may never be one";
}

TEST_F(ApiServerHealthTest, AStreamThatEndedInOrderIsMissedAfterASecond) {
  leases_watch.open = false;
  leases_watch.left = start;
  EXPECT_TRUE(health.leases_found({}, {}, "51", start + 1s - 1ns));
  EXPECT_FALSE(health.leases_found({}, {}, "51", start + 1s));
  EXPECT_TRUE(health.gap_unsettled(start + 15s - 1ns));
  EXPECT_FALSE(health.gap_unsettled(start + 15s));
}

/// A server that was restored from a backup of a moment ago shows it by nothing else.
TEST_F(ApiServerHealthTest, WhileNoStreamOfLeasesIsOpenAnotherThatBreaksOffIsAGapToo) {
  leases_watch.open = false;
  health.follow(now);
  EXPECT_TRUE(health.leases_found({}, {}, "51", now));
  ++other_breaks;
  EXPECT_FALSE(health.leases_found({}, {}, "51", now));
  EXPECT_TRUE(health.gap_unsettled(start + 15s - 1ns));
  EXPECT_FALSE(health.gap_unsettled(start + 15s));
}

TEST_F(ApiServerHealthTest, WhereAStreamOfLeasesGoesOnAnotherThatBreaksOffIsNoGap) {
  health.follow(now);
  ++other_breaks;
  EXPECT_TRUE(health.leases_found({}, {}, "51", now));
}

TEST_F(ApiServerHealthTest, AProcessThatStoodStillDoesNotKnowForHowLongThereWasNone) {
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

TEST_F(ApiServerHealthTest, StreamsThatBreakAllTheTimeSpareTheDeadForAMinuteAtMost) {
  for (; now < start + 1min; now += 10s) {
    leases_watch.gap_ended = now;
    health.follow(now);
    EXPECT_TRUE(health.gap_unsettled(now));
  }
  EXPECT_TRUE(health.gap_unsettled(start + 1min - 1ns));
  EXPECT_FALSE(health.gap_unsettled(start + 1min));
}

TEST_F(ApiServerHealthTest,
       WhereStreamsBreakAllTheTimeTheDeadAreFoundInFifteenSecondsOfEachSeventyFive) {
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

TEST_F(ApiServerHealthTest,
       BetweenStreamsThatLiveAMomentLongerThanIsWaitedForThereIsTimeToReadALease) {
  for (Duration at = 0s; at <= 64s; at += 16s) {
    leases_watch.gap_ended = now = start + at;
    health.follow(now);
  }
  EXPECT_FALSE(health.gap_unsettled(start + 64s)) << "a minute after the first";
  EXPECT_FALSE(health.gap_unsettled(start + 75s));
}

TEST_F(ApiServerHealthTest, AStreamThatGoesOnIsNoWitnessBeforeItHasBeenCompared) {
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

TEST_F(ApiServerHealthTest, AStreamThatBeganWithAListHasBeenComparedByThat) {
  leases_watch.restarts = leases_watch.restarts_at_list = 1;
  EXPECT_EQ(health.next_question(now), start + 5s);
}

/// Nothing was held against it yet.
TEST_F(ApiServerHealthTest, AStreamThatGoesOnBeforeAllHasBeenListedOnceIsListedAnew) {
  leases_watch.restarts = 1;
  health.follow(now);
  EXPECT_TRUE(health.take_orders().list_anew);
  health.follow(now);
  EXPECT_FALSE(health.take_orders().list_anew) << "once is enough";
}

/// Meanwhile it is held against nothing.
TEST_F(ApiServerHealthTest, AStreamThatGoesOnWhileLeasesAreListedIsListedAnewWhenTheyHaveBeen) {
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
TEST_F(ApiServerHealthTest, WhereAServerLostTheHistoryOfOneWatchAnotherThatBrokeOffIsListedAnew) {
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

TEST_F(ApiServerHealthTest, AStreamThatBeganWithAListSinceTheServerWasSeenIsOfNow) {
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

TEST_F(ApiServerHealthTest, WhileSomethingProvesThatTheServerTakesWritesNoProbeIsMade) {
  now += 4s;
  health.lease_written("51", now, now);
  EXPECT_EQ(health.next_probe(now), now + 5s);
}

/// Nothing else would show that its lists are of the past.
TEST_F(ApiServerHealthTest, BesideALockThatIsNoLeaseALeaseIsWrittenAllTheSame) {
  for (; now < start + 5s; now += 1s) health.lease_written("", now, now);
  EXPECT_EQ(health.next_probe(now), start + 5s);

  health.probe_sent();
  health.probe_answered(WriteProbe::Written{.version = "60", .sent = now}, now);
  health.lease_written("", now + 1s, now + 1s);
  EXPECT_EQ(health.next_probe(now), now + 5s);
  answer_question("59");
  EXPECT_EQ(health.doubts(now).paused, ApiServerHealth::lists_of_another_time);
}

/// One that is merely late would have refused it. Nodes of a restored one have yet to say that they
/// live.
TEST_F(ApiServerHealthTest, AProbeThatIsTakenOnWhatItWasBeforeIsOfARestoredServer) {
  const auto doubtful_once_listed = [this](bool borne_out) {
    health.probe_sent();
    health.probe_answered(
        WriteProbe::Written{.version = "60", .went_back = true, .borne_out = borne_out}, now);
    ++lists;
    ++leases_watch.lists;
    health.follow(now);
    return health.doubtful(now);
  };
  EXPECT_FALSE(doubtful_once_listed(false));
  EXPECT_TRUE(doubtful_once_listed(true));
}

TEST_F(ApiServerHealthTest, AProbeThatWasRefusedIsRepeatedInASecondAndToldAsTheReason) {
  heard_for(1min);
  EXPECT_LE(health.next_probe(now), now);
  EXPECT_EQ(health.doubts(now).paused, "nothing proved that the API server takes writes");
  health.probe_sent();
  EXPECT_EQ(health.next_probe(now), std::nullopt) << "one at a time";
  health.probe_answered(Error{.fault = Fault::Forbidden, .path = "PUT: 403"}, now);
  EXPECT_EQ(health.next_probe(now), now + 1s);
  EXPECT_EQ(health.doubts(now).paused, "nothing proved that the API server takes writes: PUT: 403");
  health.probe_sent();
  health.probe_answered(WriteProbe::Written{.version = "60"}, now);
  EXPECT_EQ(health.doubts(now).paused, "");
  EXPECT_FALSE(health.take_orders().monitor_pass) << "nobody waited for it";
}

TEST_F(ApiServerHealthTest, AProbeThatIsOlderThanWhatWasWatchedShowsThatTheServerWentBack) {
  health.probe_sent();
  leases_watch.version = "70";
  health.probe_answered(WriteProbe::Written{.version = "60"}, now);
  EXPECT_FALSE(health.take_orders().list_anew) << "the watch came further since";
  health.probe_sent();
  health.probe_answered(WriteProbe::Written{.version = "69"}, now);
  EXPECT_TRUE(health.take_orders().list_anew);
}

TEST_F(ApiServerHealthTest, WhoJudgesNoNodesAsksNothingAndDoubtsNothingBeforeAProbeIsRefused) {
  ApiServerHealth other{
      {nodes, leases, pods, pods_by_node},
      *this,
      {.blind_after = 10s, .probe_after = 5s, .follows_leases = false, .probes = true},
      start};
  other.lead(true);
  now += 1min;
  EXPECT_EQ(other.next_question(now), std::nullopt);
  EXPECT_EQ(other.doubts(now).paused, "");
  other.probe_sent();
  other.probe_answered(Error{.fault = Fault::Forbidden, .path = "PUT: 403"}, now);
  EXPECT_NE(other.doubts(now).paused, "");
}

TEST_F(ApiServerHealthTest, AStandbyMakesNoProbe) {
  health.lead(false);
  now += 1min;
  EXPECT_EQ(health.next_probe(now), std::nullopt);
}

/// Its first lists would be as undated as the standby's.
TEST_F(ApiServerHealthTest, WhoBeginsToLeadBesideALockThatIsNoLeaseProbesBeforeItReads) {
  health.lead(false);
  heard_for(1min);
  health.lease_written("", now, now);
  EXPECT_FALSE(health.undated(now));
  health.lead(true);
  EXPECT_TRUE(health.undated(now));
  EXPECT_LE(health.next_probe(now), now);
  health.lead(false);
  EXPECT_FALSE(health.undated(now)) << "it reads nothing";
  health.lead(true);

  health.probe_sent();
  health.probe_answered(Error{.fault = Fault::Conflict, .path = "PUT"}, now);
  EXPECT_TRUE(health.undated(now)) << "what it had read a moment ago was of the past";
  health.probe_sent();
  health.probe_answered(Error{.fault = Fault::Forbidden, .path = "PUT"}, now);
  EXPECT_FALSE(health.undated(now)) << "it will not become wiser";
  EXPECT_TRUE(health.take_orders().monitor_pass);
}

TEST_F(ApiServerHealthTest, WhoBeginsToLeadBesideALeaseReadsAtOnce) {
  health.lead(false);
  health.lease_written("50", now, now);
  health.lead(true);
  EXPECT_FALSE(health.undated(now));
}

TEST_F(ApiServerHealthTest, ALeaseThatIsReadByItselfBesideNoStreamHasNoDateAndAListHas) {
  EXPECT_TRUE(health.leases_found({}, {}, "", now));
  leases_watch.version = {};
  EXPECT_FALSE(health.dates_single_reads(now)) << "it is being listed anew";
  leases_watch.open = false;
  EXPECT_FALSE(health.dates_single_reads(now));
  EXPECT_FALSE(health.leases_found({}, {}, "", now));
  EXPECT_TRUE(health.leases_found({}, {}, "51", now));
}

TEST_F(ApiServerHealthTest, BesideNoStreamNobodyIsReadBeforeAWriteOfAMomentAgoDatesTheList) {
  leases_watch.open = false;
  EXPECT_TRUE(health.undated(now));
  EXPECT_LE(health.next_probe(now += 5s), now);
  health.lease_written("50", now, now);
  EXPECT_TRUE(health.take_orders().monitor_pass);
  EXPECT_FALSE(health.undated(now + 10s));
  EXPECT_TRUE(health.undated(now + 10s + 1ns));
  leases_watch.open = true;
  leases_watch.last_heard = now + 1min;
  EXPECT_FALSE(health.undated(now + 1min)) << "a stream would have shown what was renewed";
}

TEST_F(ApiServerHealthTest, AStreamThatSaysNothingDatesReadsWhileWhatIsAskedAboutItIsAnswered) {
  leases_watch.last_heard = now;
  now += 6s;
  EXPECT_TRUE(health.dates_single_reads(now));
  health.question_sent(now);
  health.question_answered(Error{.fault = Fault::Forbidden, .path = "LIST"}, now);
  EXPECT_FALSE(health.dates_single_reads(now + 1s)) << "it may be held";
  health.question_sent(now);
  health.question_answered(LeasePage{.resource_version = "100"}, now);
  EXPECT_TRUE(health.dates_single_reads(now + 6s));
  EXPECT_FALSE(health.dates_single_reads(now + 7s));
}

TEST_F(ApiServerHealthTest, AListIsHeldAgainstWhatWasWrittenBeforeItWasAskedFor) {
  leases_watch.open = false;
  health.lease_written("50", now, now);
  const ReadLeases asked{.asked = now, .expected = health.expected_of_lists(now)};
  health.lease_written("60", now + 1s, now + 1s);
  EXPECT_TRUE(health.leases_found(asked, {}, "50", now + 2s));
  EXPECT_FALSE(health.leases_found(asked, {}, "49", now + 2s));
}

TEST_F(ApiServerHealthTest, AListBesideNoStreamIsBorneOutByAWriteThatWasSentAfterIt) {
  leases_watch.open = false;
  ASSERT_FALSE(stream_is_witness());
  keep("a", now);
  EXPECT_LE(health.next_probe(now), now) << "where there is no election nothing else is written";
  health.lease_written("51", now, now + 1s);
  EXPECT_TRUE(health.take_orders().decided.empty()) << "it may have been sent before the read";
  health.lease_written("52", now + 2s, now + 3s);
  EXPECT_EQ(health.take_orders().decided.size(), 1U);
  health.lease_written("53", now + 4s, now + 5s);
  EXPECT_TRUE(health.take_orders().decided.empty());
}

TEST_F(ApiServerHealthTest, AListBesideNoStreamIsOfNoUseOnceTheServerIsSeenToHaveGoneBack) {
  leases_watch.open = false;
  keep("a", now);
  health.went_back("a read showed the lock as it was before");
  health.lease_written("52", now + 1s, now + 1s);
  const ApiServerHealth::Orders orders = health.take_orders();
  EXPECT_TRUE(orders.decided.empty());
  EXPECT_EQ(orders.of_no_use.size(), 1U);
}

/// What was renewed meanwhile may be lost, and our own lease with it.
TEST_F(ApiServerHealthTest, NothingBearsAListOutBeforeAGapWithoutAStreamOfLeasesHasSettled) {
  leases_watch.open = false;
  leases_watch.gap_ended = now;
  health.follow(now);
  keep("a", now);
  health.lease_written("51", now + 1s, now + 2s);
  leases_watch.open = true;
  health.follow(now);
  EXPECT_TRUE(health.take_orders().decided.empty());
  health.follow(heard_for(15s));
  EXPECT_EQ(health.take_orders().decided.size(), 1U);
}

/// Who came to life since nobody would know.
TEST_F(ApiServerHealthTest, AListThatNothingBoreOutInHalfAMinuteIsWaitedForNoMore) {
  leases_watch.open = false;
  keep("a", now);
  keep("b", now + 1s);
  health.lease_written("51", now, now + 30s);
  EXPECT_TRUE(health.take_orders().decided.empty());
  health.lease_written("52", now, now + 30s + 1ns);
  const auto decided = health.take_orders().decided;
  ASSERT_EQ(decided.size(), 1U);
  EXPECT_EQ(decided[0].asked.nodes, std::vector<std::string>{"a"});
  EXPECT_FALSE(decided[0].asked.counts(now + 30s + 1ns));
  health.follow(now + 31s + 1ns);
  EXPECT_EQ(health.take_orders().decided.size(), 1U);
}

TEST_F(ApiServerHealthTest, AListWhosePagesTookMoreThanTenSecondsIsNotWaitedFor) {
  leases_watch.open = false;
  for (const Duration took : {Duration(10s), Duration(10s + 1ns)}) {
    health.keep({.asked = {.nodes = {"a"}, .in_one_list = true, .asked = now, .dated = true},
                 .found = {},
                 .answered = now + took});
    health.follow(now + took);
    const auto decided = health.take_orders().decided;
    ASSERT_EQ(decided.size(), took > 10s ? 1U : 0U);
    for (const auto& read : decided) EXPECT_FALSE(read.asked.counts(now + took));
  }
}

TEST_F(ApiServerHealthTest, WhatSomebodyElseWritesBearsNoListOut) {
  leases_watch.open = false;
  keep("a", now);
  health.lead(false);
  keep("b", now);
  health.lease_written("51", now + 1s, now + 1s);
  const ApiServerHealth::Orders orders = health.take_orders();
  EXPECT_TRUE(orders.decided.empty());
  EXPECT_EQ(orders.of_no_use.size(), 2U);
}

TEST_F(ApiServerHealthTest, AListBesideNoStreamIsBorneOutByTheNextStream) {
  leases_watch.open = false;
  keep("a", now);
  health.follow(now);
  EXPECT_TRUE(health.take_orders().decided.empty());
  leases_watch.open = true;
  health.follow(now);
  EXPECT_EQ(health.take_orders().decided.size(), 1U);
}

}  // namespace
}  // namespace nlc::controller
