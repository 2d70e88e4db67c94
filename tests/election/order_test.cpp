#include <functional>
#include <vector>

#include "tests/election/candidate.h"

/// What is older than what was seen already, what another process wrote under our name, and a
/// server that goes back in time.
namespace nlc::election::testing {
namespace {

// --- late ---------------------------------------------------------------------------------------

TEST(LateAnswer, OfARenewalWhoseLockWasDeletedAndMadeAnewByAnotherOpensNothing) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  EXPECT_TRUE(baz.sees_gone(baz.mine("13")));
  EXPECT_TRUE(baz.sees(lease("qux", "14", "another")));

  baz.writes("12");

  EXPECT_FALSE(baz.leads());
  EXPECT_EQ(baz.machine.holder(), "qux");
}

TEST(LateAnswer, OfARenewalWhoseLockWasDeletedOpensNothing) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  EXPECT_TRUE(baz.sees_gone(baz.mine("13")));

  baz.writes("12");

  EXPECT_FALSE(baz.leads());
}

TEST(LateAnswer, OfARenewalAfterWhichAnotherWroteOpensNothing) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  EXPECT_TRUE(baz.sees(lease("qux", "13")));

  baz.writes("12");

  EXPECT_FALSE(baz.leads());
}

TEST(LateAnswer, OpensNothingWhereVersionsCannotBeComparedEither) {
  Candidate baz;
  baz.reads(lease("", "k-x"));
  baz.writes("k-b");
  EXPECT_TRUE(baz.leads());
  baz.wait();
  EXPECT_TRUE(baz.sees(lease("qux", "k-a", "another")));

  baz.writes("k-c");

  EXPECT_FALSE(baz.leads());
}

TEST(LateAnswer, OfARenewalThatSomebodyTouchedMeanwhileIsLookedAtAndKept) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  const Instant before = baz.machine.valid_until();
  EXPECT_FALSE(baz.sees(baz.mine("13")));
  baz.writes("12");

  EXPECT_EQ(baz.machine.valid_until(), before) << "not by what is older than what was seen";
  EXPECT_TRUE(baz.would<ReadLock>());
  baz.reads(baz.mine("13"));
  EXPECT_EQ(baz.wants<WriteLock>().record.version, "13");
  baz.writes("14");
  EXPECT_EQ(baz.machine.valid_until(), baz.now + validity);
}

TEST(LateAnswer, OfALookSaysNothing) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  baz.wait();
  EXPECT_TRUE(baz.sees(lease("qux", "12")));

  baz.reads(lease("", "11"));

  EXPECT_TRUE(baz.would<Pause>()) << "qux came later than nobody";
  EXPECT_EQ(baz.machine.holder(), "qux");
}

TEST(LateAnswer, ASuccessorWhoseLockIsThenDeletedTooIsWaitedFor) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  EXPECT_TRUE(baz.sees_gone(baz.mine("13")));
  EXPECT_TRUE(baz.sees_gone(lease("qux", "15", "another"))) << "its making was not shown";
  baz.writes("12");
  baz.looks();

  baz.polls_until(start + 2s + 15s, std::nullopt);
  baz.read_fails(Fault::NotFound);
  EXPECT_TRUE(baz.would<Pause>()) << "qux may not have heard of it";
  baz.now += 1ns;
  baz.looks();
  baz.read_fails(Fault::NotFound);
  EXPECT_TRUE(baz.would<CreateLock>());
}

TEST(LateAnswer, TheDeletionOfAForeignLockProlongsNoLeadership) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  baz.now = start + 10s;
  EXPECT_TRUE(baz.sees_gone(lease("bing", "11")));

  baz.looks();
  baz.read_fails(Fault::NotFound);
  baz.now = start + 15s + 1ns;
  baz.looks();
  baz.read_fails(Fault::NotFound);

  EXPECT_TRUE(baz.would<CreateLock>());
}

// --- namesakes ----------------------------------------------------------------------------------

