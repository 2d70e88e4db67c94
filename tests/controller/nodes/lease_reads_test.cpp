#include "controller/nodes/lease_reads.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/objects.h"
#include "tests/controller/stores.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using Dated = LeaseReads::Dated;

/// Nodes n0, n1, … whose leases nobody has seen yet.
class LeaseReadsTest : public ::testing::Test, protected Stores {
 protected:
  void put(std::size_t count) {
    for (std::size_t at = 0; at < count; ++at) nodes.apply(ready_node(name(at)));
  }
  static std::string name(std::size_t at) { return "n" + std::to_string(at); }
  Slot slot(std::size_t at) const { return *nodes.slot_of(name(at)); }

  /// A monitor pass that wants the leases of these nodes.
  std::optional<ReadLeases> ask(const std::vector<std::size_t>& wanted,
                                Dated dated = Dated::ByStream) {
    reads.begin_pass();
    reads.read_by(dated, now);
    for (const std::size_t at : wanted) reads.want(slot(at), AvailableTime{}, 0);
    return reads.begin(now);
  }
  std::optional<ReadLeases> ask_first(std::size_t count) {
    std::vector<std::size_t> wanted;
    for (std::size_t at = 0; at < count; ++at) wanted.push_back(at);
    return ask(wanted);
  }
  /// What was answered of one alone: when it may be read again.
  Instant fail(std::size_t at, const Error& error) {
    EXPECT_TRUE(ask({at}));
    return reads.failed({.nodes = {name(at)}}, error, now).value();
  }
  void find(std::size_t at) {
    EXPECT_TRUE(ask({at}));
    reads.read({.nodes = {name(at)}}, {}, now);
  }

  const Error unavailable{.fault = Fault::Unavailable, .path = "503"};
  const Error forbidden{.fault = Fault::Forbidden, .path = "403"};
  Instant now = start;
  LeaseReads reads{view(), start};
};

TEST_F(LeaseReadsTest, OthersAreReadBesideThoseOnTheirWayUpToAsManyAsMayBeReadSingly) {
  put(9);
  ASSERT_TRUE(ask({8}));
  EXPECT_FALSE(ask_first(8)) << "nine";
  EXPECT_EQ(reads.next(), std::nullopt);
  const auto seven = ask_first(7);
  ASSERT_TRUE(seven);
  EXPECT_THAT(seven->nodes, SizeIs(7));
  EXPECT_TRUE(reads.busy());
}

TEST_F(LeaseReadsTest, OneListIsReadAtATimeAndNobodyIsAwakeForTheNext) {
  put(18);
  const auto list = ask_first(9);
  ASSERT_TRUE(list);
  EXPECT_TRUE(list->in_one_list);
  EXPECT_FALSE(ask({9, 10}));
  EXPECT_EQ(reads.next(), std::nullopt) << "the answer calls for a pass";
  reads.read(*list, {}, now);
  EXPECT_FALSE(ask({9}).value().in_one_list);
}

TEST_F(LeaseReadsTest, ALeaseThatIsMissingInAListIsReadByItselfAndTheOthersWait) {
  put(10);
  leases.apply({.name = name(0), .resource_version = "1"});
  const auto list = ask_first(9);
  ASSERT_TRUE(list && list->in_one_list);
  EXPECT_THAT(reads.read(*list, {}, now).answers, SizeIs(8)) << "the others had none";
  now += 1s;
  const auto single = ask_first(10);
  ASSERT_TRUE(single);
  EXPECT_FALSE(single->in_one_list);
  EXPECT_THAT(single->nodes, ElementsAre(name(0)));
  EXPECT_THAT(reads.read(*single, {}, now).answers, SizeIs(1));
}

TEST_F(LeaseReadsTest, ALeaseThatIsShownIsMissingInListsNoMore) {
  put(9);
  leases.apply({.name = name(0), .resource_version = "1"});
  const auto list = ask_first(9);
  ASSERT_TRUE(list && list->in_one_list);
  reads.read(*list, {}, now);
  reads.shown(slot(0));
  now += 1s;
  EXPECT_TRUE(ask_first(9)->in_one_list);
}

