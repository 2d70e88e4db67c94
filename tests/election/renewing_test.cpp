#include "tests/election/candidate.h"

namespace nlc::election::testing {
namespace {

TEST(Renewing, IsOneWriteWithoutReading) {
  Candidate baz;
  baz.become_leader();

  for (int renewal = 0; renewal < 10; ++renewal) {
    EXPECT_EQ(baz.wait(), 2s);
    EXPECT_EQ(baz.wants<WriteLock>().record.version, std::to_string(11 + renewal));
    EXPECT_EQ(baz.record().transitions, 4);
    EXPECT_EQ(baz.record().acquired, noon);
    EXPECT_EQ(baz.record().renewed, baz.wall());
    baz.writes(std::to_string(12 + renewal));
  }
}

TEST(Renewing, ALeadershipLastsFromTheSendingOfTheLastAcknowledgedRenewal) {
  Candidate baz;
  baz.reads(lease("", "10"));
  baz.writes("11", 5s);

  EXPECT_EQ(baz.machine.valid_until(), start + validity);
  baz.now = start + validity - 1ns;
  EXPECT_TRUE(baz.leads());
  baz.now = start + validity;
  EXPECT_FALSE(baz.leads());
}

TEST(Renewing, ALateAnswerDoesNotLengthenTheLeadership) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  baz.writes("12", 9500ms);

  EXPECT_EQ(baz.machine.valid_until(), start + 2s + validity);
}

TEST(Renewing, AnAnswerThatComesAfterTheLeaseCouldHaveEndedMakesNobodyLeader) {
  Candidate baz;
  baz.reads(lease("", "10"));
  baz.writes("11", 15s);

  EXPECT_FALSE(baz.leads());
  baz.wait();
  EXPECT_TRUE(baz.would<ReadLock>());
}

TEST(Renewing, AfterALateAnswerTheNextRenewalGoesOutAtOnce) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  baz.writes("12", 5s);

  EXPECT_LE(baz.wait(), 0s);
  EXPECT_TRUE(baz.would<WriteLock>());
}

TEST(Renewing, AFailedRenewalIsTriedAgainAPeriodAfterItWasSent) {
  for (const Duration answer_delay : {Duration{0}, Duration{500ms}, Duration{1900ms}}) {
    Candidate baz;
    baz.become_leader();
    baz.wait();
    const Instant sent = baz.now;
    baz.write_fails(Fault::Unavailable, answer_delay);
    baz.wait();
    EXPECT_EQ(baz.now, sent + 2s);
    EXPECT_TRUE(baz.would<WriteLock>());
  }
}

TEST(Renewing, ATryThatTookLongerThanThePeriodIsFollowedAtOnceByTheNext) {
  Candidate baz;
  baz.become_leader();
  baz.wait();

  baz.write_fails(Fault::Timeout, 3300ms);

  EXPECT_LE(baz.wait(), 0s);
  EXPECT_TRUE(baz.would<WriteLock>());
}

TEST(Renewing, FourTriesFitIntoALeadershipEvenIfNoneIsAnswered) {
  Candidate baz;
  baz.become_leader();
  int tries = 0;
  while (true) {
    baz.wait();
    if (!baz.leads()) break;
    ++tries;
    baz.write_fails(Fault::Timeout, 10s / 3);
  }
  EXPECT_GE(tries, 4);
}

TEST(Renewing, ADeadConnectionCostsATryAndNotTheLease) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  baz.write_fails(Fault::Timeout, 10s / 3);
  baz.wait();
  baz.writes("12");

  EXPECT_TRUE(baz.leads());
  EXPECT_EQ(baz.machine.valid_until(), baz.now + validity);
}

TEST(Renewing, ARenewalOfWhichTheAnswerWasLostCostsThreeRequestsAndNotTheLease) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  LockRecord written = baz.record();
  written.version = "12";
  baz.write_fails(Fault::Timeout, 3s);
  baz.wait();

  baz.write_fails(Fault::Conflict);
  EXPECT_TRUE(baz.would<ReadLock>());
  EXPECT_TRUE(baz.leads()) << "nothing more is known than before";
  baz.reads(written);
  EXPECT_EQ(baz.wants<WriteLock>().record.version, "12");
  EXPECT_EQ(baz.record().transitions, 4);
  baz.writes("13");

  EXPECT_TRUE(baz.leads());
  EXPECT_EQ(baz.wait(), 2s);
  EXPECT_TRUE(baz.would<WriteLock>());
}

TEST(Renewing, ReadingOnesOwnRecordDoesNotLengthenTheLeadership) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  const Instant before = baz.machine.valid_until();
  baz.write_fails(Fault::Conflict);
  baz.reads(baz.mine("12"));

  EXPECT_EQ(baz.machine.valid_until(), before);
}

/// Somebody else may lead since a restore of the server that freed the lock.
TEST(Renewing, WhoCannotReadWhatHisRenewalMetLeadsForAPeriodAndAgainWhenHeHas) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  const Instant before = baz.machine.valid_until();
  baz.write_fails(Fault::Conflict);
  const Instant met = baz.now;
  baz.read_fails(Fault::Unavailable);
  EXPECT_EQ(baz.machine.valid_until(), met + 2s);
  while (baz.leads()) {
    EXPECT_EQ(baz.wait(), 500ms);
    if (!baz.leads()) break;
    baz.write_fails(Fault::Conflict);
    baz.read_fails(Fault::Unavailable);
  }
  EXPECT_EQ(baz.now, met + 2s);
  baz.reads(baz.mine("12"));
  EXPECT_TRUE(baz.leads());
  EXPECT_EQ(baz.machine.valid_until(), before);
}

