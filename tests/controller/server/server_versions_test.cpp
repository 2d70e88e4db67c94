#include "controller/server/server_versions.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;
using Evidence = ServerVersions::Evidence;
using Recovery = ServerVersions::Recovery;
using Ours = ServerVersions::Ours;
using ToList = ServerVersions::ToList;
using Lists = ServerVersions::Lists;

constexpr Lists listed_once{.nodes = 1, .leases = 1, .pods = 1};
constexpr Lists second_lists{.nodes = 2, .leases = 2, .pods = 2};
constexpr Lists third{.nodes = 3, .leases = 3, .pods = 3};
constexpr Lists fourth{.nodes = 4, .leases = 4, .pods = 4};
constexpr Lists fifth{.nodes = 5, .leases = 5, .pods = 5};

/// That takes no time.
bool renew_lock(ServerVersions& versions, std::string_view version, Instant now,
                std::uint64_t views = 0) {
  return versions.lease_written(Ours::Lock, version, views, now, now);
}

// --- a server that went back --------------------------------------------------------------------

TEST(ServerVersions, ServerThatNeverWentBackIsBelieved) {
  ServerVersions versions;
  EXPECT_EQ(versions.follow(listed_once, start), Recovery::None);
  EXPECT_FALSE(versions.doubtful(start));
  EXPECT_EQ(versions.how(), "");
}

TEST(ServerVersions, ViewIsOldUntilAllCollectionsHaveBeenListed) {
  ServerVersions versions;
  EXPECT_TRUE(versions.went_back("older", Evidence::List, listed_once));
  EXPECT_TRUE(versions.view_is_old());
  for (const Lists& some :
       {Lists{.nodes = 1, .leases = 2, .pods = 2}, Lists{.nodes = 2, .leases = 1, .pods = 2},
        Lists{.nodes = 2, .leases = 2, .pods = 1}}) {
    EXPECT_EQ(versions.follow(some, start), Recovery::None);
  }
  EXPECT_TRUE(versions.view_is_old());
  EXPECT_EQ(versions.follow(second_lists, start), Recovery::Listed);
  EXPECT_FALSE(versions.view_is_old());
  EXPECT_EQ(versions.how(), "older");
}

TEST(ServerVersions, LeasesThatNobodyWatchesAreNotAwaited) {
  ServerVersions versions;
  EXPECT_TRUE(versions.went_back("older", Evidence::List, {.nodes = 1, .pods = 1}));
  EXPECT_EQ(versions.follow({.nodes = 2, .pods = 2}, start), Recovery::Listed);
}

TEST(ServerVersions, RestoredServerIsDoubtedUntilKubeletsHaveSpoken) {
  ServerVersions versions;
  versions.went_back("older", Evidence::List, listed_once);
  EXPECT_EQ(versions.settles_at(), std::nullopt);
  versions.follow(second_lists, start);
  EXPECT_EQ(versions.settles_at(), start + 15s);
  EXPECT_EQ(versions.follow(second_lists, start + 15s - 1ns), Recovery::None);
  EXPECT_TRUE(versions.doubtful(start + 15s - 1ns));
  EXPECT_EQ(versions.follow(second_lists, start + 15s), Recovery::Settled);
  EXPECT_FALSE(versions.doubtful(start + 15s));
}

/// Twice, for a view is held against the write after the one that it was seen at.
void renew_beside_views_at(ServerVersions& versions, std::uint64_t views, const char* version,
                           const char* next, Instant now) {
  renew_lock(versions, version, now, views);
  renew_lock(versions, next, now + 2s, views);
}

TEST(ServerVersions, WhereViewsWereAheadOfWritesAllIsListedEverMoreRarelyForHalfAnHour) {
  ServerVersions versions;
  versions.went_back("older", Evidence::Write, listed_once);
  versions.follow(second_lists, start);
  Instant look = start + 15s;
  for (const Duration gap : {30s, 60s, 120s, 240s, 480s, 960s}) {
    EXPECT_EQ(versions.follow(second_lists, look), Recovery::Settled);
    if (gap == 30s) renew_beside_views_at(versions, 500, "100", "101", look);
    look += gap;
    EXPECT_EQ(versions.follow(second_lists, look - 1ns), Recovery::None);
  }
  EXPECT_EQ(versions.follow(second_lists, look), Recovery::Settled);
  EXPECT_EQ(versions.follow(second_lists, look + 24h), Recovery::None) << "caches follow by then";
  EXPECT_FALSE(versions.doubtful(look));
}

