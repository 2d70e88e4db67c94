#include "election/lease_validity.h"

#include "tests/election/candidate.h"

/// The edges of a leadership, with 15 s, 10 s and 2 s.
namespace nlc::election::testing {
namespace {

const ElectionOptions defaults{.identity = "baz"};
const Duration validity_of_a_period = 2s - 20ms - 100ms;

TEST(LeaseValidity, ARenewalInTheInstantInWhichOthersCeaseToWaitBeginsALeadershipAnew) {
  const Instant end = start + validity;
  for (const Duration early : {1ns, 0ns}) {
    LeaseValidity lease(defaults);
    lease.renewed(start, true, start);
    ASSERT_EQ(lease.until(), end);
    lease.renewed(end - early, false, end - early);
    EXPECT_EQ(lease.until() > end, early > 0ns);
  }
}

TEST(LeaseValidity, ARenewalThatIsSentWhenAllMustHaveReadTheClaimLastsForTheLease) {
  const Duration touch = LeaseValidity::touch_max(defaults);
  const Instant all_have_read = start + touch + touch / 100 + 100ms;
  for (const Duration early : {1ns, 0ns}) {
    LeaseValidity lease(defaults);
    lease.renewed(start, false, start);
    const Instant sent = all_have_read - early;
    lease.renewed(sent, false, sent);
    EXPECT_EQ(lease.until(), sent + (early > 0ns ? validity_of_a_period : validity));
  }
}

TEST(LeaseValidity, AnAnswerThatIsAQuarterOfAPeriodLateOpensAndALaterOneDoesNot) {
  for (const Duration late : {500ms + 0ns, 500ms + 1ns}) {
    LeaseValidity lease(defaults);
    lease.renewed(start, false, start);
    const Instant sent = start + 3s;
    lease.renewed(sent, false, sent + late);
    EXPECT_EQ(lease.until() != Instant::min(), late == 500ms);
  }
}

TEST(LeaseValidity, ALateAnswerProlongsWhatIsOpenAndNothingThatHasJustEnded) {
  const Instant first = start + 3s;
  const Instant end = first + validity_of_a_period;
  for (const Duration early : {1ns, 0ns}) {
    LeaseValidity lease(defaults);
    lease.renewed(start, false, start);
    lease.renewed(first, false, first);
    ASSERT_EQ(lease.until(), end);
    lease.renewed(first + 1s, false, end - early);
    EXPECT_EQ(lease.until() > end, early > 0ns);
  }
}

}  // namespace
}  // namespace nlc::election::testing
