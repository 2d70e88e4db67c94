#include "tests/election/election_world.h"

/// A restore may erase a claim before others have read it (docs/decisions/0032).
namespace nlc::election::testing {
namespace {

constexpr Duration period = 2s;
constexpr Duration short_validity = period - 20ms - 100ms;
/// Two polls of 1.7 periods and a third of the deadline, by clocks of other rates.
constexpr Duration read_by_all = (6800ms + Duration{10s} / 3) * 101 / 100 + 100ms;

TEST(UnreadClaim, OfALockWhoseHolderWasSilentOpensNothing) {
  Candidate baz;
  baz.take_over();

  EXPECT_TRUE(baz.machine.holds());
  EXPECT_FALSE(baz.leads());
  EXPECT_EQ(baz.wait(), period);
  EXPECT_TRUE(baz.would<ReadLock>()) << "it may be lost already";
}

/// kubectl can do that, and says nothing to the holder; who releases a lock writes one second.
TEST(UnreadClaim, OfALockWhoseHolderSomebodyErasedOpensNothing) {
  Candidate baz;
  LockRecord erased = lease("", "10");
  erased.duration_seconds = 15;
  baz.reads(erased);
  baz.writes("11");
  EXPECT_FALSE(baz.leads());
  baz.wait();
  baz.reads(baz.mine("11"));
  baz.writes("12");
  EXPECT_TRUE(baz.leads());
}

TEST(UnreadClaim, IsLedByOnceItWasRenewedAPeriodLater) {
  Candidate baz;
  baz.take_over();
  baz.wait();
  baz.reads(baz.mine("11"));
  baz.writes("12");

  EXPECT_TRUE(baz.leads());
  EXPECT_EQ(baz.machine.valid_until(), baz.now + short_validity)
      << "whoever takes what a restore brings back leads a period after that";
}

TEST(UnreadClaim, ThatARestoreErasedIsNeverLedBy) {
  Candidate baz;
  baz.take_over();
  baz.wait();
  baz.reads(lease("bing", "10"));

  EXPECT_FALSE(baz.leads());
  EXPECT_TRUE(baz.would<Pause>());
  EXPECT_EQ(baz.machine.rewinds(), 1U);
}

TEST(UnreadClaim, IsRenewedTwiceAsOftenUntilAllMustHaveReadItAndLastsForTheLeaseFromThenOn) {
  Candidate baz;
  baz.take_over();
  const Instant claimed = baz.now;
  baz.wait();
  baz.reads(baz.mine("11"));
  int version = 12;
  for (baz.writes("12"); baz.now - claimed < read_by_all; baz.writes(std::to_string(++version))) {
    EXPECT_EQ(baz.machine.valid_until(), baz.now + short_validity);
    EXPECT_EQ(baz.wait(), short_validity / 2);
    EXPECT_TRUE(baz.would<WriteLock>());
  }

  EXPECT_EQ(baz.machine.valid_until(), baz.now + validity);
  EXPECT_EQ(baz.wait(), period);
}

TEST(UnreadClaim, WhoseAnswersAreLateStaysShutUntilAllMustHaveReadIt) {
  Candidate baz;
  baz.take_over();
  const Instant claimed = baz.now;
  int version = 11;
  bool proven = false;
  while (!proven) {
    baz.wait();
    baz.reads(baz.mine(std::to_string(version)));
    proven = baz.now - claimed >= read_by_all;
    baz.writes(std::to_string(++version), 600ms);
    EXPECT_EQ(baz.leads(), proven) << "it would open and close in turn";
  }
}

TEST(UnreadClaim, IsGivenBackByWhoStops) {
  Candidate baz;
  baz.take_over();
  baz.stop();
  baz.reads(baz.mine("11"));

  EXPECT_EQ(baz.wants<WriteLock>().record.holder, "");
}

TEST(UnreadClaim, OfOnesOwnLockThatLapsedOpensNothing) {
  Candidate baz;
  baz.become_leader();
  while (baz.leads()) {
    baz.now += 3s;
    baz.looks();
    baz.reads(baz.mine("11"));
    baz.write_fails(Fault::Forbidden);
  }
  baz.looks();
  baz.reads(baz.mine("11"));
  baz.writes("12");

  EXPECT_FALSE(baz.leads());
}

/// A leadership may have come, grown to its full length and been erased meanwhile.
TEST(OutOfTouch, NothingIsTakenForALease) {
  for (const char* holder : {"", "bing"}) {
    Candidate baz;
    baz.reads(lease("bing", "9"));
    baz.looks();
    baz.reads(lease(holder, "10"));
    if (*holder == '\0') baz.write_fails(Fault::Unavailable);
    baz.now += 1h;
    baz.looks();
    baz.reads(lease(holder, "10"));
    EXPECT_TRUE(baz.would<Pause>()) << holder;
    EXPECT_FALSE(baz.machine.waits_out_a_rewind(baz.now)) << "nobody saw the server go back";

    baz.finds_until(start + 1h + 15s, lease(holder, "10"));
    EXPECT_TRUE(baz.would<Pause>()) << holder;
    baz.now += 1ns;
    baz.looks();
    baz.reads(lease(holder, "10"));
    EXPECT_TRUE(baz.would<WriteLock>()) << holder;
  }
}

TEST(OutOfTouch, OnesOwnLockThatLapsedMeanwhileIsNotTakenUpForALease) {
  Candidate baz;
  baz.become_leader();
  baz.now += 1h;
  baz.looks();
  baz.reads(baz.mine("11"));
  EXPECT_TRUE(baz.would<Pause>());

  baz.polls_until(start + 1h + 15s + 1ns, baz.mine("11"));
  baz.looks();
  baz.reads(baz.mine("11"));
  EXPECT_TRUE(baz.would<WriteLock>());
  EXPECT_EQ(baz.record().transitions, 4) << "the leadership is the same";
}

TEST(OutOfTouch, IsNobodyWhoseLeadershipStillLasts) {
  Candidate baz;
  baz.become_leader();
  baz.now += 14s;
  baz.looks();
  baz.reads(baz.mine("11"));

  EXPECT_TRUE(baz.would<WriteLock>());
  baz.writes("12");
  EXPECT_EQ(baz.machine.valid_until(), baz.now + validity);
}

TEST(OutOfTouch, IsNobodyWhoseWritesWereAnswered) {
  Candidate baz;
  baz.become_leader();
  for (int version = 12; baz.now < start + 1min; ++version) {
    baz.wait();
    baz.writes(std::to_string(version));
  }
  baz.wait();
  baz.next = baz.machine.on_written(lease("qux", "99"), baz.now, baz.now);
  baz.wait();
  baz.reads(lease("", "100"));

  EXPECT_TRUE(baz.would<WriteLock>());
}

TEST(OutOfTouch, IsNobodyWhoPollsWhereEveryAnswerIsAsLateAsItMayBe) {
  for (std::uint64_t seed = 0; seed < 50; ++seed) {
    Candidate baz({.identity = "baz"}, seed);
    for (Instant began = baz.now; !baz.would<WriteLock>(); began = baz.now) {
      baz.now += 10s / 3;
      baz.reads(lease("bing", "10"));
      if (!baz.would<WriteLock>()) baz.wait();
      ASSERT_LT(baz.now, start + 30s) << seed;
    }
  }
}

/// a leads and is cut off; b takes over, is cut off too, and what it wrote is erased; a or c is
/// back in the same moment.
TEST(OutOfTouch, WhoComesBackWithARestoredLockLeadsAfterTheOneWhoseClaimItErased) {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    ElectionWorld world;
    Contender a(world, "a", seed);
    world.time.run_for(5s);
    Contender b(world, "b", seed + 100);
    Contender c(world, "c", seed + 200);
    world.time.run_for(5s);
    c.link.set_link(Link::Silent);
    a.link.set_link(Link::Silent);
    world.time.run_for(4s);
    const sim::Storage::Snapshot backup = world.server.backup();
    world.time.run_for(17s + seed * 500ms);
    bool two = false;
    const auto look = [&] { two = two || a.may_write() + b.may_write() + c.may_write() > 1; };
    b.link.set_link(Link::Silent);
    world.server.restore(backup, backup.version);
    a.link.set_link(Link::Up);
    c.link.set_link(Link::Up);
    world.watch_for(40s, 10ms, look);

    EXPECT_FALSE(two) << "seed " << seed;
    EXPECT_TRUE(a.may_write() || c.may_write());
  }
}

}  // namespace
}  // namespace nlc::election::testing
