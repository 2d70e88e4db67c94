#include "tests/controller/server/listed_server.h"

/// Whether the server went back in time. Whether its lists are of another time:
/// lists_of_another_time_test.cpp.
namespace nlc::controller {
namespace {

using namespace testing;

constexpr Lists third{.nodes = 3, .leases = 3, .pods = 3};
constexpr Lists fourth{.nodes = 4, .leases = 4, .pods = 4};
constexpr Lists fifth{.nodes = 5, .leases = 5, .pods = 5};

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

TEST(ServerVersions, WhenKubeletsHaveSpokenItsListsAreAwaitedOnceMoreForAsLongAgain) {
  for (const bool answered : {false, true}) {
    ServerVersions versions;
    versions.went_back("older", Evidence::List, listed_once);
    versions.follow(second_lists, start);
    ASSERT_EQ(versions.follow(second_lists, start + 15s), Recovery::Settled);
    versions.follow(answered ? third : second_lists, start + 16s);
    EXPECT_EQ(versions.awaits_lists_until(), answered ? Instant::min() : start + 30s);
  }
}

TEST(ServerVersions, ListsThatWereAskedForAndShowThatItWentBackCallForNoOthers) {
  ServerVersions versions;
  versions.went_back("older", Evidence::List, listed_once);
  versions.follow(second_lists, start);
  ASSERT_EQ(versions.follow(second_lists, start + 15s), Recovery::Settled);
  versions.went_back("older", Evidence::List, second_lists);
  versions.follow(third, start + 16s);
  EXPECT_EQ(versions.follow(third, start + 31s), Recovery::SettledBetweenLists)
      << "a late server shows that each time";
  EXPECT_LE(versions.awaits_lists_until(), start + 31s);
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

TEST(ServerVersions, WhereViewsAreNotAheadAllIsListedOnceMoreWhenNodesHaveSettledAndNotAgain) {
  ServerVersions versions;
  renew_lock(versions, "501", start, 500);
  versions.went_back("older", Evidence::Write, listed_once);
  versions.follow(second_lists, start);
  EXPECT_EQ(versions.follow(second_lists, start + 15s), Recovery::Settled);
  renew_beside_views_at(versions, 100, "101", "102", start + 16s);
  EXPECT_EQ(versions.follow(second_lists, start + 45s - 1ns), Recovery::None);
  EXPECT_EQ(versions.follow(second_lists, start + 45s), Recovery::Settled);
  EXPECT_EQ(versions.follow(third, start + 105s), Recovery::None);
  renew_beside_views_at(versions, 500, "103", "104", start + 106s);
  EXPECT_EQ(versions.follow(third, start + 24h), Recovery::None) << "the look is over";
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
    EXPECT_EQ(versions.follow(third, start + 46s), Recovery::Settled) << "at any rate";
    const bool was_ahead = versions.follow(third, start + 106s) == Recovery::Settled;
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

}  // namespace
}  // namespace nlc::controller