TEST(Namesake, ALockUnderOurNameThatThisProcessDidNotTakeIsWaitedForLikeAnyOther) {
  Candidate baz;
  baz.reads(lease("baz", "10"));
  EXPECT_TRUE(baz.would<Pause>());
  EXPECT_EQ(baz.machine.holder(), "baz") << "a namesake";
  EXPECT_FALSE(baz.machine.holds());

  baz.polls_until(start + 15s, lease("baz", "10"));
  baz.reads(lease("baz", "10"));
  EXPECT_TRUE(baz.would<Pause>());
  baz.now += 1ns;
  baz.reads(lease("baz", "10"));
  EXPECT_EQ(baz.wants<WriteLock>().record.transitions, 4) << "a leadership of its own";
}

TEST(Namesake, ThatTookTheLockEndsTheLeadership) {
  for (const bool by_a_watch : {true, false}) {
    Candidate baz;
    baz.become_leader();
    LockRecord taken = baz.mine("13");
    ++taken.transitions;
    taken.acquired = noon + 1s;
    baz.wait();
    if (by_a_watch) {
      EXPECT_TRUE(baz.sees(taken));
    } else {
      baz.write_fails(Fault::Conflict);
      baz.reads(taken);
    }
    EXPECT_FALSE(baz.leads());
    EXPECT_FALSE(baz.machine.holds());
  }
}

TEST(Namesake, WhoWonTheRaceForTheSameClaimIsNotTakenForUs) {
  Candidate baz;
  baz.reads(lease("", "10"));
  LockRecord same = baz.record();
  same.version = "11";
  baz.write_fails(Fault::Conflict);
  baz.wait();

  baz.reads(same);

  EXPECT_TRUE(baz.would<Pause>()) << "our claim was refused, so this is another's";
}

TEST(Namesake, IsWhoeverBringsOurRecordBackAfterAnotherHeldTheLock) {
  const std::vector<std::function<void(Candidate&)>> ways = {
      [](Candidate& baz) {
        baz.looks();
        baz.reads(lease("qux", "12"));
      },
      [](Candidate& baz) { EXPECT_TRUE(baz.sees(lease("qux", "12"))); },
      [](Candidate& baz) {
        baz.wait();
        baz.next = baz.machine.on_written(lease("qux", "12"), baz.now, baz.now);
        EXPECT_EQ(baz.machine.holder(), "qux");
      },
  };
  for (const auto& way : ways) {
    Candidate baz;
    baz.become_leader();
    way(baz);
    EXPECT_FALSE(baz.machine.holds());
    baz.looks();
    baz.reads(baz.mine("13"));
    EXPECT_FALSE(baz.machine.holds());
    EXPECT_TRUE(baz.would<Pause>());
  }
}

TEST(Namesake, ItsReleaseIsNotOursAndItsLockIsNotGivenBack) {
  Candidate baz;
  baz.become_leader();
  LockRecord taken = baz.mine("13");
  ++taken.transitions;
  baz.stop();
  baz.reads(taken);

  EXPECT_TRUE(baz.would<Finished>());
}

// --- a server that goes back ---------------------------------------------------------------------

TEST(Restore, AnOlderStateThanWasKnownWhenItWasAskedForEndsTheLeadership) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  baz.writes("20");
  const LockRecord early = baz.mine("11");
  baz.wait();
  baz.write_fails(Fault::Conflict);
  EXPECT_TRUE(baz.would<ReadLock>());

  baz.reads(early);

  EXPECT_FALSE(baz.leads()) << "whatever was written since is lost, and another may have led by it";
  EXPECT_FALSE(baz.machine.holds());
  EXPECT_TRUE(baz.would<Pause>());
  EXPECT_EQ(baz.machine.rewinds(), 1U);
}

TEST(Restore, NobodyIsRespectedForLessThanALeaseNotEvenNobody) {
  for (const char* holder : {"", "baz", "bing"}) {
    Candidate baz;
    baz.reads(lease("qux", "20"));
    baz.wait();
    const Instant back = baz.now;
    baz.reads(lease(holder, "10"));
    EXPECT_TRUE(baz.would<Pause>()) << holder;

    baz.finds_until(back + 15s, lease(holder, "10"));
    EXPECT_TRUE(baz.would<Pause>()) << holder;
    baz.now += 1ns;
    baz.looks();
    baz.reads(lease(holder, "10"));
    EXPECT_TRUE(baz.would<WriteLock>()) << holder;
    baz.writes("11");
    if (*holder != '\0') {
      baz.wait();
      baz.reads(baz.mine("11"));
      baz.writes("12");
    }
    EXPECT_TRUE(baz.leads()) << "by the versions that count now";
  }
}

