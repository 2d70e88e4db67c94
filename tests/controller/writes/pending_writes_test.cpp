#include "controller/writes/pending_writes.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;
using Choice = PendingWrites::Choice;
using Slot = PendingWrites::Slot;

class PendingWritesTest : public ::testing::Test {
 protected:
  void want(Slot slot, Instant due = Instant::min(), PendingWrites::Group group = 0) {
    writes.want(slot, due, now, group);
  }
  /// Sends those that may be tried now, so many at most.
  std::vector<Slot> sent(std::size_t room = 100) {
    std::vector<Slot> slots;
    writes.each_due(now, [&](const PendingWrites::Trial& trial) {
      if (slots.size() == room) return Choice::Stop;
      slots.push_back(trial.slot);
      return Choice::Send;
    });
    return slots;
  }
  void fail(Slot slot, Fault fault = Fault::Unavailable) {
    writes.failed(slot, {.fault = fault}, now);
  }
  /// It is on its way, is written, and wanted no more.
  void take(Slot slot) {
    writes.unwant(slot, now);
    writes.succeeded(slot, now);
  }
  void rest(Slot slot) {
    want(slot);
    sent();
    take(slot);
  }

  Instant now = start;
  PendingWrites writes{1};
};

TEST_F(PendingWritesTest, WriteIsTriedOnceAndNotBeforeItIsDue) {
  want(3, now + 1s);
  EXPECT_THAT(sent(), IsEmpty());
  now += 1s;
  EXPECT_THAT(sent(), ElementsAre(3));
  EXPECT_TRUE(writes.in_flight(3));
  want(3);
  EXPECT_THAT(sent(), IsEmpty());
}

TEST_F(PendingWritesTest, OfAllThatWaitTheNextIsLookedFor) {
  want(3);
  sent();
  fail(3);
  const Instant again = writes.next_after(now).value();
  want(4, now + 1h);
  EXPECT_EQ(writes.next_after(now), again);
  want(5, now + 1ns);
  EXPECT_EQ(writes.next_after(now), now + 1ns);
}

TEST_F(PendingWritesTest, WhatIsWantedForTheFirstTimeWasNotUndone) {
  want(3);
  want(3);
  EXPECT_THAT(writes.take_undone(), IsEmpty());
  EXPECT_FALSE(writes.progress(3, now)->failed);
}

TEST_F(PendingWritesTest, WhatWasNeverTakenIsNotRemembered) {
  want(3);
  writes.unwant(3, now);
  EXPECT_FALSE(writes.progress(3, now));
  EXPECT_THAT(sent(), IsEmpty());
  writes.unwant(3, now);
  writes.forget(3);
}

TEST_F(PendingWritesTest, HowAWriteFaredIsRememberedForTenMinutes) {
  rest(3);
  now += 10min - 1ns;
  rest(4);
  EXPECT_TRUE(writes.progress(3, now));
  now += 1ns;
  rest(5);
  EXPECT_FALSE(writes.progress(3, now));
  EXPECT_TRUE(writes.progress(4, now));
}

TEST_F(PendingWritesTest, WhatIsWantedAgainOrOnItsWayIsRememberedAllTheSame) {
  rest(3);
  rest(4);
  now += 5min;
  want(3, now + 1h);
  want(4);
  sent();
  writes.unwant(4, now);
  now += 5min;
  rest(5);
  EXPECT_TRUE(writes.wanted(3));
  EXPECT_TRUE(writes.in_flight(4));
}

TEST_F(PendingWritesTest, OnlyWhatWasAcceptedIsDoubted) {
  want(3, now + 1h);
  writes.doubt_accepted(now);
  EXPECT_THAT(sent(), IsEmpty());
}

TEST_F(PendingWritesTest, ConflictIsToldWhenItIsNotTheFirst) {
  want(3);
  sent();
  EXPECT_FALSE(writes.met_conflict(3, now));
  EXPECT_THAT(sent(), ElementsAre(3)) << "at once";
  EXPECT_TRUE(writes.met_conflict(3, now));
  EXPECT_THAT(sent(), IsEmpty());
}

TEST_F(PendingWritesTest, WriteThatIsDueAndShallWaitIsTriedLater) {
  want(3);
  writes.each_due(now, [this](const PendingWrites::Trial& trial) {
    writes.wait(trial.slot, now + 1s, now);
    return Choice::Leave;
  });
  EXPECT_THAT(sent(), IsEmpty());
  now += 1s;
  EXPECT_THAT(sent(), ElementsAre(3));
}

TEST_F(PendingWritesTest, MomentMayBeMoved) {
  want(3, now + 1h);
  want(3, now + 1s);
  EXPECT_EQ(writes.next_after(now), now + 1s);
}

