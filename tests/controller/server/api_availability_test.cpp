#include "controller/server/api_availability.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;

TEST(ApiAvailability, KeepsPaceWithTheClockWhileProofsCome) {
  ApiAvailability availability(10s, start);
  const AvailableTime first = availability.at(start);
  for (int i = 1; i <= 10; ++i) availability.prove(start + i * 9s);
  EXPECT_EQ(availability.at(start + 90s) - first, 90s);
  EXPECT_EQ(availability.blind_time(start + 90s), 0s);
}

TEST(ApiAvailability, GapOfExactlyTheLimitIsStillAvailable) {
  ApiAvailability availability(10s, start);
  EXPECT_FALSE(availability.blind(start + 10s));
  EXPECT_TRUE(availability.blind(start + 10s + 1ns));
}

TEST(ApiAvailability, StandsAtTheLastProofWhileBlind) {
  ApiAvailability availability(10s, start);
  const AvailableTime first = availability.at(start);
  EXPECT_EQ(availability.at(start + 11s), first);
  EXPECT_EQ(availability.at(start + 10min), first);
}

TEST(ApiAvailability, WholeGapIsTakenOffOnceItIsOver) {
  ApiAvailability availability(10s, start);
  const AvailableTime first = availability.at(start);
  availability.prove(start + 60s);
  EXPECT_FALSE(availability.blind(start + 65s));
  EXPECT_EQ(availability.at(start + 65s) - first, 5s);
  EXPECT_EQ(availability.blind_time(start + 65s), 60s);
}

TEST(ApiAvailability, ProofThatComesLateTakesNothingBack) {
  ApiAvailability availability(10s, start);
  availability.prove(start + 9s);
  availability.prove(start + 5s);
  EXPECT_EQ(availability.last_proof(), start + 9s);
  EXPECT_FALSE(availability.blind(start + 19s));
}

TEST(ApiAvailability, ServerIsWellSinceTheLastGapOrForAsLongAsAnybodyKnows) {
  ApiAvailability availability(10s, start);
  EXPECT_EQ(availability.well_for(start + 5s), Duration::max());
  EXPECT_EQ(availability.well_for(start + 11s), 0s);
  availability.prove(start + 60s);
  EXPECT_EQ(availability.well_for(start + 65s), 5s);
}

TEST(ApiAvailability, AfterAGapNodesHaveFifteenSecondsToSayHowTheyAre) {
  ApiAvailability availability(10s, start);
  availability.prove(start + 10s);
  EXPECT_TRUE(availability.settled(start + 10s)) << "there was no gap";
  EXPECT_EQ(availability.settles_at(), std::nullopt);
  availability.prove(start + 60s);
  EXPECT_EQ(availability.settles_at(), start + 75s);
  EXPECT_FALSE(availability.settled(start + 75s - 1ns));
  EXPECT_TRUE(availability.settled(start + 75s));
}

TEST(ApiAvailability, WhatIsDoubtedSettlesFifteenSecondsAfterTheNextProof) {
  ApiAvailability availability(10s, start);
  availability.doubt();
  EXPECT_FALSE(availability.settled(start + 1h));
  EXPECT_EQ(availability.settles_at(), std::nullopt);
  availability.prove(start + 1s);
  EXPECT_EQ(availability.settles_at(), start + 16s);
  availability.prove(start + 2s);
  EXPECT_EQ(availability.settles_at(), start + 16s) << "once";
}

TEST(ApiAvailability, NodesThatCouldNotSayHowTheyAreWithoutAGapSettleAsLateAndAfterNoGap) {
  ApiAvailability availability(10s, start);
  availability.resume(start + 5s);
  EXPECT_EQ(availability.settles_at(), start + 20s);
  EXPECT_FALSE(availability.settled(start + 20s - 1ns));
  EXPECT_TRUE(availability.settled_after_gap(start + 5s));
  availability.prove(start + 60s);
  availability.resume(start + 70s);
  EXPECT_FALSE(availability.settled_after_gap(start + 75s - 1ns));
  EXPECT_TRUE(availability.settled_after_gap(start + 75s));
  EXPECT_EQ(availability.settles_at(), start + 85s);
}

TEST(ApiAvailability, WhatIsSeenWhileBlindIsNoOlderThanAProofThatWaitsBesideItMayShow) {
  for (const Duration stood_still : {9s, 12s}) {
    ApiAvailability availability(10s, start);
    availability.heartbeats_shown(start + 5s, ApiAvailability::Shown::AtOnce);
    const Instant now = start + 5s + stood_still;
    EXPECT_TRUE(availability.blind(now));
    const AvailableTime seen = availability.at_latest(now);
    availability.heartbeat_seen(now);
    EXPECT_EQ(availability.at(now), seen);
    availability.prove(now);
    EXPECT_EQ(availability.at(now), seen);
  }
}

/// A watch broke off in an outage, and a list behind it shows that some node was heard since then.
TEST(ApiAvailability, GapMayHaveLastedUntilAHeartbeatIsSeenThatWasNotShownAtOnce) {
  ApiAvailability availability(10s, start);
  const AvailableTime first = availability.at(start);
  availability.heartbeats_shown(start + 8s, ApiAvailability::Shown::InLists);
  availability.heartbeat_seen(start + 16s);
  EXPECT_EQ(availability.blind_time(start + 16s), 16s) << "it may be of the last moment";
  availability.prove(start + 17s);
  EXPECT_EQ(availability.at(start + 17s) - first, 1s);
}

TEST(ApiAvailability, ThatHeartbeatMayBeOfTheFirstMomentAndTheNextGapBeginsThen) {
  ApiAvailability availability(10s, start);
  const AvailableTime first = availability.at(start);
  availability.heartbeats_shown(start + 8s, ApiAvailability::Shown::InLists);
  availability.heartbeat_seen(start + 16s);
  EXPECT_TRUE(availability.blind(start + 19s));
  availability.prove(start + 19s);
  EXPECT_EQ(availability.blind_time(start + 19s), 19s) << "none of it is counted twice";
  EXPECT_EQ(availability.at(start + 25s) - first, 6s);
}

TEST(ApiAvailability, WhatIsShownOfAnotherTimeProvesNothing) {
  ApiAvailability availability(10s, start);
  availability.heartbeats_shown(start + 8s, ApiAvailability::Shown::OfAnotherTime);
  availability.heartbeat_seen(start + 16s);
  EXPECT_EQ(availability.last_proof(), start);
  EXPECT_EQ(availability.shown_until(start + 16s), start + 8s);
}

TEST(ApiAvailability, WhatIsSeenWhileBlindIsOfTheLastProofWhereHeartbeatsAreShownAtOnce) {
  ApiAvailability availability(10s, start);
  availability.heartbeats_shown(start + 60s, ApiAvailability::Shown::AtOnce);
  EXPECT_EQ(availability.at_latest(start + 60s), availability.at(start));
}

TEST(ApiAvailability, TellsWhenAvailableTimeWillHaveComeToAMoment) {
  ApiAvailability availability(10s, start);
  const AvailableTime first = availability.at(start);
  EXPECT_EQ(availability.reaches(first + 40s), start + 40s);
  availability.prove(start + 60s);
  EXPECT_EQ(availability.reaches(first + 40s), start + 100s);
}

}  // namespace
}  // namespace nlc::controller
