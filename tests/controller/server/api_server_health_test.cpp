#include "tests/controller/server/watched_server.h"

namespace nlc::controller {
namespace {

using namespace testing;

/// What streams, lists and versions tell about the server.
class ApiServerHealthTest : public WatchedServer {};

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
  health.view_synced({.fresh_leases = 10, .old_leases = 1}, now);
  EXPECT_FALSE(health.unsettled(now));
  health.view_synced({.fresh_leases = 10, .old_leases = 2}, now);
  EXPECT_TRUE(health.unsettled(now));
}

TEST_F(ApiServerHealthTest, NodeThatIsUnknownInTheFirstListsMayBeBackAndHaveYetToSaySo) {
  health.view_synced({.fresh_leases = 10}, now);
  EXPECT_FALSE(health.unsettled(now));
  health.view_synced({.unknown_nodes = 1}, now);
  EXPECT_FALSE(health.unsettled(now)) << "nobody renews a lease here";
  health.view_synced({.fresh_leases = 1, .unknown_nodes = 1}, now);
  EXPECT_TRUE(health.unsettled(now));
  EXPECT_TRUE(health.was_away(now));
}

/// That costs no node its turn, for it is not a reason to think that the server was away.
TEST_F(ApiServerHealthTest, NodeThatIsNotReadyInTheFirstListsHasTheTimeToSayThatItIs) {
  health.view_synced({.not_ready_nodes = 1}, now);
  EXPECT_FALSE(health.unsettled(now)) << "nobody renews a lease here";
  health.view_synced({.fresh_leases = 1, .not_ready_nodes = 1}, now);
  EXPECT_TRUE(health.unsettled(now));
  EXPECT_FALSE(health.was_away(now));
}

/// It may be back from a backup, and nodes say every ten seconds how they are.
TEST_F(ApiServerHealthTest, WhereAWatchCannotGoOnNobodyIsEvictedBeforeNodesHaveSpoken) {
  ++leases_watch.expired;
  health.follow(now);
  health.availability().prove(now + 10s);
  EXPECT_TRUE(health.unsettled(now + 15s - 1ns));
  EXPECT_FALSE(health.unsettled(now + 15s));
  EXPECT_FALSE(health.was_away(now)) << "the server took writes";
}

TEST_F(ApiServerHealthTest, AServerWhoseHistoryAlwaysEndsTooSoonIsWaitedForAMinuteAndThenNot) {
  const Instant first = now;
  for (; now < first + 2min; now += 5s) {
    health.availability().prove(now);
    ++leases_watch.expired;
    health.follow(now);
    const bool waits = now < first + 60s || now >= first + 75s;
    EXPECT_EQ(health.unsettled(now), waits) << (now - first) / 1s << " s";
  }
}

/// A server that is back may take deletions before any stream has said what it lost.
TEST_F(ApiServerHealthTest, NobodyIsEvictedWhileAStreamIsAwaited) {
  leases_watch.left = now;
  health.follow(now);
  EXPECT_FALSE(health.unsettled(now)) << "it ended in good order, and another is opened at once";
  leases_watch.left = now - 1s;
  health.follow(now);
  EXPECT_TRUE(health.unsettled(now));
  leases_watch.left = now;
  leases_watch.broke_off = true;
  health.follow(now);
  health.availability().prove(now + 10s);
  EXPECT_EQ(health.settles_at(now), now + 15s);
  EXPECT_TRUE(health.unsettled(now + 15s - 1ns));
  EXPECT_FALSE(health.unsettled(now + 15s)) << "none can be opened";
  leases_watch.left.reset();
  health.follow(now + 1s);
  EXPECT_FALSE(health.unsettled(now + 1s)) << "one goes on";
}

/// One that breaks off every second would spare the dead for ever.
TEST_F(ApiServerHealthTest, StreamsThatAreClosedAgainAndAgainAreWaitedForAMinuteAndThenNot) {
  const Instant first = now;
  for (; now < first + 2min; now += 1s) {
    health.availability().prove(now);
    leases_watch.left = now;
    leases_watch.broke_off = true;
    health.follow(now);
    const bool waits = now < first + 60s || now >= first + 75s;
    EXPECT_EQ(health.unsettled(now), waits) << (now - first) / 1s << " s";
  }
}

/// A backup of a moment ago may be back all the same, for lists of it are not older.
TEST_F(ApiServerHealthTest, WhatAReadAloneShowedHoldsEvictionsWhenAllHasBeenListed) {
  health.follow(now);
  health.went_back("a read shows it");
  ++lists;
  ++leases_watch.lists;
  health.follow(now);
  EXPECT_FALSE(health.doubtful(now));
  health.availability().prove(now + 10s);
  EXPECT_TRUE(health.unsettled(now + 15s - 1ns));
  EXPECT_FALSE(health.unsettled(now + 15s));
}

/// A version that was read of a state that is lost would be held against all reads to come.
TEST_F(ApiServerHealthTest, LeasesThatReadsContradictAreBelievedOnceTheyHaveBeenListedAnew) {
  health.follow(now);
  health.read_of_the_past(Watched::Leases, "Lease n, 40 and 70", now);
  EXPECT_TRUE(health.take_orders().list_anew);
  ++lists;
  ++leases_watch.lists;
  health.follow(now);
  EXPECT_FALSE(health.take_orders().leases_listed);
  health.read_of_the_past(Watched::Leases, "Lease n, 40 and 70", now);
  EXPECT_EQ(health.take_orders().begin_anew, std::vector{Watched::Leases});
  health.follow(now);
  EXPECT_FALSE(health.take_orders().leases_listed);
  ++leases_watch.lists;
  health.follow(now);
  EXPECT_TRUE(health.take_orders().leases_listed);
  health.follow(now);
  EXPECT_FALSE(health.take_orders().leases_listed);
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

TEST_F(ApiServerHealthTest, OfTwoDoubtsTheEndOfEachIsKnown) {
  health.availability().resume(start + 1s);
  EXPECT_EQ(health.settles_at(now), start + 16s);
  EXPECT_EQ(health.settles_at(start + 16s), std::nullopt);
  health.went_back("a list", ServerVersions::Evidence::List);
  ++lists;
  ++leases_watch.lists;
  health.follow(now += 500ms);
  EXPECT_EQ(health.settles_next(now), start + 15s + 500ms);
  EXPECT_EQ(health.settles_at(now), start + 16s);
  EXPECT_EQ(health.settles_at(start + 16s), std::nullopt);
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

}  // namespace
}  // namespace nlc::controller