TEST_F(PendingWritesTest, FailedWriteWaitsAndIsTriedAgain) {
  want(3);
  sent();
  fail(3);
  EXPECT_THAT(sent(), IsEmpty());
  EXPECT_EQ(writes.troubled(), 1U);
  now = writes.next_after(now).value();
  writes.each_due(now, [](const PendingWrites::Trial& trial) {
    EXPECT_EQ(trial.attempt, Try::Again);
    return Choice::Send;
  });
  EXPECT_EQ(writes.troubled(), 1U) << "on its way again";
  writes.unwant(3, now);
  writes.succeeded(3, now);
  EXPECT_EQ(writes.troubled(), 0U);
}

TEST_F(PendingWritesTest, WhatHasNotFailedGoesBeforeWhatHas) {
  want(1);
  sent();
  fail(1);
  now += 1min;
  want(2);
  EXPECT_THAT(sent(1), ElementsAre(2));
  EXPECT_THAT(sent(1), ElementsAre(1));
}

TEST_F(PendingWritesTest, WithoutRoomItStaysDue) {
  want(1);
  want(2);
  EXPECT_THAT(sent(1), ElementsAre(1));
  EXPECT_THAT(sent(1), ElementsAre(2));
}

TEST_F(PendingWritesTest, WriteThatShowsNoEffectWaitsAndIsTold) {
  want(3);
  sent();
  writes.succeeded(3, now);
  EXPECT_THAT(sent(), IsEmpty());
  EXPECT_THAT(writes.take_undone(), ElementsAre(3));
  now = writes.next_after(now).value();
  EXPECT_THAT(sent(), ElementsAre(3));
}

TEST_F(PendingWritesTest, WriteThatGaveWayIsWantedAgainWithoutAWait) {
  want(3);
  sent();
  writes.succeeded(3, now);
  EXPECT_THAT(writes.take_undone(), ElementsAre(3));
  writes.unwant(3, now);
  for (int i = 0; i < 9; ++i) {
    now += 30s;
    writes.gave_way(3);
    want(3);
    EXPECT_THAT(sent(), ElementsAre(3));
    writes.unwant(3, now);
    writes.succeeded(3, now);
  }
  EXPECT_THAT(writes.take_undone(), IsEmpty());
}

TEST_F(PendingWritesTest, WriteThatIsUndoneByTheMillisecondIsRepeatedLessAndLess) {
  int tries = 0;
  for (; now < start + 10min; now += 1ms) {
    want(3);
    if (sent().empty()) continue;
    ++tries;
    writes.unwant(3, now);  // its effect is seen
    writes.succeeded(3, now);
  }
  EXPECT_LE(tries, 20);
}

TEST_F(PendingWritesTest, AcceptedWriteIsAskedForAgainWhenItsEffectDoesNotCome) {
  want(3);
  sent();
  writes.accepted(3, now + 1min, now);
  EXPECT_EQ(writes.waiting(), 0U);
  now += 59s;
  EXPECT_THAT(sent(), IsEmpty());
  now += 1s;
  EXPECT_THAT(sent(), ElementsAre(3));
}

TEST_F(PendingWritesTest, AcceptedWriteIsAskedForAtOnceWhenTheServerMayHaveLostIt) {
  want(3);
  sent();
  writes.accepted(3, now + 1min, now);
  now += 1s;
  writes.doubt_accepted(now);
  EXPECT_THAT(sent(), ElementsAre(3));
}

TEST_F(PendingWritesTest, WriteWhoseEffectWasSeenBeforeItsAnswerMayBeWantedAnew) {
  want(3);
  sent();
  writes.unwant(3, now);
  writes.accepted(3, now + 1min, now);
  now += 5min;
  want(3);
  now += 1min;
  EXPECT_THAT(sent(), ElementsAre(3));
}

TEST_F(PendingWritesTest, WhatIsForgottenWhileItIsOnItsWayLeavesNothing) {
  want(3);
  sent();
  fail(3);
  now += 15s;
  sent();
  writes.forget(3);
  EXPECT_EQ(writes.troubled(), 0U);
  EXPECT_FALSE(writes.wanted(3));
}

TEST_F(PendingWritesTest, WhenOneOfThoseThatWereRefusedIsTakenTheOthersAreTriedAgainAtOnce) {
  for (const Slot slot : {1U, 2U}) want(slot);
  sent();
  for (const Slot slot : {1U, 2U}) fail(slot, Fault::Forbidden);
  now = writes.next_after(now).value();
  const std::vector<Slot> first = sent(1);
  ASSERT_EQ(first.size(), 1U);
  writes.unwant(first[0], now);
  writes.succeeded(first[0], now);
  EXPECT_THAT(sent(), ::testing::Contains(first[0] == 1 ? 2U : 1U));
}