/// Whoever annotates the lock all the time does not lead.
TEST(Renewing, WhatMeetsAnotherWriteRightAfterALookThatConfirmedItIsNotQuestioned) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  const Instant before = baz.machine.valid_until();
  baz.write_fails(Fault::Conflict);
  baz.reads(baz.mine("12"));
  baz.write_fails(Fault::Conflict);
  EXPECT_EQ(baz.machine.valid_until(), before);
}

TEST(Renewing, AfterASecondConflictTheNextTryWaitsForItsPeriod) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  const Instant sent = baz.now;
  baz.write_fails(Fault::Conflict, 10ms);
  baz.reads(baz.mine("12"));
  baz.write_fails(Fault::Conflict, 10ms);

  baz.wait();

  EXPECT_EQ(baz.now, sent + 2s) << "somebody who writes the lease all the time is not raced";
}

TEST(Renewing, AForeignHolderEndsTheLeadershipAtOnce) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  baz.write_fails(Fault::Conflict);
  baz.reads(lease("qux", "12"));

  EXPECT_FALSE(baz.leads());
  EXPECT_EQ(baz.machine.valid_until(), Instant::min());
  EXPECT_TRUE(baz.would<Pause>());
  EXPECT_EQ(baz.machine.holder(), "qux");
}

TEST(Renewing, AForeignHolderInTheAnswerToAWriteEndsTheLeadershipAtOnce) {
  Candidate baz;
  baz.become_leader();
  baz.wait();

  baz.next = baz.machine.on_written(lease("qux", "12"), baz.now, baz.now);

  EXPECT_FALSE(baz.leads());
  EXPECT_TRUE(baz.would<Pause>());
}

TEST(Renewing, ALeaseWithAnotherUidEndsTheLeadershipAtOnce) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  baz.write_fails(Fault::Conflict);
  baz.reads(lease("baz", "12", "another"));

  EXPECT_FALSE(baz.leads());
}

TEST(Renewing, ALeaseThatIsGoneEndsTheLeadershipAtOnce) {
  Candidate writing;
  writing.become_leader();
  writing.wait();
  writing.write_fails(Fault::NotFound);
  EXPECT_FALSE(writing.leads());

  Candidate reading;
  reading.become_leader();
  reading.wait();
  reading.write_fails(Fault::Conflict);
  reading.read_fails(Fault::NotFound);
  EXPECT_FALSE(reading.leads());
  EXPECT_TRUE(reading.would<CreateLock>());
  EXPECT_EQ(reading.machine.holder(), "");
}

TEST(Renewing, ALeadershipThatEndedIsNotRenewedBlindly) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  while (baz.leads()) {
    baz.write_fails(Fault::Timeout, 3s);
    baz.wait();
  }

  EXPECT_TRUE(baz.would<ReadLock>()) << "another may have taken it";
}

TEST(Renewing, OnesOwnLapsedLeadershipIsTakenUpAgainAsTheSameOne) {
  Candidate baz;
  baz.become_leader();
  for (baz.wait(); baz.leads(); baz.wait()) baz.write_fails(Fault::Forbidden);
  baz.reads(baz.mine("11"));
  baz.polls_until(start + 1h, baz.mine("11"));
  baz.looks();
  baz.reads(baz.mine("11"));

  EXPECT_EQ(baz.record().transitions, 4);
  EXPECT_EQ(baz.record().acquired, noon);
}

TEST(Renewing, WhatOthersWriteMeanwhileIsKept) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  baz.write_fails(Fault::Conflict);
  LockRecord record = baz.mine("12");
  record.strategy = "OldestEmulationVersion";
  record.preferred_holder = "qux";
  baz.reads(record);
  baz.writes("13");
  baz.wait();

  EXPECT_EQ(baz.record().strategy, "OldestEmulationVersion");
  EXPECT_EQ(baz.record().preferred_holder, "qux");
}

TEST(Renewing, ALeaderThatHadToReadTookTheSlowPath) {
  Candidate baz;
  baz.become_leader();
  EXPECT_EQ(baz.machine.slow_paths(), 0U);
  baz.wait();
  baz.write_fails(Fault::Conflict);
  baz.reads(baz.mine("12"));

  EXPECT_EQ(baz.machine.slow_paths(), 1U);
}

TEST(Renewing, ALeaderWhoseWorkIsStuckDoesNotRenewAndLosesItsLeadership) {
  Candidate baz;
  baz.become_leader();
  while (baz.leads()) {
    EXPECT_TRUE(baz.would<Pause>());
    baz.wait(Work::Stuck);
  }
  EXPECT_EQ(baz.now, std::clamp(baz.now, start + validity, start + validity + 2s));
  EXPECT_TRUE(baz.would<Pause>()) << "another may take it";

  baz.wait(Work::Moving);
  EXPECT_TRUE(baz.would<ReadLock>());
}

TEST(Renewing, StuckWorkIsNotContendedFor) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  baz.wait(Work::Stuck);

  EXPECT_TRUE(baz.would<Pause>());
}

TEST(Renewing, StepsOfTheWallClockChangeNothing) {
  Candidate baz;
  baz.become_leader();
  int version = 11;
  for (const Duration step : {Duration{1h}, Duration{-1h}, Duration{0}}) {
    baz.wall_step = step;
    EXPECT_EQ(baz.wait(), 2s);
    EXPECT_TRUE(baz.would<WriteLock>());
    baz.writes(std::to_string(++version));
    EXPECT_TRUE(baz.leads());
  }
}

}  // namespace
}  // namespace nlc::election::testing
