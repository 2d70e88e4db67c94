#include "election/contest_schedule.h"

#include "tests/election/candidate.h"

namespace nlc::election::testing {
namespace {

/// With 15 s, 10 s and 2 s; its first try begins at the start.
ContestSchedule begun() {
  ContestSchedule schedule({.identity = "baz"}, Random(1));
  schedule.try_begins(start);
  return schedule;
}

TEST(ContestSchedule, ALeaderRenewsAPeriodAfterItsLastTryBeganHoweverLongThatTook) {
  const ContestSchedule schedule = begun();
  EXPECT_EQ(schedule.next_renewal(start + 500ms), start + 2s);
  EXPECT_EQ(schedule.next_renewal(start + 3s), start + 3s);
}

TEST(ContestSchedule, WhoStandsByLooksWhenTheLeadershipThatItWaitsForHasEnded) {
  ContestSchedule schedule = begun();
  const Instant ends = start + 1s;
  const Instant look = schedule.next_look(ends, start);
  EXPECT_GT(look, ends);
  EXPECT_LE(look, ends + 500ms + 1ns);
  EXPECT_LE(schedule.next_look(start + 1h, start), start + 3400ms) << "it polls all the same";
}

TEST(ContestSchedule, WhoStandsByLooksAtOnceInTheLastInstantOfTheLeadership) {
  ContestSchedule schedule = begun();
  EXPECT_LE(schedule.next_look(start, start), start + 500ms + 1ns);
  EXPECT_GE(schedule.next_look(start - 1ns, start), start + 2s) << "it was over before";
}

TEST(ContestSchedule, EightLooksMayComeBeforeTheirTurnAtOnceAndAfterThatTwoAPeriod) {
  ContestSchedule schedule = begun();
  for (int look = 0; look < 8; ++look) {
    EXPECT_TRUE(schedule.may_look_early(start));
    schedule.looks_early(start);
  }
  for (const Instant next : {start + 1s, start + 2s}) {
    EXPECT_FALSE(schedule.may_look_early(next - 1ns));
    EXPECT_TRUE(schedule.may_look_early(next));
    schedule.looks_early(next);
  }
}

TEST(ContestSchedule, WhoLookedTwoPollsAndALateAnswerAgoIsInTouch) {
  const Duration touch = LeaseValidity::touch_max({.identity = "baz"});
  for (const Duration after : {touch, touch + 1ns}) {
    ContestSchedule schedule = begun();
    schedule.look_answered(Instant::min(), start);
    schedule.try_begins(start + after);
    EXPECT_EQ(schedule.look_answered(Instant::min(), start + after), after > touch);
  }
}

TEST(ContestSchedule, WhoWasOutOfTouchUntilOthersWaitedNoMoreClaimsNothing) {
  ContestSchedule schedule = begun();
  schedule.look_answered(Instant::min(), start);
  schedule.try_begins(start + 1min);
  EXPECT_TRUE(schedule.look_answered(start + 1min, start + 1min));
}

TEST(ContestSchedule, AWriteThatWasAnsweredIsTouchToo) {
  ContestSchedule schedule = begun();
  schedule.look_answered(Instant::min(), start);
  schedule.write_answered(start + 1min);
  schedule.try_begins(start + 1min + 5s);
  EXPECT_FALSE(schedule.look_answered(Instant::min(), start + 1min + 5s));
}

TEST(ContestSchedule, WhoWasOutOfTouchClaimsNothingForALeaseUnlessOthersStillWaitForIt) {
  ContestSchedule schedule = begun();
  EXPECT_FALSE(schedule.look_answered(Instant::min(), start)) << "nothing is known before";
  const Instant back = start + 1min;
  schedule.try_begins(back);
  EXPECT_FALSE(schedule.look_answered(back + 1s, back));
  EXPECT_TRUE(schedule.may_claim(back));

  schedule.try_begins(back + 1min);
  EXPECT_TRUE(schedule.look_answered(Instant::min(), back + 1min));
  EXPECT_FALSE(schedule.may_claim(back + 1min + 15s));
  EXPECT_TRUE(schedule.may_claim(back + 1min + 15s + 1ns));
}

TEST(ContestSchedule, AfterTheServerWentBackNothingIsClaimedForALease) {
  ContestSchedule schedule = begun();
  schedule.server_went_back(start);
  EXPECT_TRUE(schedule.waits_out_a_rewind(start + 15s));
  EXPECT_FALSE(schedule.may_claim(start + 15s));
  EXPECT_TRUE(schedule.may_claim(start + 15s + 1ns));
}

}  // namespace
}  // namespace nlc::election::testing
