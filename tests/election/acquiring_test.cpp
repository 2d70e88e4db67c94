#include "tests/election/candidate.h"

namespace nlc::election::testing {
namespace {

TEST(Acquiring, AnAbsentLeaseIsCreated) {
  Candidate baz;
  EXPECT_TRUE(baz.would<ReadLock>());

  baz.read_fails(Fault::NotFound);

  const LockRecord record = baz.wants<CreateLock>().record;
  EXPECT_EQ(record.holder, "baz");
  EXPECT_EQ(record.duration_seconds, 15);
  EXPECT_EQ(record.transitions, 0);
  EXPECT_EQ(record.acquired, noon);
  EXPECT_EQ(record.renewed, noon);
  EXPECT_EQ(record.version, "");
  baz.writes("1");
  EXPECT_TRUE(baz.leads());
}

TEST(Acquiring, NobodyLeadsBeforeTheServerAnswered) {
  Candidate baz;
  baz.read_fails(Fault::NotFound);

  EXPECT_FALSE(baz.leads());
}

TEST(Acquiring, ALeaseWithoutAHolderIsTakenAtOnceCountingATransition) {
  Candidate baz;

  baz.reads(lease("", "10"));

  EXPECT_EQ(baz.record().holder, "baz");
  EXPECT_EQ(baz.record().transitions, 4);
  EXPECT_EQ(baz.record().acquired, noon);
  EXPECT_EQ(baz.record().version, "10");
  EXPECT_EQ(baz.record().uid, "u1");
}

TEST(Acquiring, AnEmptyRecordIsTakenCountingATransition) {
  Candidate baz;
  LockRecord empty;
  empty.uid = "u1";
  empty.version = "10";

  baz.reads(empty);

  EXPECT_EQ(baz.record().transitions, 1);
  EXPECT_EQ(baz.record().acquired, noon);
}

TEST(Acquiring, AForeignLeadershipIsRespectedForItsDurationFromItsLastSeenChange) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  EXPECT_EQ(baz.machine.holder(), "bing");

  baz.now = start + 9s;
  baz.looks();
  baz.reads(lease("bing", "11"));
  EXPECT_TRUE(baz.would<Pause>());
  baz.polls_until(start + 9s + 15s, lease("bing", "11"));
  baz.reads(lease("bing", "11"));
  EXPECT_TRUE(baz.would<Pause>()) << "not yet: it is the last instant of the leadership";
  baz.now += 1ns;
  baz.reads(lease("bing", "11"));