/// Who came back while it was read shows in none of its pages.
TEST_F(LeaseReadsTest, WhoIsUnmovedInAListThatTookTooLongIsReadByItselfBesideAsManyAsMayBe) {
  put(160);
  const auto list = ask_first(20);
  ASSERT_TRUE(list && list->in_one_list);
  now += 10s + 1ns;
  reads.read(*list, {}, now);
  for (std::size_t at = 0; at < 12; ++at) EXPECT_FALSE(reads.confirm(slot(at), *list, now));
  EXPECT_FALSE(reads.is_confirmed(slot(0), now));
  const auto singles = ask_first(20);
  ASSERT_TRUE(singles);
  EXPECT_FALSE(singles->in_one_list);
  EXPECT_THAT(singles->nodes, SizeIs(10));
  reads.read(*singles, {}, now);
  EXPECT_TRUE(reads.confirm(slot(0), *singles, now + 1min)) << "the stream dates it";
  EXPECT_TRUE(reads.is_confirmed(slot(0), now + 1min + 10s));
  EXPECT_FALSE(reads.is_confirmed(slot(0), now + 1min + 10s + 1ns));
}

TEST_F(LeaseReadsTest, BesideNoStreamAReadIsOfWhenItWasAskedForAndCountsForHalfAMinute) {
  put(1);
  const auto single = ask({0}, Dated::ByLists);
  ASSERT_TRUE(single);
  reads.read(*single, {}, now + 30s);
  EXPECT_FALSE(reads.confirm(slot(0), *single, now + 30s + 1ns));
  EXPECT_TRUE(reads.confirm(slot(0), *single, now + 30s));
  EXPECT_TRUE(reads.is_confirmed(slot(0), now + 30s));
  EXPECT_FALSE(reads.is_confirmed(slot(0), now + 30s + 1ns));
}

/// Whoever may not do the one may not do the other either, and each costs a list.
TEST_F(LeaseReadsTest, BesideNoStreamAReadThatFailsLetsAllWaitUnlessItIsForWhatOneLeaseSays) {
  put(2);
  const auto refused = ask({0}, Dated::ByLists);
  ASSERT_TRUE(refused && refused->dated && !refused->in_one_list);
  reads.failed(*refused, forbidden, now);
  now += 1s - 1ns;
  EXPECT_FALSE(ask({1}, Dated::ByLists));
  now += 1ns;
  const auto unreadable = ask({1}, Dated::ByLists);
  ASSERT_TRUE(unreadable);
  EXPECT_FALSE(unreadable->in_one_list) << "it would be refused as well";
  reads.failed(*unreadable, {.fault = Fault::Malformed}, now);
  EXPECT_TRUE(ask({0}, Dated::ByLists));
}

/// Where few live a stream says something every now and then, and lists may be refused all the
/// time.
TEST_F(LeaseReadsTest, WhatFailedInAListIsReadByItselfAtOnceWhereAStreamDatesSingleReadsAgain) {
  put(1);
  reads.failed(*ask({0}, Dated::ByLists), {.fault = Fault::Throttled, .retry_after = 30s}, now);
  EXPECT_FALSE(ask({0}, Dated::ByLists));
  const auto single = ask({0}, Dated::ByStream);
  ASSERT_TRUE(single);
  EXPECT_TRUE(single->dated_by_stream());
}

/// A server that asked to be spared that form is spared it.
TEST_F(LeaseReadsTest, WhatFailedByItselfWaitsWhateverDatesIt) {
  put(1);
  const Instant retry = fail(0, {.fault = Fault::Throttled, .retry_after = 2s});
  ask({}, Dated::ByLists);
  ask({}, Dated::ByStream);
  EXPECT_EQ(reads.retry_at(slot(0), now), retry);
}

TEST_F(LeaseReadsTest, WhereListsAreRefusedManyAreReadAFewAtATime) {
  put(200);
  reads.failed(*ask_first(200), forbidden, now);
  const auto first = ask_first(200);
  ASSERT_TRUE(first && first->dated_by_stream());
  EXPECT_THAT(first->nodes, SizeIs(12));
}