TEST(ServerVersions, WhereViewsAreNotAheadNothingIsListedAgainWhenNodesHaveSettled) {
  ServerVersions versions;
  renew_lock(versions, "501", start, 500);
  versions.went_back("older", Evidence::Write, listed_once);
  versions.follow(second_lists, start);
  EXPECT_EQ(versions.follow(second_lists, start + 15s), Recovery::Settled);
  renew_beside_views_at(versions, 100, "101", "102", start + 16s);
  EXPECT_EQ(versions.follow(second_lists, start + 45s), Recovery::None);
  renew_beside_views_at(versions, 500, "103", "104", start + 46s);
  EXPECT_EQ(versions.follow(second_lists, start + 24h), Recovery::None) << "the look is over";
}

/// 15 s after the start.
ServerVersions settled_with_views_ahead() {
  ServerVersions versions;
  versions.went_back("older", Evidence::Write, listed_once);
  versions.follow(second_lists, start);
  versions.compare_views(100, 101);
  versions.follow(second_lists, start + 15s);
  return versions;
}

TEST(ServerVersions, ViewsThatWereAheadWhileNodesSettledAreListedAgainToo) {
  ServerVersions versions = settled_with_views_ahead();
  EXPECT_EQ(versions.follow(second_lists, start + 45s), Recovery::Settled);
}

TEST(ServerVersions, ViewsThatWereAheadBeforeAWriteShowedAnotherRestoreAreListedAgainToo) {
  for (const Duration again : {10s, 20s}) {  // before they have settled, and before the next look
    ServerVersions versions = settled_with_views_ahead();
    versions.went_back("older", Evidence::Write, second_lists);
    versions.follow(third, start + again);
    EXPECT_EQ(versions.follow(third, start + again + 15s), Recovery::Settled);
    EXPECT_EQ(versions.follow(third, start + again + 45s), Recovery::Settled);
  }
}

TEST(ServerVersions, ListsBearOutWhatAReadHadShownAndAreFollowedByTheFirstOfTheseSoon) {
  ServerVersions versions;
  versions.went_back("a read", Evidence::Read, listed_once);
  versions.follow(second_lists, start);
  versions.went_back("a list", Evidence::List, second_lists);
  versions.follow(third, start);
  versions.compare_views(100, 101);
  EXPECT_EQ(versions.follow(third, start + 15s), Recovery::Settled);
  EXPECT_EQ(versions.follow(third, start + 45s), Recovery::Settled);
}

TEST(ServerVersions, WriteThatBearsOutWhatAReadHadShownIsHeldAgainstWhatWasListedSince) {
  for (const Duration sent : {Duration{1s}, Duration{-1}}) {
    ServerVersions versions;
    versions.lease_written(Ours::Lock, "360", 0, start, start);
    versions.went_back("a read", Evidence::Read, listed_once);
    versions.follow(second_lists, start);
    versions.view_renewed(363, start);
    EXPECT_TRUE(versions.lease_written(Ours::Lock, "358", 363, start + sent, start + 1s));
    versions.went_back("a write", Evidence::Write, second_lists);
    versions.follow(third, start + 1s);
    versions.view_renewed(363, start + 1s);
    versions.lease_written(Ours::Lock, "364", 364, start + 2s, start + 2s);
    EXPECT_EQ(versions.follow(third, start + 16s), Recovery::Settled);
    const bool was_ahead = versions.follow(third, start + 46s) == Recovery::Settled;
    EXPECT_EQ(was_ahead, sent > Duration{0}) << "it was sent before all was listed";
  }
}

/// One of several servers may be late, and each list find the other one.
TEST(ServerVersions, ListsThatAreAskedForHereAndGoBackCallForNone) {
  ServerVersions versions = settled_with_views_ahead();
  EXPECT_EQ(versions.follow(third, start + 16s), Recovery::None) << "these had come";
  EXPECT_EQ(versions.follow(third, start + 45s), Recovery::Settled);
  versions.went_back("a list", Evidence::List, fourth);
  versions.follow(fifth, start + 45s);
  EXPECT_EQ(versions.follow(fifth, start + 60s), Recovery::SettledBetweenLists);
  EXPECT_EQ(versions.follow(fifth, start + 105s - 1ns), Recovery::None);
  EXPECT_EQ(versions.follow(fifth, start + 105s), Recovery::Settled);
}

