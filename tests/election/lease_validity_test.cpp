#include "election/lease_validity.h"

#include "tests/election/candidate.h"

/// The edges of a leadership, with 15 s, 10 s and 2 s.
namespace nlc::election::testing {
namespace {

using Before = LeaseValidity::Before;

const ElectionOptions defaults{.identity = "baz"};
const Duration validity_of_a_period = 2s - 20ms - 100ms;

TEST(LeaseValidity, ARenewalInTheInstantInWhichOthersCeaseToWaitBeginsALeadershipAnew) {
  const Instant end = start + validity;
  for (const Duration early : {1ns, 0ns}) {
    LeaseValidity lease(defaults);
    lease.renewed(start, Before::Nobody, start);
    ASSERT_EQ(lease.until(), end);
    lease.renewed(end - early, Before::Ended, end - early);
    EXPECT_EQ(lease.until() > end, early > 0ns);
  }
}

TEST(LeaseValidity, ARenewalThatIsSentWhenAllMustHaveReadTheClaimLastsForTheLease) {
  const Duration touch = LeaseValidity::touch_max(defaults);
  const Instant all_have_read = start + touch + touch / 100 + 100ms;
  for (const Duration early : {1ns, 0ns}) {
    LeaseValidity lease(defaults);
    lease.renewed(start, Before::Ended, start);
    const Instant sent = all_have_read - early;
    lease.renewed(sent, Before::Ended, sent);
    EXPECT_EQ(lease.until(), sent + (early > 0ns ? validity_of_a_period : validity));
  }
}

TEST(LeaseValidity, BehindOneWhoCouldNotBeReadOfALeadershipBeginsALeaseLaterAndIsRenewedUntilThen) {
  LeaseValidity lease(defaults);
  Instant sent = start;
  for (Instant next = start; next < start + 15s; next = lease.renewed(sent, Before::Unread, sent)) {
    sent = next;
    EXPECT_EQ(lease.until(), Instant::min()) << "he may lead by what the server has lost";
  }
  EXPECT_LE(start + 15s - sent, 2s);
  lease.renewed(start + 15s, Before::Unread, start + 15s);
  EXPECT_EQ(lease.until(), start + 15s + validity);
}

TEST(LeaseValidity, AnAnswerThatIsAQuarterOfAPeriodLateOpensAndALaterOneDoesNot) {
  for (const Duration late : {500ms + 0ns, 500ms + 1ns}) {
    LeaseValidity lease(defaults);
    lease.renewed(start, Before::Ended, start);
    const Instant sent = start + 3s;
    lease.renewed(sent, Before::Ended, sent + late);
    EXPECT_EQ(lease.until() != Instant::min(), late == 500ms);
  }
}

TEST(LeaseValidity, WhatLastsForAPeriodIsRenewedBeforeItEndsHoweverShortThePeriod) {
  for (const Duration period : {Duration(150ms), Duration(200ms), Duration(2s)}) {
    LeaseValidity lease({.identity = "baz", .retry_period = period});
    lease.renewed(start, Before::Ended, start);
    const Instant sent = start + period + 1s;
    const Instant next = lease.renewed(sent, Before::Ended, sent);
    EXPECT_TRUE(lease.is_of_a_period());
    EXPECT_LT(next, lease.until());
    EXPECT_GE(next - sent, period / 4) << "also where it is over before it has begun";
  }
}

TEST(LeaseValidity, ALateAnswerProlongsWhatIsOpenAndNothingThatHasJustEnded) {
  const Instant first = start + 3s;
  const Instant end = first + validity_of_a_period;
  for (const Duration early : {1ns, 0ns}) {
    LeaseValidity lease(defaults);
    lease.renewed(start, Before::Ended, start);
    lease.renewed(first, Before::Ended, first);
    ASSERT_EQ(lease.until(), end);
    lease.renewed(first + 1s, Before::Ended, end - early);
    EXPECT_EQ(lease.until() > end, early > 0ns);
  }
}

}  // namespace
}  // namespace nlc::election::testing