TEST_F(LeaseReadsTest, OneThatFailsByItselfForAMinuteIsReadInAListOfItsOwnWhileThatIsAnswered) {
  put(2);
  for (int failures = 0; failures < 7; ++failures) {
    fail(0, unavailable);
    now += 10s;
  }
  const auto own = ask({0, 1});
  ASSERT_TRUE(own && own->dated && !own->in_one_list);
  EXPECT_THAT(own->nodes, ElementsAre(name(0))) << "another one is read beside it";
  const auto other = ask({1});
  ASSERT_TRUE(other);
  EXPECT_TRUE(other->dated_by_stream());
  reads.read(*own, {{.name = name(0), .uid = "1", .resource_version = "5"}}, now);
  now += 1min;
  const auto again = ask({0});
  ASSERT_TRUE(again && again->dated);
  now = reads.failed(*again, unavailable, now).value();
  const auto single = ask({0});
  ASSERT_TRUE(single);
  EXPECT_TRUE(single->dated_by_stream()) << "it fails as well";
}

TEST_F(LeaseReadsTest, ListThatFailsLetsTheNextWaitWhoeverIsInIt) {
  put(10);
  for (int failures = 1; failures <= 2; ++failures) {
    const auto list = ask_first(9);
    ASSERT_TRUE(list && list->in_one_list) << failures;
    reads.failed(*list, unavailable, now);
    now += 1s - 1ns;
    EXPECT_FALSE(ask_first(10));
    EXPECT_EQ(reads.next(), now + 1ns);
    now += 1ns;
  }
}

TEST_F(LeaseReadsTest, NodeThatIsGoneIsWaitedForByNobody) {
  put(2);
  const auto both = ask_first(2);
  nodes.remove("n0");
  const LeaseReads::Learned learned = reads.read(*both, {}, now);
  ASSERT_THAT(learned.answers, SizeIs(1));
  EXPECT_EQ(learned.answers[0].slot, slot(1));
}

TEST_F(LeaseReadsTest, FormThatWasForbiddenIsTriedAgainAfterAMinute) {
  put(1);
  const auto single = ask({0});
  ASSERT_FALSE(single->in_one_list);
  reads.failed(*single, forbidden, now);
  now += 1min - 1ns;
  const auto list = ask({0});
  EXPECT_TRUE(list->in_one_list);
  reads.read(*list, {}, now);
  now += 500ms;
  EXPECT_FALSE(ask({0}).value().in_one_list);
}

TEST_F(LeaseReadsTest, ListsInThePlaceOfSingleReadsAreHalfASecondApart) {
  put(1);
  reads.failed(*ask({0}), forbidden, now);
  const auto list = ask({0});
  ASSERT_TRUE(list->in_one_list);
  reads.read(*list, {}, now);
  EXPECT_FALSE(ask({0}));
  EXPECT_EQ(reads.next(), now + 500ms);
  now += 500ms;
  EXPECT_TRUE(ask({0}));
}

