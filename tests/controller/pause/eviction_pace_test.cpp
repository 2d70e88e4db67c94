#include "controller/pause/eviction_pace.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace std::chrono_literals;
using testing::start;
using Wait = EvictionPace::Wait;
using enum EvictionStep;

EvictionPace::Place in_zone(const std::string& zone, Slot node, double nodes_per_second = 0.1) {
  return {.node = node, .zone = zone, .nodes_per_second = nodes_per_second, .recovered = {}};
}

/// How many of pods that ask every tenth of a second leave until then.
int left(EvictionPace& pace, const EvictionPace::Place& place, Instant from, Duration during) {
  int count = 0;
  for (Instant now = from; now < from + during; now += 100ms) {
    if (pace.ask(place, from, Mark, now) != Wait::Not) continue;
    pace.requested(place, from, Mark, now);
    ++count;
  }
  return count;
}

TEST(EvictionPace, NobodyWaitsWhereThereIsNoLimitAndNothingWasHeld) {
  EvictionPace pace;
  EXPECT_EQ(left(pace, in_zone("a", 0), start, 10s), 100);
}

TEST(EvictionPace, AsManyLeaveInASecondAsAreAllowedInAll) {
  EvictionPace pace;
  pace.set_limits({.pods_per_second = 2}, start);
  EXPECT_EQ(left(pace, in_zone("a", 0), start, 10s), 20);
  EXPECT_EQ(pace.ask(in_zone("b", 1), start, Mark, start + 10s - 100ms), Wait::PodsTurn);
}

TEST(EvictionPace, ZonesDoNotWaitForOneAnother) {
  EvictionPace pace;
  pace.set_limits({.pods_per_second_and_zone = 1}, start);
  EXPECT_EQ(left(pace, in_zone("a", 0), start, 10s), 10);
  EXPECT_EQ(left(pace, in_zone("b", 1), start, 10s), 10);
}

TEST(EvictionPace, BothStepsOfAnEvictionLeaveAtThePaceWithoutWaitingForOneAnother) {
  EvictionPace pace;
  pace.set_limits({.pods_per_second = 1}, start);
  const auto place = in_zone("a", 0);
  pace.requested(place, start, Mark, start);
  EXPECT_EQ(pace.ask(place, start, Mark, start), Wait::PodsTurn);
  EXPECT_EQ(pace.ask(place, start, Delete, start), Wait::Not);
  pace.requested(place, start, Delete, start);
  EXPECT_EQ(pace.ask(place, start, Delete, start), Wait::PodsTurn);
  EXPECT_EQ(pace.current_wait(place, start, start), Wait::PodsTurn);
}

/// A slow server, or a pause, came between.
TEST(EvictionPace, PodsThatWereMarkedOneByOneAreDeletedOneByOneHoweverLate) {
  EvictionPace pace;
  pace.set_limits({.pods_per_second = 1}, start);
  const auto place = in_zone("a", 0);
  ASSERT_EQ(left(pace, place, start, 10s), 10);
  const Instant later = start + 1min;
  EXPECT_EQ(pace.ask(place, start, Delete, later), Wait::Not);
  pace.requested(place, start, Delete, later);
  EXPECT_EQ(pace.ask(place, start, Delete, later + 1s - 1ms), Wait::PodsTurn);
  EXPECT_EQ(pace.ask(place, start, Delete, later + 1s), Wait::Not);
}

TEST(EvictionPace, NodesWhosePodsWereMarkedInTheirTurnsAreLeftInTurnsHoweverLate) {
  EvictionPace pace;
  for (const Slot node : {0U, 1U}) {
    pace.held(node, start);
    ASSERT_EQ(pace.ask(in_zone("a", node), start, Mark, start + 10s * node), Wait::Not);
    pace.requested(in_zone("a", node), start, Mark, start + 10s * node);
  }
  const Instant later = start + 1min;
  EXPECT_EQ(pace.ask(in_zone("a", 0), start, Delete, later), Wait::Not);
  pace.requested(in_zone("a", 0), start, Delete, later);
  EXPECT_EQ(pace.ask(in_zone("a", 0), start, Delete, later), Wait::Not) << "it is its turn";
  EXPECT_EQ(pace.ask(in_zone("a", 1), start, Delete, later), Wait::NodesTurn);
  EXPECT_EQ(pace.ask(in_zone("a", 1), start, Delete, later + 10s), Wait::Not);
}

