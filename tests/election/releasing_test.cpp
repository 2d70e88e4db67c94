#include "tests/election/candidate.h"

namespace nlc::election::testing {
namespace {

TEST(Releasing, WritesAnEmptyHolderForOneSecondAndEndsTheLeadershipBeforeItIsSent) {
  Candidate baz;
  baz.become_leader();
  baz.now += 1s;

  baz.stop();

  EXPECT_FALSE(baz.leads());
  baz.reads(baz.mine("11"));
  const LockRecord record = baz.wants<WriteLock>().record;
  EXPECT_EQ(record.holder, "");
  EXPECT_EQ(record.duration_seconds, 1);
  EXPECT_EQ(record.transitions, 4);
  EXPECT_EQ(record.acquired, baz.wall());
  EXPECT_EQ(record.renewed, baz.wall());
  EXPECT_EQ(record.version, "11");
  EXPECT_EQ(record.uid, "u1");
  baz.writes("12");
  EXPECT_TRUE(baz.would<Finished>());
  EXPECT_EQ(baz.machine.holder(), "");
}

TEST(Releasing, KeepsWhatOthersWrote) {
  Candidate baz;
  LockRecord record = lease("", "10");
  record.strategy = "OldestEmulationVersion";
  record.preferred_holder = "qux";
  baz.reads(record);
  baz.writes("11");
  baz.stop();
  baz.reads(baz.mine("11"));

  EXPECT_EQ(baz.record().strategy, "OldestEmulationVersion");
  EXPECT_EQ(baz.record().preferred_holder, "qux");
}

TEST(Releasing, AConflictIsReadAndTriedAgainWhileTheHolderIsStillSelf) {
  Candidate baz;
  baz.become_leader();
  baz.stop();
  baz.reads(baz.mine("11"));
  for (int version = 12; version < 20; ++version) {
    baz.write_fails(Fault::Conflict);
    if (version % 2 == 1) {
      EXPECT_EQ(baz.wait(), 100ms) << "at once only after the first";
    }
    EXPECT_TRUE(baz.would<ReadLock>());
    baz.reads(baz.mine(std::to_string(version)));
    EXPECT_EQ(baz.wants<WriteLock>().record.version, std::to_string(version));
    EXPECT_EQ(baz.record().holder, "");
  }
  baz.writes("20");
  EXPECT_TRUE(baz.would<Finished>());
}

TEST(Releasing, ASuccessorIsNotBlanked) {
  Candidate baz;
  baz.become_leader();
  baz.stop();
  baz.reads(baz.mine("11"));
  baz.write_fails(Fault::Conflict);
  baz.reads(lease("qux", "12"));

  EXPECT_FALSE(baz.wants<Finished>().left_behind) << "it is another's";
}

TEST(Releasing, LooksFirstAndLeavesASuccessorAlone) {
  Candidate baz;
  baz.become_leader();
  baz.stop();
  EXPECT_TRUE(baz.would<ReadLock>());
  baz.reads(lease("qux", "12"));

  EXPECT_TRUE(baz.would<Finished>());
}

TEST(Releasing, NothingIsWrittenWhereTheLockCouldNotBeRead) {
  for (const Fault fault : {Fault::Timeout, Fault::Forbidden, Fault::Malformed}) {
    Candidate baz;
    baz.become_leader();
    baz.stop();
    baz.read_fails(fault);
    EXPECT_TRUE(baz.wants<Finished>().left_behind);
  }
}

TEST(Releasing, AReleaseThatIsRefusedOrNotAnsweredLeavesTheLockBehind) {
  for (const Fault fault : {Fault::Timeout, Fault::Forbidden, Fault::Unavailable}) {
    Candidate baz;
    baz.become_leader();
    baz.stop();
    baz.reads(baz.mine("11"));
    baz.write_fails(fault);
    EXPECT_TRUE(baz.wants<Finished>().left_behind);
  }
}

TEST(Releasing, ALeaseMadeAnewIsNotTouched) {
  Candidate baz;
  baz.become_leader();
  baz.stop();
  baz.reads(lease("baz", "12", "another"));

  EXPECT_TRUE(baz.would<Finished>());
}

TEST(Releasing, AVanishedLeaseIsNotMadeAnew) {
  Candidate writing;
  writing.become_leader();
  writing.stop();
  writing.reads(writing.mine("11"));
  writing.write_fails(Fault::NotFound);
  EXPECT_FALSE(writing.wants<Finished>().left_behind);

  Candidate reading;
  reading.become_leader();
  reading.stop();
  reading.read_fails(Fault::NotFound);
  EXPECT_FALSE(reading.wants<Finished>().left_behind);
}

TEST(Releasing, WhoDoesNotLeadSendsNothing) {
  Candidate fresh;
  fresh.stop();
  EXPECT_TRUE(fresh.would<Finished>());

  Candidate standby;
  standby.reads(lease("bing", "10"));
  standby.stop();
  EXPECT_TRUE(standby.would<Finished>());

  Candidate replaced;
  replaced.become_leader();
  EXPECT_TRUE(replaced.sees(lease("qux", "12")));
  replaced.stop();
  EXPECT_TRUE(replaced.would<Finished>());

  Candidate deposed;
  deposed.become_leader();
  deposed.wait();
  deposed.write_fails(Fault::Conflict);
  deposed.reads(lease("qux", "12"));
  deposed.stop();
  EXPECT_TRUE(deposed.would<Finished>());
}

TEST(Releasing, WorksAfterAFailedRenewal) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  baz.write_fails(Fault::Timeout, 3s);
  baz.stop();