TEST(ServerVersions, ListsThatGoBackLaterAreFollowedByOthersSoon) {
  ServerVersions versions = settled_with_views_ahead();
  versions.follow(third, start + 45s);
  EXPECT_EQ(versions.follow(fourth, start + 46s), Recovery::None) << "these had come";
  versions.went_back("a list", Evidence::List, fourth);
  versions.follow(fifth, start + 50s);
  EXPECT_EQ(versions.follow(fifth, start + 65s), Recovery::Settled);
  EXPECT_EQ(versions.follow(fifth, start + 95s), Recovery::Settled);
}

TEST(ServerVersions, ViewThatIsToBeListedAnewIsOld) {
  ServerVersions versions;
  EXPECT_FALSE(versions.is_view_old(Watched::Nodes, listed_once));
  versions.went_back("older", Evidence::Write, listed_once);
  const Lists nodes{.nodes = 2, .leases = 1, .pods = 1};
  EXPECT_FALSE(versions.is_view_old(Watched::Nodes, nodes));
  EXPECT_TRUE(versions.is_view_old(Watched::Pods, nodes));
  versions.follow(second_lists, start);
  EXPECT_FALSE(versions.is_view_old(Watched::Pods, second_lists));
}

TEST(ServerVersions, ObjectThatIsReadAsBeforeAlsoWhenAllHasBeenListedShowsThatListsAreLate) {
  ServerVersions versions;
  EXPECT_EQ(versions.read_of_the_past("Node n, 40 and 70", listed_once, start), ToList::All);
  EXPECT_EQ(versions.read_of_the_past("Node m, 41 and 71", listed_once, start), ToList::Nothing)
      << "lists are under way";
  versions.follow(second_lists, start);
  const auto read = [&](const char* how, Duration after) {
    return versions.read_of_the_past(how, second_lists, start + after);
  };
  EXPECT_EQ(read("Node m, 41 and 71", 0s), ToList::ItsCollection);
  EXPECT_EQ(read("Node k, 42 and 72", 1s), ToList::Nothing);
  EXPECT_EQ(read("Node k, 42 and 72", 60s - 1ns), ToList::Nothing);
  EXPECT_EQ(read("Node j, 43 and 73", 60s), ToList::ItsCollection) << "they may follow some day";
  EXPECT_FALSE(versions.doubtful(start + 60s));
  versions.went_back("a write", Evidence::Write, second_lists);
  versions.follow(third, start + 60s);
  EXPECT_EQ(versions.read_of_the_past("Node n, 40 and 70", third, start + 61s), ToList::All);
}

TEST(ServerVersions, ObjectThatWasSeenInANewerVersionSinceAndIsReadAsBeforeIsNews) {
  ServerVersions versions;
  versions.read_of_the_past("Node n, 40 and 70", listed_once, start);
  versions.follow(second_lists, start);
  EXPECT_EQ(versions.read_of_the_past("Node n, 40 and 71", second_lists, start), ToList::All);
}

TEST(ServerVersions, AThousandReadsOfThePastAreOfALateServer) {
  ServerVersions versions;
  ServerVersions::Lists lists = listed_once;
  for (int i = 0; i < 1000; ++i) {
    const std::string how = "Node n, " + std::to_string(i) + " and 4000";
    EXPECT_EQ(versions.read_of_the_past(how, lists, start), ToList::All) << how;
    lists = {.nodes = lists.nodes + 1, .leases = lists.leases + 1, .pods = lists.pods + 1};
    versions.follow(lists, start);
  }
  EXPECT_EQ(versions.read_of_the_past("Node n, 1000 and 4000", lists, start),
            ToList::ItsCollection);
}

TEST(ServerVersions, WhatNoListBearsOutIsOverWithTheList) {
  ServerVersions versions;
  versions.went_back("a read", Evidence::Read, listed_once);
  EXPECT_EQ(versions.follow(second_lists, start), Recovery::Listed);
  EXPECT_FALSE(versions.doubtful(start));
}