TEST(EvictionPace, WhatADisruptionHeldLeavesNodeByNode) {
  EvictionPace pace;
  const auto recovered = [](Slot node) {
    auto place = in_zone("a", node);
    place.held_until = start;
    return place;
  };
  EXPECT_EQ(pace.ask(recovered(0), start - 1s, Mark, start), Wait::Not);
  pace.requested(recovered(0), start - 1s, Mark, start);
  EXPECT_EQ(pace.ask(recovered(1), start - 1s, Mark, start), Wait::NodesTurn);
  EXPECT_EQ(pace.ask(recovered(1), start + 1ns, Mark, start + 1s), Wait::Not)
      << "it was not due then";
  EXPECT_EQ(pace.ask(recovered(1), start - 1s, Mark, start + 10s), Wait::Not);
}

TEST(EvictionPace, NodeThatIsHeldASecondTimeWaitsForASecondTurn) {
  EvictionPace pace;
  pace.held(0, start);
  pace.ask(in_zone("a", 0), start, Mark, start);
  pace.requested(in_zone("a", 0), start, Mark, start);
  pace.held(0, start + 1s);
  EXPECT_EQ(pace.ask(in_zone("a", 0), start, Mark, start + 1s), Wait::NodesTurn);
  pace.forget(0);
  EXPECT_FALSE(pace.remembers(0));
  EXPECT_EQ(pace.ask(in_zone("a", 0), start, Mark, start + 1s), Wait::Not);
}

TEST(EvictionPace, AfterATakeoverItBeginsEmptyAndForAMinuteWithAQuarter) {
  EvictionPace pace;
  pace.set_limits({.pods_per_second = 5}, start);
  pace.take_over(start);
  const auto place = in_zone("a", 0);
  EXPECT_EQ(pace.ask(place, start, Mark, start), Wait::PodsTurn);
  EXPECT_NEAR(left(pace, place, start, 60s), 75, 1);
  EXPECT_NEAR(left(pace, place, start + 60s, 60s), 300, 2);
}

TEST(EvictionPace, LimitThatIsReadAfterTheTakeoverBeginsSlowlyAsWell) {
  EvictionPace pace;
  pace.take_over(start);
  pace.set_limits({.pods_per_second = 4}, start + 1s);
  EXPECT_EQ(pace.ask(in_zone("a", 0), start, Mark, start + 1s), Wait::PodsTurn);
}

TEST(EvictionPace, ZoneThatLeavesDisruptionBeginsSlowlyAlone) {
  EvictionPace pace;
  pace.set_limits({.pods_per_second = 4}, start);
  auto back = in_zone("a", 0);
  back.recovered = start;
  EXPECT_EQ(left(pace, back, start, 30s), 29);
  EXPECT_GT(left(pace, in_zone("b", 1), start + 30s, 30s), 90);
}

TEST(EvictionPace, ZoneThatLeavesDisruptionBeginsEmptyAlsoWhereItsPodsWaitedBefore) {
  EvictionPace pace;
  pace.set_limits({.pods_per_second_and_zone = 4}, start);
  auto place = in_zone("a", 0);
  EXPECT_EQ(pace.ask(place, start, Mark, start), Wait::Not);
  place.recovered = start + 1s;
  EXPECT_EQ(pace.ask(place, start, Mark, start + 1s), Wait::PodsTurn);
  EXPECT_EQ(pace.ask(place, start, Mark, start + 2s), Wait::Not) << "a quarter of four";
}