  baz.reads(baz.mine("11"));
  EXPECT_EQ(baz.record().holder, "");
}

TEST(Releasing, WorksWhileARenewalIsOnItsWay) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  EXPECT_TRUE(baz.would<WriteLock>());

  baz.stop();
  baz.reads(baz.mine("12"));  // the renewal came first

  EXPECT_EQ(baz.record().holder, "");
  EXPECT_EQ(baz.record().version, "12");
  baz.writes("13");
  EXPECT_TRUE(baz.would<Finished>());
}

TEST(Releasing, AClaimThatIsOnItsWayIsAwaitedAndGivenBack) {
  for (const bool creating : {true, false}) {
    Candidate baz;
    if (creating) {
      baz.read_fails(Fault::NotFound);
    } else {
      baz.reads(lease("", "10"));
    }

    baz.stop();
    EXPECT_EQ(baz.record().holder, "baz") << "still the step in hand";
    baz.writes("11");
    EXPECT_FALSE(baz.leads());
    EXPECT_TRUE(baz.would<ReadLock>());
    baz.reads(baz.mine("11"));

    EXPECT_EQ(baz.wants<WriteLock>().record.holder, "");
    baz.writes("12");
    EXPECT_TRUE(baz.would<Finished>());
  }
}

TEST(Releasing, AClaimThatIsOnItsWayIsKnownByTheTimesThatTheServerKept) {
  Candidate baz;
  baz.wall_step = 500ms;
  baz.reads(lease("", "10"));
  LockRecord kept = baz.record();
  kept.version = "11";
  kept.acquired = kept.renewed = noon;  // whole seconds, as in an annotation
  baz.stop();
  baz.next = baz.machine.on_written(kept, baz.sent, baz.now);
  baz.reads(kept);

  EXPECT_EQ(baz.wants<WriteLock>().record.holder, "");
}

TEST(Releasing, AClaimThatWasRefusedLeavesNothingToGiveBack) {
  for (const Fault fault : {Fault::Conflict, Fault::AlreadyExists, Fault::NotFound}) {
    Candidate baz;
    baz.reads(lease("", "10"));
    baz.stop();
    baz.write_fails(fault);
    EXPECT_TRUE(baz.would<Finished>());
  }
}

TEST(Releasing, AClaimOfWhichTheAnswerWasLostIsLookedFor) {
  for (const Fault fault : {Fault::Timeout, Fault::Unavailable, Fault::Malformed}) {
    Candidate baz;
    baz.reads(lease("", "10"));
    LockRecord claim = baz.record();
    claim.version = "11";
    baz.stop();
    baz.write_fails(fault);
    EXPECT_TRUE(baz.would<ReadLock>());
    baz.reads(claim);
    EXPECT_EQ(baz.record().holder, "");
  }
}

}  // namespace
}  // namespace nlc::election::testing