TEST_F(LeaseReadsTest, TheMoreLeasesThereAreTheFurtherAreTheseListsApartUpToThreeSeconds) {
  put(1);
  reads.failed(*ask({0}), forbidden, now);
  const auto pause_after = [&](std::size_t count) {
    const auto list = ask({0});
    reads.read(*list, std::vector<api::NodeLease>(count), now);
    EXPECT_FALSE(ask({0}));
    const Duration pause = reads.next().value() - now;
    now += pause;
    return pause;
  };
  EXPECT_EQ(pause_after(1'250), 500ms);
  EXPECT_EQ(pause_after(5'000), 2s);
  EXPECT_EQ(pause_after(100'000), 3s);
}

TEST_F(LeaseReadsTest, ListsThatWereForbiddenAreTriedAgainAfterAMinute) {
  put(9);
  const auto list = ask_first(9);
  ASSERT_TRUE(list->in_one_list);
  reads.failed(*list, forbidden, now);
  now += 1min - 1ns;
  const auto singles = ask_first(9);
  EXPECT_FALSE(singles->in_one_list);
  reads.failed(*singles, unavailable, now);
  now += 1ns;
  EXPECT_TRUE(ask_first(9)->in_one_list);
}

TEST_F(LeaseReadsTest, FormThatIsToWaitForMoreThanTwoSecondsIsAsGoodAsForbidden) {
  put(1);
  fail(0, {.fault = Fault::Throttled, .retry_after = 2s});
  const auto still = ask({0});
  EXPECT_FALSE(still->in_one_list);
  reads.failed(*still, {.fault = Fault::Throttled, .retry_after = 2s + 1ns}, now);
  EXPECT_TRUE(ask({0}).value().in_one_list);
}

/// One that cannot be read says nothing of the others, three do.
TEST_F(LeaseReadsTest, SingleReadsThatFailForThreeLeasesAreGivenUpForLists) {
  put(4);
  for (const std::size_t at : {0U, 0U, 0U, 1U}) fail(at, unavailable);
  EXPECT_FALSE(ask({2}).value().in_one_list);
  reads.failed({.nodes = {name(2)}}, unavailable, now);
  EXPECT_EQ(reads.unread().leases, 3U);
  fail(0, unavailable);
  EXPECT_TRUE(ask({3}).value().in_one_list);
}

TEST_F(LeaseReadsTest, LeaseThatCannotBeReadWaitsLongerEachTimeUpToTenSeconds) {
  put(1);
  for (const Duration wait : {1s, 2s, 4s, 8s, 10s, 10s}) {
    EXPECT_EQ(fail(0, unavailable), now + wait);
    EXPECT_EQ(reads.retry_at(slot(0), now + wait - 1ns), now + wait);
    EXPECT_EQ(reads.retry_at(slot(0), now + wait), std::nullopt);
  }
}

TEST_F(LeaseReadsTest, WhereTheOtherFormIsFreeItIsTriedWithinASecond) {
  put(1);
  EXPECT_EQ(fail(0, unavailable), now + 1s);
  EXPECT_EQ(fail(0, forbidden), now + 1s) << "lists are free";
  now += 1min;
  ASSERT_FALSE(ask({0}).value().in_one_list);
  const ReadLeases one{.nodes = {name(0)}};
  EXPECT_EQ(reads.failed(one, unavailable, now), now + 4s) << "it is not given up yet";
  const auto forbid_lists = [this] {
    EXPECT_TRUE(ask({0}));
    return reads.failed({.nodes = {name(0)}, .in_one_list = true}, forbidden, now);
  };
  EXPECT_EQ(forbid_lists(), now + 1s) << "the bar of single reads has just ended";
}

TEST_F(LeaseReadsTest, OfThoseThatFailedTogetherTheFirstToBeReadAgainIsTold) {
  put(2);
  fail(0, unavailable);
  const auto both = ask_first(2);
  EXPECT_EQ(reads.failed(*both, unavailable, now), now + 1s);
  EXPECT_EQ(reads.retry_at(slot(0), now), now + 2s);
  EXPECT_EQ(reads.retry_at(slot(1), now), now + 1s);
}

TEST_F(LeaseReadsTest, WhereNoneCouldBeReadAllAreReadAgainAsSoonAsOneIs) {
  put(2);
  fail(0, unavailable);
  EXPECT_TRUE(reads.unread().all);
  find(1);
  EXPECT_EQ(reads.unread().leases, 1U);
  EXPECT_EQ(reads.retry_at(slot(0), now), std::nullopt);
  fail(0, unavailable);
  find(1);
  EXPECT_EQ(reads.retry_at(slot(0), now), now + 2s) << "others can be read, this one cannot";
  find(0);
  EXPECT_EQ(reads.unread().leases, 0U);
}

TEST_F(LeaseReadsTest, WhoeverIsForgottenCountsForNothing) {
  put(2);
  fail(0, unavailable);
  reads.confirm(slot(0), {.asked = now}, now);
  reads.forget(slot(0));
  EXPECT_EQ(reads.unread().leases, 0U);
  EXPECT_FALSE(reads.is_confirmed(slot(0), now));
}

TEST_F(LeaseReadsTest, ReadIsGoodForTenSeconds) {
  put(1);
  reads.confirm(slot(0), {.asked = now}, now);
  EXPECT_EQ(reads.confirmed_until(slot(0), now + 10s), now + 10s);
  EXPECT_EQ(reads.confirmed_until(slot(0), now + 10s + 1ns), std::nullopt);
}

}  // namespace
}  // namespace nlc::controller
