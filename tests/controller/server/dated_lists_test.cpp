#include "tests/controller/server/watched_server.h"

namespace nlc::controller {
namespace {

using namespace testing;

/// A list of leases is believed where something says of when it is.
class DatedListsTest : public WatchedServer {};

TEST_F(DatedListsTest, ALeaseThatIsReadByItselfBesideNoStreamHasNoDateAndAListHas) {
  EXPECT_TRUE(health.leases_found({}, {}, "", now));
  leases_watch.version = {};
  EXPECT_FALSE(health.dates_single_reads(now)) << "it is being listed anew";
  leases_watch.open = false;
  EXPECT_FALSE(health.dates_single_reads(now));
  EXPECT_FALSE(health.leases_found({}, {}, "", now));
  EXPECT_TRUE(health.leases_found({}, {}, "51", now));
}

TEST_F(DatedListsTest, BesideNoStreamNobodyIsReadBeforeAWriteOfAMomentAgoDatesTheList) {
  leases_watch.open = false;
  EXPECT_TRUE(health.undated(now));
  EXPECT_LE(health.next_probe(now += 5s), now);
  health.lease_written("50", now, now);
  EXPECT_TRUE(health.take_orders().monitor_pass);
  EXPECT_FALSE(health.undated(now + 10s));
  EXPECT_TRUE(health.undated(now + 10s + 1ns));
  leases_watch.open = true;
  leases_watch.last_change = now + 1min;
  EXPECT_FALSE(health.undated(now + 1min)) << "a stream would have shown what was renewed";
}

TEST_F(DatedListsTest, AStreamThatSaysNothingDatesReadsWhileWhatIsAskedAboutItIsAnswered) {
  leases_watch.last_change = now;
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

/// Or who died would never be found where lists are throttled and few live.
TEST_F(DatedListsTest, WhereListsAreRefusedForHalfAMinuteAStreamDatesReadsForFifteenSeconds) {
  const ReadLeases list{.nodes = {"n"}, .in_one_list = true, .asked = now};
  now += 7s;
  EXPECT_FALSE(health.dates_single_reads(now));
  health.leases_unread(list, Fault::Throttled, now);
  now += 15s;
  health.leases_unread(list, Fault::Throttled, now);
  now += 15s - 1ns;
  leases_watch.last_change = now - 7s;
  EXPECT_FALSE(health.dates_single_reads(now));
  health.follow(now);
  health.take_orders();
  now += 1ns;
  EXPECT_TRUE(health.dates_single_reads(now));
  health.follow(now);
  EXPECT_TRUE(health.take_orders().monitor_pass);

  leases_watch.last_change = now - 15s;
  EXPECT_TRUE(health.dates_single_reads(now));
  leases_watch.last_change = now - 15s - 1ns;
  EXPECT_FALSE(health.dates_single_reads(now)) << "it may be held";

  leases_watch.last_change = now - 7s;
  EXPECT_FALSE(health.dates_single_reads(now + 5s)) << "they may be answered by then";
  EXPECT_TRUE(health.leases_found(list, {}, "60", now));
  leases_watch.last_change = now - 13s;
  EXPECT_FALSE(health.dates_single_reads(now + 7s)) << "lists are answered again";
}

TEST_F(DatedListsTest, ARefusalOfLongAgoOrAListThatCameTooLateMakesNoSilentStreamBelieved) {
  const ReadLeases list{.nodes = {"n"}, .in_one_list = true, .asked = now};
  health.leases_unread(list, Fault::Forbidden, now);
  heard_for(5min);
  now += 7s;
  health.leases_unread(list, Fault::Forbidden, now);
  EXPECT_FALSE(health.dates_single_reads(now));
  heard_for(5min);
  for (int tries = 0; tries < 10; ++tries) {
    now += 10s;
    health.leases_unread(list, Fault::Timeout, now);
  }
  EXPECT_FALSE(health.dates_single_reads(now));
}

TEST_F(DatedListsTest, AListIsHeldAgainstWhatWasWrittenBeforeItWasAskedFor) {
  leases_watch.open = false;
  health.lease_written("50", now, now);
  const ReadLeases asked{.asked = now, .expected = health.expected_of_lists(now)};
  health.lease_written("60", now + 1s, now + 1s);
  EXPECT_TRUE(health.leases_found(asked, {}, "50", now + 2s));
  EXPECT_FALSE(health.leases_found(asked, {}, "49", now + 2s));
}

TEST_F(DatedListsTest, WhatIsShownWhileListsAreOfAnotherTimeProvesNothingOfNow) {
  health.lease_written("60", now, now);
  const Instant proven = now;
  now += 1s;
  const ReadLeases asked{.asked = now, .expected = health.expected_of_lists(now)};
  EXPECT_FALSE(health.leases_found(asked, {}, "59", now));
  health.availability().heartbeat_seen(now);
  EXPECT_EQ(health.availability().last_proof(), proven);
  now += 10s;
  health.follow(now);
  health.availability().heartbeat_seen(now);
  EXPECT_EQ(health.availability().last_proof(), proven) << "until the doubt is over";
  EXPECT_LE(health.availability().shown_until(now), proven);
  now += 1ms;
  health.follow(now);
  health.availability().heartbeat_seen(now);
  EXPECT_EQ(health.availability().last_proof(), now);
}

TEST_F(DatedListsTest, AListBesideNoStreamIsBorneOutByAWriteThatWasSentAfterIt) {
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

TEST_F(DatedListsTest, AListBesideNoStreamIsOfNoUseOnceTheServerIsSeenToHaveGoneBack) {
  leases_watch.open = false;
  keep("a", now);
  health.went_back("a read showed the lock as it was before");
  health.lease_written("52", now + 1s, now + 1s);
  const ApiServerHealth::Orders orders = health.take_orders();
  EXPECT_TRUE(orders.decided.empty());
  EXPECT_EQ(orders.of_no_use.size(), 1U);
}

/// What was renewed meanwhile may be lost, and our own lease with it.
TEST_F(DatedListsTest, NothingBearsAListOutBeforeAGapWithoutAStreamOfLeasesHasSettled) {
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
TEST_F(DatedListsTest, AListThatNothingBoreOutInHalfAMinuteIsWaitedForNoMore) {
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

TEST_F(DatedListsTest, AListWhosePagesTookMoreThanTenSecondsIsNotWaitedFor) {
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

TEST_F(DatedListsTest, WhatSomebodyElseWritesBearsNoListOut) {
  leases_watch.open = false;
  keep("a", now);
  health.lead(false);
  keep("b", now);
  health.lease_written("51", now + 1s, now + 1s);
  const ApiServerHealth::Orders orders = health.take_orders();
  EXPECT_TRUE(orders.decided.empty());
  EXPECT_EQ(orders.of_no_use.size(), 2U);
}

TEST_F(DatedListsTest, AListBesideNoStreamIsBorneOutByTheNextStream) {
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