TEST(ServerVersions, WhatNoListBearsOutIsLookedAtOnceMoreWhenItWouldHaveSettled) {
  ServerVersions versions;
  versions.went_back("a read", Evidence::Read, listed_once);
  versions.follow(second_lists, start);
  EXPECT_EQ(versions.follow(second_lists, start + 15s - 1ns), Recovery::None);
  EXPECT_EQ(versions.follow(second_lists, start + 15s), Recovery::Settled);
  EXPECT_EQ(versions.follow(second_lists, start + 30s), Recovery::None) << "once";
}

TEST(ServerVersions, ListsThatAreUnderWayAreNotBegunAgain) {
  ServerVersions versions;
  EXPECT_TRUE(versions.went_back("a read", Evidence::Read, listed_once));
  EXPECT_FALSE(versions.went_back("a list", Evidence::List, listed_once))
      << "but it bears out the read";
  versions.follow(second_lists, start);
  EXPECT_EQ(versions.settles_at(), start + 15s);
}

TEST(ServerVersions, ServerThatWentBackAgainWhenSomeListsHadBeenReadIsListedOnceMore) {
  ServerVersions versions;
  versions.went_back("a write", Evidence::Write, listed_once);
  EXPECT_FALSE(versions.went_back("a read", Evidence::Read, {.nodes = 2, .leases = 1, .pods = 2}));
  EXPECT_EQ(versions.follow(second_lists, start), Recovery::Again);
  EXPECT_TRUE(versions.view_is_old());
  EXPECT_EQ(versions.follow({.nodes = 3, .leases = 2, .pods = 3}, start), Recovery::None);
  EXPECT_EQ(versions.follow(third, start), Recovery::Listed);
}

TEST(ServerVersions, AReadThatShowsItBeforeAnyListHasBeenReadCallsForNoOther) {
  ServerVersions versions;
  versions.went_back("a write", Evidence::Write, listed_once);
  versions.went_back("a read", Evidence::Read, listed_once);
  EXPECT_EQ(versions.follow(second_lists, start), Recovery::Listed);
}

TEST(ServerVersions, ServerThatWentBackAgainIsListedOnceMoreWhicheverListHadBeenRead) {
  for (const Lists& some :
       {Lists{.nodes = 2, .leases = 1, .pods = 1}, Lists{.nodes = 1, .leases = 2, .pods = 1},
        Lists{.nodes = 1, .leases = 1, .pods = 2}}) {
    ServerVersions versions;
    versions.went_back("a write", Evidence::Write, listed_once);
    versions.went_back("a read", Evidence::Read, some);
    versions.went_back("a list", Evidence::List, some);
    EXPECT_EQ(versions.follow(second_lists, start), Recovery::Again);
  }
}

TEST(ServerVersions, ListsThatAreReadForARewindAndShowItAreNotReadAgain) {
  ServerVersions versions;
  versions.went_back("a write", Evidence::Write, listed_once);
  versions.went_back("a list", Evidence::List, {.nodes = 2, .leases = 1, .pods = 1});
  EXPECT_EQ(versions.follow(second_lists, start), Recovery::Listed);
}

TEST(ServerVersions, AReadThatProvesNothingDoesNotCutTheTimeToSettle) {
  ServerVersions versions;
  versions.went_back("a list", Evidence::List, listed_once);
  versions.follow(second_lists, start);
  EXPECT_TRUE(versions.went_back("a read", Evidence::Read, second_lists));
  EXPECT_EQ(versions.follow(third, start + 5s), Recovery::Listed);
  EXPECT_TRUE(versions.doubtful(start + 5s));
  EXPECT_EQ(versions.settles_at(), start + 15s) << "nor does it make it longer";
}

// --- lists of another time ----------------------------------------------------------------------

TEST(ServerVersions, ListThatIsOlderThanOurWriteBeforeItIsDoubted) {
  ServerVersions versions;
  renew_lock(versions, "100", start);
  EXPECT_EQ(versions.expected_of_lists(start), 100U);
  EXPECT_FALSE(versions.leases_listed("100", 100, start));
  EXPECT_TRUE(versions.leases_listed("99", 100, start));
  renew_lock(versions, "101", start);
  EXPECT_TRUE(versions.doubtful(start + 10s)) << "a write dates no list";
  EXPECT_FALSE(versions.leases_listed("101", 100, start + 1s));
  EXPECT_FALSE(versions.doubtful(start + 1s));
}