TEST_F(PendingWritesTest, GroupsTakeTurns) {
  for (const Slot slot : {1U, 2U, 3U}) want(slot, now, 1);
  want(4, now, 2);
  EXPECT_THAT(sent(), ElementsAre(1, 4, 2, 3));
}

TEST_F(PendingWritesTest, WhereTheyAreTakenQuicklyAGroupGoesOnBeforeSecondsOfOthers) {
  for (const Slot slot : {1U, 2U, 3U}) want(slot, now, 1);
  for (const Slot slot : {4U, 5U}) want(slot, now, 2);
  EXPECT_THAT(sent(2), ElementsAre(1, 4));
  for (const Slot slot : {1U, 2U}) {
    now += 500ms;
    take(slot);
    EXPECT_THAT(sent(1), ElementsAre(slot + 1));
  }
  EXPECT_THAT(sent(), ElementsAre(5));
}

TEST_F(PendingWritesTest, SoItDoesWhereTheyAreRefusedQuickly) {
  for (const Slot slot : {1U, 2U, 3U}) want(slot, now, 1);
  for (const Slot slot : {4U, 5U}) want(slot, now, 2);
  EXPECT_THAT(sent(2), ElementsAre(1, 4));
  for (const Slot slot : {1U, 2U}) {
    fail(slot, Fault::Forbidden);
    EXPECT_THAT(sent(1), ElementsAre(slot + 1));
  }
}

TEST_F(PendingWritesTest, WhereTheyAreTakenLateAGroupKeepsToItsTurns) {
  for (const Slot slot : {1U, 2U, 3U}) want(slot, now, 1);
  for (const Slot slot : {4U, 5U}) want(slot, now, 2);
  EXPECT_THAT(sent(3), ElementsAre(1, 4, 2));
  now += 500ms + 1ns;
  take(1);
  take(2);
  EXPECT_THAT(sent(), ElementsAre(5, 3));
}

TEST_F(PendingWritesTest, WhoeverIsWantedAgainKeepsItsTurn) {
  for (const Slot slot : {1U, 2U}) want(slot, now, 1);
  EXPECT_THAT(sent(0), IsEmpty());
  want(1, now, 1);
  EXPECT_THAT(sent(), ElementsAre(1, 2));
}

TEST_F(PendingWritesTest, OneThatHasNoneOnItsWayAsksForItsFirstPlace) {
  want(1, now, 1);
  sent();
  want(2, now, 1);
  want(3, now, 2);
  std::vector<std::pair<Slot, client::Share>> asked;
  writes.each_due(now, [&](const PendingWrites::Trial& trial) {
    asked.emplace_back(trial.slot, trial.share);
    return Choice::Leave;
  });
  EXPECT_THAT(asked,
              UnorderedElementsAre(Pair(2, client::Share::More), Pair(3, client::Share::First)));
}

TEST_F(PendingWritesTest, WhereItIsCrowdedOnlyThoseAreAskedAboutThatHaveNoneOnTheirWay) {
  want(1, now, 1);
  sent();
  fail(1);
  now += 15s;
  EXPECT_THAT(sent(), ElementsAre(1));
  for (const Slot slot : {2U, 3U, 4U}) want(slot, now, 1);
  for (const Slot slot : {5U, 6U}) want(slot, now, 2);
  std::vector<Slot> asked;
  writes.each_due(now, [&](const PendingWrites::Trial& trial) {
    asked.push_back(trial.slot);
    return trial.share == client::Share::More ? Choice::Crowded : Choice::Send;
  });
  EXPECT_THAT(asked, ElementsAre(2, 5)) << "the first shows it, and one of each other group goes";
}

TEST_F(PendingWritesTest, NextStepOfAWriteFollowsAtOnce) {
  want(3);
  sent();
  writes.goes_on(3, now);
  EXPECT_THAT(sent(), ElementsAre(3));
}

TEST_F(PendingWritesTest, OfWhatHasFailedGroupsTakeTurnsToo) {
  for (const Slot slot : {1, 2, 3}) want(slot, now, 1);
  want(4, now, 2);
  sent();
  for (const Slot slot : {1, 2, 3, 4}) fail(slot);
  now += 1s;
  EXPECT_THAT(sent(2), ::testing::Contains(4)) << "one of the other group may be before it";
  EXPECT_EQ(writes.troubled(), 4U) << "those on their way, and those that wait";
}

}  // namespace
}  // namespace nlc::controller