  EXPECT_EQ(baz.record().holder, "baz");
  EXPECT_EQ(baz.record().transitions, 4);
}

TEST(Acquiring, TimesInTheRecordDecideNothing) {
  for (const Duration written_ago : {Duration{-1000h}, Duration{0}, Duration{1000h}}) {
    Candidate baz;
    LockRecord record = lease("bing", "10");
    record.renewed = noon - std::chrono::floor<std::chrono::microseconds>(written_ago);
    baz.reads(record);
    EXPECT_TRUE(baz.would<Pause>()) << "just seen for the first time";

    baz.polls_until(start + 15s + 1ns, record);
    baz.reads(record);
    EXPECT_TRUE(baz.would<WriteLock>()) << "it did not change for its duration";
  }
}

TEST(Acquiring, AStepOfTheWallClockDecidesNothing) {
  for (const Duration step : {Duration{1h}, Duration{-1h}}) {
    Candidate baz;
    baz.reads(lease("bing", "10"));
    baz.wall_step = step;
    baz.now += 14s;
    baz.reads(lease("bing", "10"));
    EXPECT_TRUE(baz.would<Pause>());
  }
}

TEST(Acquiring, TheLongerOfTheTwoDurationsCounts) {
  Candidate baz;
  LockRecord longer = lease("bing", "10");
  longer.duration_seconds = 60;
  baz.reads(longer);
  baz.polls_until(start + 60s, longer);
  baz.reads(longer);
  EXPECT_TRUE(baz.would<Pause>());
  baz.now += 1ns;
  baz.reads(longer);
  EXPECT_TRUE(baz.would<WriteLock>());

  Candidate other;
  LockRecord shorter = lease("bing", "10");
  shorter.duration_seconds = 3;
  other.reads(shorter);
  other.now += 14s;
  other.reads(shorter);
  EXPECT_TRUE(other.would<Pause>());
}

TEST(Acquiring, ARecordWithoutADurationIsRespectedForOurs) {
  for (const std::optional<std::int64_t> duration :
       {std::optional<std::int64_t>(), std::optional<std::int64_t>(0),
        std::optional<std::int64_t>(-5)}) {
    Candidate baz;
    LockRecord record = lease("bing", "10");
    record.duration_seconds = duration;
    baz.reads(record);
    baz.polls_until(start + 15s, record);
    baz.reads(record);
    EXPECT_TRUE(baz.would<Pause>());
    baz.now += 1ns;
    baz.reads(record);
    EXPECT_TRUE(baz.would<WriteLock>());
  }
}

TEST(Acquiring, ADurationBeyondAllReasonIsRespectedToo) {
  Candidate baz;
  LockRecord record = lease("bing", "10");
  record.duration_seconds = std::numeric_limits<std::int64_t>::max();
  baz.reads(record);
  baz.now += 24h;
  baz.reads(record);

  EXPECT_TRUE(baz.would<Pause>());
}

TEST(Acquiring, ACountThatTheServerCouldNotHoldIsNotWritten) {
  for (const std::int64_t count : {std::int64_t{2147483647}, std::int64_t{-7}}) {
    Candidate baz;
    LockRecord odd = lease("", "10");
    odd.transitions = count;
    baz.reads(odd);
    EXPECT_EQ(baz.record().transitions, count < 0 ? 0 : count);
  }
}

TEST(Acquiring, ARenewalWithinTheSameSecondIsAChange) {
  Candidate baz(
      {.identity = "baz", .lease_duration = 2s, .renew_deadline = 1s, .retry_period = 300ms});
  LockRecord record = lease("bing", "10");
  record.duration_seconds = 2;
  baz.reads(record);
  baz.now += 1900ms;
  record.version = "11";
  baz.reads(record);
  baz.now += 200ms;
  baz.reads(record);

  EXPECT_TRUE(baz.would<Pause>());
}

TEST(Acquiring, ALeaseMadeAnewIsAChangeEvenAtTheSameVersion) {
  Candidate baz;
  baz.reads(lease("bing", "10", "first"));
  baz.now += 14s;
  baz.reads(lease("bing", "10", "second"));
  baz.now += 2s;
  baz.reads(lease("bing", "10", "second"));

  EXPECT_TRUE(baz.would<Pause>());
}

TEST(Acquiring, LosingARaceIsAPlainFailure) {
  Candidate creating;
  creating.read_fails(Fault::NotFound);
  creating.write_fails(Fault::AlreadyExists);
  EXPECT_TRUE(creating.would<Pause>());

  Candidate taking;
  taking.reads(lease("", "10"));
  taking.write_fails(Fault::Conflict);
  EXPECT_TRUE(taking.would<Pause>());
  taking.wait();
  EXPECT_TRUE(taking.would<ReadLock>());
}

void finds_none_and_makes_it_after(Candidate& late, Instant then) {
  late.polls_until(then, std::nullopt);
  late.looks();
  late.read_fails(Fault::NotFound);
  EXPECT_TRUE(late.would<Pause>());
  late.now += 1ns;
  late.looks();
  late.read_fails(Fault::NotFound);
  EXPECT_TRUE(late.would<CreateLock>());
}

/// Its leader may have gone on with a record that the server has lost.
TEST(Acquiring, ALockThatAWriteMetAndThatIsGoneWhenItIsReadIsClaimedALeaseLater) {
  Candidate late;
  late.read_fails(Fault::NotFound);
  late.write_fails(Fault::AlreadyExists);
  late.wait();
  late.read_fails(Fault::NotFound);
  const Instant missed = late.now;
  EXPECT_TRUE(late.would<Pause>());
  EXPECT_EQ(late.machine.rewinds(), 0U) << "somebody may have deleted it";
  finds_none_and_makes_it_after(late, missed + 15s);
}

/// And reads then what it knew, or that.
void claims_and_meets_another_record(Candidate& late, const std::string& read_then) {
  late.reads(lease("", "10"));
  late.write_fails(Fault::Conflict);
  late.wait();
  late.reads(lease("", read_then));
}

void renews_before_it_leads(Candidate& claimant, const std::string& version) {
  claimant.wait();
  claimant.reads(claimant.written);
  claimant.writes(version);
}

/// What another one wrote meanwhile may be lost in the moment before our write is taken.
TEST(Acquiring, WhoseWriteMetAnotherRecordThanReadsShowLeadsALeaseAfterItsClaim) {
  for (const bool shown : {false, true}) {
    Candidate late;
    claims_and_meets_another_record(late, shown ? "11" : "10");
    late.writes("12");
    EXPECT_EQ(late.leads(), shown);
    EXPECT_GT(late.machine.respected_until(), late.now);
  }
}

TEST(Acquiring, ThatItsAnswerWasLostMakesSuchAClaimNoOther) {
  Candidate late;
  claims_and_meets_another_record(late, "10");
  LockRecord taken = late.record();
  taken.version = "12";
  late.write_fails(Fault::Timeout);
  late.wait();
  late.reads(taken);
  late.writes("13");
  renews_before_it_leads(late, "14");
  EXPECT_FALSE(late.leads()) << "a period later";
}

TEST(Acquiring, ALockThatAWriteMetAndThatReadsDoNotShowIsMadeAnewALeaseAfterItIsGone) {
  Candidate late;
  claims_and_meets_another_record(late, "10");
  late.write_fails(Fault::Conflict);
  late.wait();
  late.read_fails(Fault::NotFound);
  EXPECT_TRUE(late.would<Pause>());
  finds_none_and_makes_it_after(late, late.now + 15s);
}

/// Two claims crossed, and a watch showed the other one before ours was refused.
TEST(Acquiring, WhatAWatchShowsWhileAWriteIsOnItsWayIsWhatThatMet) {
  Candidate late;
  late.reads(lease("", "10"));
  late.sees(lease("bing", "11"));
  late.write_fails(Fault::Conflict);
  late.finds_until(late.now + 15s + 1ns, lease("bing", "11"));
  late.writes("12");
  renews_before_it_leads(late, "13");
  EXPECT_TRUE(late.leads()) << "a period after its claim";
}

TEST(Acquiring, ALockThatAWriteMetAndThatWasReadSinceIsFreeWhenItIsGone) {
  Candidate late;
  late.read_fails(Fault::NotFound);
  late.write_fails(Fault::AlreadyExists);
  late.wait();
  late.reads(lease("", "10"));
  late.write_fails(Fault::NotFound);
  for (int again = 0; again < 2; ++again) {
    late.wait();
    late.read_fails(Fault::NotFound);
    EXPECT_TRUE(late.would<CreateLock>());
    late.write_fails(Fault::Timeout);
  }
  EXPECT_EQ(late.machine.rewinds(), 1U) << "that it was gone when it had been read";
}

TEST(Acquiring, NothingIsCreatedWhereTheLeaseMerelyCouldNotBeRead) {
  for (const Fault fault : {Fault::Forbidden, Fault::Unauthorized, Fault::Unavailable,
                            Fault::Timeout, Fault::Throttled, Fault::Malformed}) {
    Candidate baz;
    baz.read_fails(fault);
    EXPECT_TRUE(baz.would<Pause>());
  }
}

TEST(Acquiring, CandidatesSpreadTheirTriesOverOneToOnePointSevenPeriods) {
  Duration least = 1h;
  Duration most{0};
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Candidate baz({.identity = "baz"}, seed);
    baz.reads(lease("bing", "10"));
    const Duration waited = baz.wait();
    EXPECT_TRUE(baz.would<ReadLock>());
    least = std::min(least, waited);
    most = std::max(most, waited);
  }
  EXPECT_GE(least, 2s);
  EXPECT_LT(least, 2100ms);
  EXPECT_LT(most, 3400ms);
  EXPECT_GT(most, 3300ms);
}