TEST(EvictionPace, WhatBeginsSlowlyDoesSoForAMinute) {
  const auto leaves_four_in_a_second = [](EvictionPace& pace, const EvictionPace::Place& place) {
    const Instant then = start + 1min;
    EXPECT_EQ(pace.ask(place, start, Mark, then), Wait::Not);
    pace.requested(place, start, Mark, then);
    return pace.ask(place, start, Mark, then + 250ms) == Wait::Not;
  };
  EvictionPace in_all;
  in_all.set_limits({.pods_per_second = 4}, start);
  in_all.take_over(start);
  EXPECT_TRUE(leaves_four_in_a_second(in_all, in_zone("a", 0)));

  EvictionPace in_zones;
  in_zones.set_limits({.pods_per_second_and_zone = 4}, start);
  in_zones.take_over(start);
  EXPECT_TRUE(leaves_four_in_a_second(in_zones, in_zone("a", 0)));

  EvictionPace in_one;
  in_one.set_limits({.pods_per_second_and_zone = 4}, start);
  auto back = in_zone("a", 0);
  back.recovered = start;
  in_one.ask(back, start, Mark, start);
  EXPECT_TRUE(leaves_four_in_a_second(in_one, back));

  EvictionPace limited_late;
  limited_late.take_over(start);
  limited_late.set_limits({.pods_per_second = 4}, start + 1min);
  EXPECT_TRUE(leaves_four_in_a_second(limited_late, in_zone("a", 0)));
}

TEST(EvictionPace, LimitThatIsTakenAwayHoldsNobody) {
  EvictionPace pace;
  pace.set_limits({.pods_per_second = 1, .pods_per_second_and_zone = 1}, start);
  EXPECT_EQ(left(pace, in_zone("a", 0), start, 1s), 1);
  pace.set_limits({.pods_per_second_and_zone = 1}, start);
  EXPECT_EQ(pace.ask(in_zone("a", 0), start, Mark, start + 500ms), Wait::PodsTurn);
  pace.set_limits({}, start);
  EXPECT_EQ(left(pace, in_zone("a", 0), start, 1s), 10);
}

TEST(EvictionPace, PodThatFoundNoTokenAsksAgainWhenTheLineThatItWaitsForHasOne) {
  EvictionPace pace;
  pace.set_limits({.pods_per_second = 1, .pods_per_second_and_zone = 0.5}, start);
  const auto place = in_zone("a", 0);
  pace.ask(place, start, Mark, start);
  pace.requested(place, start, Mark, start);
  EXPECT_EQ(pace.ask_again(place, Mark, Wait::PodsTurn, start), start + 1s) << "of all";
  EXPECT_EQ(pace.ask_again(place, Mark, Wait::PodsTurn, start + 1s), start + 2s) << "of its zone";
}

TEST(EvictionPace, TheLastOfThoseThatItWaitsForIsTold) {
  EvictionPace pace;
  const auto place = in_zone("a", 0);
  EXPECT_EQ(pace.until(place, Wait::PodsTurn), std::nullopt) << "nobody asked there yet";
  pace.set_limits({.pods_per_second = 1, .pods_per_second_and_zone = 0.5}, start);
  pace.held(0, start);
  pace.ask(place, start, Mark, start);
  EXPECT_EQ(pace.until(place, Wait::Not), std::nullopt);
  pace.requested(place, start, Mark, start);
  pace.requested(place, start, Delete, start + 100ms);
  EXPECT_EQ(pace.until(place, Wait::PodsTurn), start + 2100ms) << "its zone's";
  EXPECT_EQ(pace.until(place, Wait::NodesTurn), start + 10100ms);
  TokenBucket turns(0.01, start);
  turns.take(start);
  auto shares = place;
  shares.turns = &turns;
  EXPECT_EQ(pace.until(shares, Wait::NodesTurn), start + 100s);
  pace.set_limits({.pods_per_second = 0.1}, start + 1s);
  pace.ask(place, start, Mark, start + 1s);
  EXPECT_EQ(pace.until(place, Wait::PodsTurn), start + 11s) << "of all";
}

TEST(EvictionPace, WhatWasHeldLeavesNodeByNodeAtTheRateOfItsZone) {
  EvictionPace pace;
  for (const Slot node : {0U, 1U, 2U}) pace.held(node, start);
  const auto ask = [&](Slot node, Instant now) {
    return pace.ask(in_zone("a", node), start - 1s, Mark, now);
  };
  EXPECT_EQ(ask(0, start), Wait::Not);
  pace.requested(in_zone("a", 0), start - 1s, Mark, start);
  EXPECT_EQ(ask(0, start), Wait::Not) << "its turn is that of all its pods";
  EXPECT_EQ(ask(1, start), Wait::NodesTurn);
  EXPECT_EQ(ask(1, start + 10s - 1ms), Wait::NodesTurn);
  EXPECT_EQ(ask(1, start + 10s), Wait::Not);
}