TEST(ServerVersions, AListThatIsOlderThanAWriteAwaitsOneThatIsSentAfterIt) {
  ServerVersions versions;
  versions.lease_written(Ours::Lock, "100", 0, start, start);
  versions.leases_listed("99", 100, start + 2s);
  EXPECT_TRUE(versions.awaits_write(start + 2s));
  EXPECT_FALSE(versions.awaits_write(start + 1min + 1ns)) << "nobody may take one";
  versions.leases_listed("100", 100, start + 3s);
  EXPECT_TRUE(versions.awaits_write(start + 3s)) << "it may have come as far again";
  versions.lease_written(Ours::Lock, "101", 0, start + 1s, start + 3s);
  EXPECT_TRUE(versions.awaits_write(start + 3s)) << "that was on its way";
  versions.lease_written(Ours::Lock, "102", 0, start + 4s, start + 4s);
  EXPECT_FALSE(versions.awaits_write(start + 4s));
}

TEST(ServerVersions, DoubtEndsWhereNoListIsAnsweredAnyMore) {
  ServerVersions versions;
  versions.leases_listed("99", 100, start);
  EXPECT_FALSE(versions.doubtful(start + 10s + 1ns));
}

TEST(ServerVersions, ServerWhoseWritesAreOlderAfterARestoreIsHeldToThoseOnly) {
  ServerVersions versions;
  renew_lock(versions, "100", start);
  renew_lock(versions, "40", start + 2s);
  EXPECT_FALSE(versions.leases_listed("41", versions.expected_of_lists(start + 2s), start + 2s));
}

TEST(ServerVersions, WriteThatIsOlderThanTheOneBeforeShowsThatTheServerWentBack) {
  ServerVersions versions;
  EXPECT_FALSE(renew_lock(versions, "100", start));
  EXPECT_FALSE(renew_lock(versions, "102", start + 2s));
  EXPECT_FALSE(renew_lock(versions, "", start + 4s));
  EXPECT_FALSE(renew_lock(versions, "102", start + 6s));
  EXPECT_TRUE(renew_lock(versions, "40", start + 8s));
  versions.went_back("a write", Evidence::Write, listed_once);
  versions.follow(second_lists, start + 8s);
  EXPECT_EQ(versions.settles_at(), start + 23s);
}

TEST(ServerVersions, LockAndProbeThatAreOnTheirWayTogetherMayBeAcknowledgedInEitherOrder) {
  ServerVersions versions;
  EXPECT_FALSE(versions.lease_written(Ours::Lock, "101", 0, start, start + 2s));
  EXPECT_FALSE(versions.lease_written(Ours::Probe, "100", 0, start + 1s, start + 3s));
  EXPECT_EQ(versions.expected_of_lists(start + 3s), 101U) << "the newer one counts";
  EXPECT_TRUE(versions.lease_written(Ours::Probe, "99", 0, start + 1s, start + 4s))
      << "it is older than the probe before it";
  EXPECT_TRUE(versions.lease_written(Ours::Probe, "98", 0, start + 5s, start + 6s))
      << "it was sent after the lock was acknowledged";
}

/// Answers to two of the lock were lost while the probe was on its way.
TEST(ServerVersions, AProbeThatWasAcknowledgedWhileTheLockWasOnItsWayIsNotBeforeIt) {
  ServerVersions versions;
  EXPECT_FALSE(versions.lease_written(Ours::Lock, "100", 0, start, start + 1s));
  EXPECT_FALSE(versions.lease_written(Ours::Probe, "102", 0, start, start + 6s));
  EXPECT_FALSE(versions.lease_written(Ours::Lock, "101", 0, start + 5s, start + 7s));
  EXPECT_EQ(versions.expected_of_lists(start + 7s), 102U) << "the newer one counts";
  EXPECT_TRUE(versions.lease_written(Ours::Lock, "101", 0, start + 7s, start + 8s))
      << "it was sent after the probe was acknowledged";
}