TEST(Acquiring, ALookThatHungIsRepeatedAsSoonAsItIsGivenUp) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  baz.wait();
  baz.now += 3400ms;
  baz.read_fails(Fault::Timeout);
  EXPECT_EQ(baz.wait(), 0s);
}

TEST(Acquiring, AForeignLeadershipThatEndsIsLookedAtSoonAfterItsEnd) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    Candidate baz({.identity = "baz"}, seed);
    baz.reads(lease("bing", "10"));
    baz.finds_until(start + 14s, lease("bing", "10"));
    baz.wait();

    EXPECT_GT(baz.now, start + 15s);
    EXPECT_LT(baz.now, start + 15s + 500ms + 1us);
  }
}

TEST(Acquiring, ALeadershipThatEndedAlreadyIsPolledAsEver) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  baz.finds_until(start + 16s, lease("bing", "10"));
  ASSERT_EQ(baz.record().holder, "baz");
  baz.write_fails(Fault::Conflict);

  EXPECT_GE(baz.wait(), 2s) << "a server that refuses all writes is not stormed";
}

TEST(Acquiring, WhatOthersWroteIntoTheLeaseIsKept) {
  Candidate baz;
  LockRecord record = lease("", "10");
  record.strategy = "OldestEmulationVersion";
  record.preferred_holder = "qux";
  baz.reads(record);

  EXPECT_EQ(baz.record().strategy, "OldestEmulationVersion");
  EXPECT_EQ(baz.record().preferred_holder, "qux");
}

TEST(Acquiring, ATakeoverOfWhichTheAnswerWasLostIsFoundOutAndKept) {
  Candidate baz;
  baz.reads(lease("", "10"));
  LockRecord written = baz.record();
  written.version = "11";
  baz.write_fails(Fault::Timeout, 3s);
  EXPECT_FALSE(baz.leads());
  baz.wait();

  baz.reads(written);

  EXPECT_EQ(baz.record().transitions, 4) << "the leadership is the same";
  EXPECT_EQ(baz.record().acquired, noon);
  baz.writes("12");
  baz.wait();
  baz.reads(baz.mine("12"));
  baz.writes("13");
  EXPECT_TRUE(baz.leads());
}

}  // namespace
}  // namespace nlc::election::testing