TEST(Restore, AWriteThatIsTakenAtAnOlderVersionOpensNothing) {
  Candidate baz;
  baz.become_leader();
  EXPECT_TRUE(baz.sees_gone(baz.mine("60")));
  baz.looks();
  baz.read_fails(Fault::NotFound);
  EXPECT_TRUE(baz.would<CreateLock>());

  baz.writes("21");

  EXPECT_FALSE(baz.leads());
  EXPECT_EQ(baz.machine.rewinds(), 1U);
}

TEST(Restore, ARenewalThatIsTakenAtAnOlderVersionThanItWasSentAtEndsTheLeadership) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  baz.writes("20");
  baz.wait();

  baz.writes("15");

  EXPECT_FALSE(baz.leads());
  EXPECT_EQ(baz.machine.rewinds(), 1U);
}

TEST(Restore, ARenewalOfAPairOfWhichOneHalfIsAsItWasBeforeEndsTheLeadership) {
  for (const char* answered : {"30,19", "29,21"}) {
    Candidate baz;
    baz.reads(lease("", "10,11"));
    baz.writes("30,20");
    EXPECT_TRUE(baz.leads());
    baz.wait();

    baz.writes(answered);

    EXPECT_FALSE(baz.leads()) << answered;
    EXPECT_EQ(baz.machine.rewinds(), 1U) << answered;
  }
}

TEST(Restore, IsPerhapsShownByALockThatIsMissingThoughNobodySawItDeleted) {
  for (const bool seen_deleted : {false, true}) {
    Candidate baz;
    baz.reads(lease("qux", "10"));
    if (seen_deleted) (void)baz.sees_gone(lease("qux", "11"));
    for (int look = 0; look < 2; ++look) {
      baz.looks();
      baz.read_fails(Fault::NotFound);
      EXPECT_EQ(baz.machine.rewinds(), seen_deleted ? 0U : 1U) << "it is missing once";
    }
  }
}

TEST(Restore, IsPerhapsShownByAnotherLockInThePlaceOfOneThatNobodySawDeleted) {
  struct Case {
    const char* known;
    const char* found;
    std::uint64_t rewinds;
  };
  for (const auto& [known, found, rewinds] : {Case{"u1", "u2", 1}, Case{"u1,u2", "u1", 1},
                                              Case{"u1,u2", "u1,u3", 1}, Case{"u1", "u1,u2", 0}}) {
    Candidate baz;
    baz.reads(lease("qux", "10", known));
    baz.wait();
    baz.reads(lease("qux", "12", found));
    EXPECT_EQ(baz.machine.rewinds(), rewinds) << known << " and then " << found;
  }
}

TEST(Restore, IsNotShownByHalfOfAPairThatWasSeenDeleted) {
  Candidate baz;
  baz.reads(lease("qux", "10,11", "u1,u2"));
  EXPECT_TRUE(baz.machine.on_half_change(lease("qux", "12", "u2"), true, "10,12", baz.now));
  baz.looks();
  baz.reads(lease("qux", "10", "u1"));
  EXPECT_EQ(baz.machine.rewinds(), 0U);
}

TEST(Restore, OnesOwnOlderRecordAfterAnotherReignedIsForeign) {
  Candidate baz;
  baz.become_leader();
  const LockRecord mine = baz.mine("11");
  EXPECT_TRUE(baz.sees(lease("qux", "30")));
  baz.looks();
  baz.reads(mine);

  EXPECT_TRUE(baz.would<Pause>()) << "qux may lead by what was lost";
}

// --- writes that were taken ----------------------------------------------------------------------