TEST(EvictionPace, AfterATakeoverEvenTheFirstThatWasHeldWaitsForItsTurn) {
  for (const bool asked_before : {false, true}) {
    EvictionPace pace;
    const auto place = in_zone("a", 0);
    pace.held(0, start);
    pace.held(1, start);
    if (asked_before) pace.ask(in_zone("a", 1), start, Mark, start);
    pace.take_over(start + 20s);
    EXPECT_EQ(pace.ask(place, start, Mark, start + 20s), Wait::NodesTurn) << asked_before;
    EXPECT_EQ(pace.ask(place, start, Mark, start + 30s), Wait::Not) << asked_before;
  }
}

TEST(EvictionPace, NodesThatWereHeldShareTheTokensOfThoseThatWaitInTheirZone) {
  TokenBucket turns(0.1, start);
  EvictionPace pace;
  auto place = in_zone("a", 0);
  place.turns = &turns;
  pace.held(0, start);
  EXPECT_EQ(pace.ask(place, start, Mark, start), Wait::Not);
  pace.requested(place, start, Mark, start);
  EXPECT_TRUE(turns.has_token(start)) << "a mark takes none";
  turns.take(start);
  EXPECT_EQ(pace.ask(place, start, Delete, start), Wait::NodesTurn);
  EXPECT_EQ(pace.ask_again(place, Delete, Wait::NodesTurn, start), start + 10s);
  EXPECT_EQ(pace.ask(place, start, Delete, start + 10s), Wait::Not);
  pace.requested(place, start, Delete, start + 10s);
  EXPECT_FALSE(turns.has_token(start + 11s));
}

TEST(EvictionPace, OnlyDeletionsWaitForTheTokensOfThoseThatWaitInTheirZone) {
  TokenBucket turns(0.1, start);
  turns.take(start);
  EvictionPace pace;
  auto place = in_zone("a", 0, 1);
  place.turns = &turns;
  pace.held(0, start);
  EXPECT_EQ(pace.ask(place, start, Mark, start), Wait::Not);
  pace.requested(place, start, Mark, start);
  pace.requested(place, start, Delete, start);
  EXPECT_EQ(pace.ask_again(place, Mark, Wait::NodesTurn, start), start + 1s);
  EXPECT_EQ(pace.ask_again(place, Delete, Wait::NodesTurn, start), start + 10s);
  auto alone = in_zone("a", 0, 1);
  EXPECT_EQ(pace.ask_again(alone, Delete, Wait::NodesTurn, start), start + 2s);
}

TEST(EvictionPace, WhatWasNotDueWhileItsNodeWasHeldDoesNotWaitForIt) {
  EvictionPace pace;
  pace.held(0, start);
  pace.requested(in_zone("a", 0), start, Mark, start);
  pace.held(1, start);
  EXPECT_EQ(pace.ask(in_zone("a", 1), start + 1s, Mark, start + 1s), Wait::Not);
}

TEST(EvictionPace, ZoneThatStoodStillLetsNothingGo) {
  EvictionPace pace;
  pace.held(0, start);
  EXPECT_EQ(pace.ask(in_zone("a", 0, 0), start, Mark, start + 1h), Wait::NodesTurn);
  EXPECT_EQ(pace.ask(in_zone("a", 0, 0.1), start, Mark, start + 1h), Wait::NodesTurn);
  EXPECT_EQ(pace.ask(in_zone("a", 0, 0.1), start, Mark, start + 1h + 10s), Wait::Not);
}

TEST(PacedLine, WhoFindsNoTokenAsksAgainInHisTurnAndSoonEnough) {
  PacedLine line(1, start);
  line.take(start);
  for (int turn = 1; turn <= 10; ++turn) EXPECT_EQ(line.ask_again(start), start + turn * 1s);
  EXPECT_EQ(line.ask_again(start), start + 1s) << "nobody later than in ten seconds";
  for (int i = 0; i < 1000; ++i) {
    const Instant again = line.ask_again(start);
    EXPECT_GT(again, start);
    EXPECT_LE(again, start + PacedLine::recheck_max);
  }
}

}  // namespace
}  // namespace nlc::controller
