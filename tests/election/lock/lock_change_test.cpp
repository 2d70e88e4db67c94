#include "tests/election/candidate.h"

/// What a watch shows a candidate between its looks.
namespace nlc::election::testing {
namespace {

TEST(LockChange, ARenewalOfTheLeaderProlongsItsLeadershipFromThatMoment) {
  Candidate baz;
  baz.reads(lease("bing", "10"));
  baz.now = start + 2s;
  EXPECT_FALSE(baz.sees(lease("bing", "11")));

  baz.polls_until(start + 17s, lease("bing", "11"));
  baz.reads(lease("bing", "11"));
  EXPECT_TRUE(baz.would<Pause>());
  baz.now += 1ns;
  baz.reads(lease("bing", "11"));
  EXPECT_TRUE(baz.would<WriteLock>());
}

TEST(LockChange, AReleaseADeletionAndANewLeaderAreWorthALook) {
  Candidate baz;
  baz.reads(lease("bing", "10"));

  EXPECT_TRUE(baz.sees(lease("", "11")));
  EXPECT_TRUE(baz.sees(lease("qux", "12")));
  EXPECT_EQ(baz.machine.holder(), "qux");
  EXPECT_TRUE(baz.sees_gone(lease("qux", "13")));
}

TEST(LockChange, WhatIsNoNewsSaysNothing) {
  Candidate baz;
  baz.reads(lease("bing", "100"));

  EXPECT_FALSE(baz.sees(lease("", "99")));
  EXPECT_FALSE(baz.sees(lease("", "100")));
  EXPECT_FALSE(baz.sees_gone(lease("bing", "100")));
  EXPECT_EQ(baz.machine.holder(), "bing");
}

TEST(LockChange, NothingIsConcludedBeforeTheFirstLook) {
  Candidate baz;
  EXPECT_FALSE(baz.sees(lease("", "11")));
  EXPECT_EQ(baz.machine.holder(), "");
}

TEST(LockChange, AForeignHolderEndsTheLeadershipAtOnce) {
  Candidate baz;
  baz.become_leader();
  EXPECT_TRUE(baz.sees(lease("qux", "12")));
  EXPECT_FALSE(baz.leads());
}

TEST(LockChange, ADeletionEndsTheLeadershipAtOnce) {
  Candidate baz;
  baz.become_leader();
  EXPECT_TRUE(baz.sees_gone(lease("baz", "12")));
  EXPECT_FALSE(baz.leads());
}

TEST(LockChange, ALeaseMadeAnewEndsTheLeadershipAtOnce) {
  Candidate baz;
  baz.become_leader();
  EXPECT_TRUE(baz.sees(lease("baz", "12", "another")));
  EXPECT_FALSE(baz.leads());
}

TEST(LockChange, ThePredecessorsLastWordsEndNoLeadership) {
  Candidate baz;
  baz.reads(lease("", "10"));
  baz.writes("11");
  EXPECT_FALSE(baz.sees(lease("bing", "9")));
  EXPECT_TRUE(baz.leads());
}

TEST(LockChange, OnesOwnRenewalIsNoNewsAndNoProof) {
  Candidate baz;
  baz.become_leader();
  baz.wait();
  const Instant before = baz.machine.valid_until();
  EXPECT_FALSE(baz.sees(baz.mine("12")));
  EXPECT_EQ(baz.machine.valid_until(), before) << "only an answer to a request of ours proves it";
}

TEST(LockChange, AClaimThatIsShownBeforeItIsAnsweredMakesNobodyLeader) {
  Candidate baz;
  baz.reads(lease("", "10"));
  LockRecord claim = baz.record();
  claim.version = "11";
  EXPECT_FALSE(baz.sees(claim));
  EXPECT_FALSE(baz.leads());
  baz.writes("11");
  EXPECT_TRUE(baz.leads());
}

TEST(LockChange, OfHalfAPairAForeignHolderOrADeletionEndsTheLeadershipAndOnesOwnRenewalDoesNot) {
  for (const char* what : {"foreign", "gone", "renewed"}) {
    Candidate baz;
    baz.reads(lease("", "10,20"));
    baz.writes("11,21");
    ASSERT_TRUE(baz.leads());
    LockRecord half = baz.mine("12");
    if (*what == 'f') half.holder = "qux";
    const bool ours = *what == 'r';
    EXPECT_EQ(baz.machine.on_half_change(half, *what == 'g', "12,21", baz.now), !ours) << what;
    EXPECT_EQ(baz.leads(), ours) << what;
  }
}

TEST(LockChange, AfterAStopNothingIsWorthALook) {
  Candidate baz;
  baz.become_leader();
  baz.stop();
  EXPECT_FALSE(baz.sees(lease("qux", "12")));
}

}  // namespace
}  // namespace nlc::election::testing
