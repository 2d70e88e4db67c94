#include "tests/controller/server/listed_server.h"

/// Whether the server's lists of leases are of another time than its writes.
namespace nlc::controller {
namespace {

using namespace testing;

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