TEST(ServerVersions, WriteOfLongAgoExpectsNothing) {
  ServerVersions versions;
  renew_lock(versions, "100", start);
  EXPECT_EQ(versions.expected_of_lists(start + 60s), 100U);
  EXPECT_EQ(versions.expected_of_lists(start + 60s + 1ns), 0U);
}

TEST(ServerVersions, ListThatShowsOurLastWriteIsNotAheadOfIt) {
  ServerVersions versions;
  versions.leases_listed("150", 0, start);
  renew_lock(versions, "150", start + 1s);
  renew_lock(versions, "150", start + 3s);
  EXPECT_FALSE(versions.doubtful(start + 3s));
}

TEST(ServerVersions, VersionsThatAreNoNumbersTellNothing) {
  ServerVersions versions;
  renew_lock(versions, "one", start);
  EXPECT_FALSE(versions.leases_listed("two", versions.expected_of_lists(start), start));
  renew_lock(versions, "100", start);
  EXPECT_FALSE(versions.leases_listed("two", versions.expected_of_lists(start), start));
}

TEST(ServerVersions, ListsThatAreAheadOfLaterWritesAreDoubtedUntilAWriteBearsOneOut) {
  ServerVersions versions;
  versions.leases_listed("290", 0, start);
  renew_lock(versions, "150", start + 1s);
  EXPECT_FALSE(versions.doubtful(start + 1s)) << "it may have been sent before the list came";
  renew_lock(versions, "151", start + 3s);
  EXPECT_TRUE(versions.doubtful(start + 3s));
  EXPECT_TRUE(versions.leases_listed("290", 151, start + 4s));
  EXPECT_TRUE(versions.leases_listed("152", 151, start + 5s)) << "not borne out yet";
  renew_lock(versions, "153", start + 5s);
  EXPECT_TRUE(versions.doubtful(start + 5s)) << "of a write that was sent before that list came?";
  renew_lock(versions, "154", start + 7s);
  EXPECT_TRUE(versions.doubtful(start + 7s)) << "a write dates no list";
  EXPECT_FALSE(versions.leases_listed("154", 154, start + 8s));
}

TEST(ServerVersions, ListThatStandsWhereOneWasAheadIsDoubtedAlsoWhenWritesComeToItsVersion) {
  ServerVersions versions;
  renew_lock(versions, "150", start);
  versions.leases_listed("290", 150, start + 1s);
  renew_lock(versions, "151", start + 2s);
  renew_lock(versions, "152", start + 4s);
  for (const char* version : {"289", "290", "291"}) {
    renew_lock(versions, version, start + 6s);
    EXPECT_TRUE(versions.leases_listed("290", versions.expected_of_lists(start + 6s), start + 7s));
  }
  EXPECT_FALSE(versions.leases_listed("292", 291, start + 8s));
}

TEST(ServerVersions, WhatWasListedWhileListsWereOfAnotherTimeIsListedOnceMore) {
  ServerVersions versions;
  versions.leases_listed("99", 100, start);
  EXPECT_EQ(versions.follow(listed_once, start), Recovery::None);
  EXPECT_EQ(versions.follow(second_lists, start + 1s), Recovery::None);
  versions.leases_listed("101", 100, start + 2s);
  EXPECT_EQ(versions.follow(second_lists, start + 2s), Recovery::Again);
  EXPECT_EQ(versions.follow(second_lists, start + 3s), Recovery::None) << "once";
  versions.leases_listed("100", 101, start + 4s);
  EXPECT_EQ(versions.follow(second_lists, start + 4s), Recovery::None);
  versions.leases_listed("102", 101, start + 5s);
  EXPECT_EQ(versions.follow(second_lists, start + 5s), Recovery::None) << "nothing was listed";
}

TEST(ServerVersions, WhatWasListedForARewindBeforeListsWereKnownToBeOfAnotherTimeIsListedOnceMore) {
  ServerVersions versions;
  versions.went_back("older", Evidence::Write, listed_once);
  EXPECT_EQ(versions.follow(second_lists, start), Recovery::Listed);
  versions.leases_listed("99", 100, start);
  EXPECT_EQ(versions.follow(second_lists, start), Recovery::None);
  versions.leases_listed("101", 100, start + 2s);
  EXPECT_EQ(versions.follow(second_lists, start + 2s), Recovery::Again);
}

}  // namespace
}  // namespace nlc::controller