TEST(LockWrites, AreCountedByWhomeverButNotTheFirstSightAndNothingOlder) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  EXPECT_EQ(baz.machine.lock_writes(), 0U);
  baz.wait();
  baz.reads(lease("bing", "10"));
  EXPECT_EQ(baz.machine.lock_writes(), 0U) << "it did not move";
  baz.wait();
  baz.reads(lease("bing", "11"));
  EXPECT_EQ(baz.machine.lock_writes(), 1U);
  baz.sees(lease("bing", "12"));
  EXPECT_EQ(baz.machine.lock_writes(), 2U);
  baz.sees(lease("bing", "11"));
  EXPECT_EQ(baz.machine.lock_writes(), 2U);
}

TEST(LockWrites, OnesOwnIsCountedOnceWhetherTheWatchOrTheAnswerComesFirst) {
  Candidate baz;
  baz.read_fails(Fault::NotFound);
  baz.writes("11");
  EXPECT_EQ(baz.machine.lock_writes(), 1U)
      << "it is an answer to a write, and no lock that was seen";
  baz.wait();
  LockRecord claim = baz.record();
  claim.version = "12";
  baz.sees(claim);
  baz.writes("12");
  baz.sees(claim);
  EXPECT_EQ(baz.machine.lock_writes(), 2U);
}

TEST(LockWrites, AServerThatWentBackProvesNothing) {
  Candidate baz;
  baz.reads(lease("bing", "20"));
  baz.wait();
  baz.reads(lease("bing", "10"));
  EXPECT_EQ(baz.machine.lock_writes(), 0U);
}

/// One of two servers does not follow, or answers from a past: nobody wrote.
TEST(LockWrites, ReadsThatGoToAndFroProveNothing) {
  Candidate baz;
  baz.reads(lease("bing", "20"));
  for (int i = 0; i < 3; ++i) {
    baz.wait();
    baz.reads(lease("bing", "10"));
    baz.wait();
    baz.reads(lease("bing", "20"));
  }
  EXPECT_EQ(baz.machine.lock_writes(), 0U);
  baz.wait();
  baz.reads(lease("bing", "21"));
  EXPECT_EQ(baz.machine.lock_writes(), 1U) << "that is news of the server that goes on";
}

TEST(LockWrites, CountAgainOnceAServerThatWentBackTookOneOfOurs) {
  Candidate baz;
  baz.reads(lease("bing", "20"));
  baz.wait();
  const Instant back = baz.now;
  baz.reads(lease("", "10"));
  baz.finds_until(back + 15s + 1ns, lease("", "10"));
  baz.writes("11");
  EXPECT_EQ(baz.machine.lock_writes(), 1U);
  baz.sees(baz.mine("12"));
  EXPECT_EQ(baz.machine.lock_writes(), 2U);
}

TEST(Order, AnOlderHalfOfAPairChangesNothing) {
  Candidate baz;
  baz.reads(lease("bing", "60,61"));
  baz.sees_half(lease("bing", "62"), "62,61");
  baz.sees_half(lease("bing", "61"), "61,61");
  baz.looks();
  baz.reads(lease("bing", "61,61"));
  EXPECT_EQ(baz.machine.rewinds(), 1U) << "62 was seen before it was asked for";
}

TEST(Order, ARenewalOfWhichOnlyHalfWasWatchedIsKnownToBeLostWhenAReadShowsThePairWithoutIt) {
  Candidate baz;
  baz.reads(lease("bing", "60,61"));
  baz.sees_half(lease("bing", "62"), "62,61");
  baz.now = start + 17s;
  baz.looks();
  baz.reads(lease("bing", "60,61"));
  EXPECT_TRUE(baz.would<Pause>()) << "whoever renewed it may lead for a lease yet";
  EXPECT_EQ(baz.machine.rewinds(), 1U);
}

TEST(Order, AWriteOfAPairIsToldOnceWhenItsLeaseIsSeen) {
  Candidate baz;
  baz.reads(lease("bing", "60,61"));
  baz.sees_half(lease("bing", "62"), "62,61");
  EXPECT_EQ(baz.machine.lock_writes(), 0U);
  baz.sees_half(lease("bing", "63"), "62,63");
  EXPECT_EQ(baz.machine.lock_writes(), 1U);
  baz.reads(lease("bing", "62,63"));
  EXPECT_EQ(baz.machine.lock_writes(), 1U);
}

}  // namespace
}  // namespace nlc::election::testing
