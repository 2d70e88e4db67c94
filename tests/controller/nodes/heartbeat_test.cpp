#include "controller/nodes/heartbeat.h"

#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;

const AvailableTime begin{std::chrono::hours(5)};
const Policy graces{.monitor_grace = 40s, .startup_grace = 60s};

Heartbeats status_at(WallTime time) { return {.has_ready = true, .status = time, .lease = {}}; }
Heartbeats lease_at(WallTime time) { return {.has_ready = true, .status = noon, .lease = time}; }

TEST(Heartbeat, StatusThatMovesInAnyDirectionIsLife) {
  const HeartbeatMemory before = first_memory(status_at(noon), begin, 0s);
  EXPECT_EQ(next_memory(before, status_at(noon + 10s), begin + 10s).last_moved, begin + 10s);
  EXPECT_EQ(next_memory(before, status_at(noon - 1h), begin + 10s).last_moved, begin + 10s);
  EXPECT_EQ(next_memory(before, status_at(noon), begin + 10s).last_moved, begin);
}

TEST(Heartbeat, LeaseThatGrowsIsLifeHoweverOldItsTime) {
  const HeartbeatMemory before = first_memory(lease_at(noon - 24h), begin, 0s);
  EXPECT_EQ(next_memory(before, lease_at(noon - 23h), begin + 10s).last_moved, begin + 10s);
}

TEST(Heartbeat, LeaseThatRunsBackwardsIsLifeForTheKubeletsClockWasSet) {
  const HeartbeatMemory before = first_memory(lease_at(noon), begin, 0s);
  const HeartbeatMemory back = next_memory(before, lease_at(noon - 10s), begin + 10s);
  EXPECT_EQ(back.last_moved, begin + 10s);
  EXPECT_EQ(next_memory(back, lease_at(noon - 10s), begin + 20s).last_moved, begin + 10s);
  EXPECT_EQ(next_memory(back, lease_at(noon), begin + 20s).last_moved, begin + 20s);
}

TEST(Heartbeat, LeaseThatIsSeenFirstIsLifeButMayBeOldAndTheNextIsHeard) {
  const HeartbeatMemory before = first_memory(status_at(noon), begin, 0s);
  const HeartbeatMemory first = next_memory(before, lease_at(noon), begin + 10s);
  EXPECT_EQ(first.last_moved, begin + 10s);
  EXPECT_FALSE(first.heard);
  EXPECT_TRUE(next_memory(first, lease_at(noon + 10s), begin + 20s).heard);
  EXPECT_TRUE(next_memory(before, status_at(noon + 10s), begin + 10s).heard);
}

TEST(Heartbeat, OnlyALaterTimeShowsAWriteSinceWhateverItsVersion) {
  EXPECT_TRUE(shows_later_write(lease_at(noon), lease_at(noon + 1s)));
  EXPECT_TRUE(shows_later_write(status_at(noon), status_at(noon + 1s)));
  EXPECT_FALSE(shows_later_write(lease_at(noon), lease_at(noon)));
  EXPECT_FALSE(shows_later_write(lease_at(noon), lease_at(noon - 1s)));
  EXPECT_FALSE(shows_later_write(status_at(noon), lease_at(noon))) << "the first lease may be old";
}

TEST(Heartbeat, OnlyALeaseWithALaterTimeProvesThatLeasesAreTaken) {
  EXPECT_TRUE(proves_writes(lease_at(noon), lease_at(noon + 1s), true));
  EXPECT_FALSE(proves_writes(lease_at(noon), lease_at(noon), true));
  EXPECT_FALSE(proves_writes(lease_at(noon), lease_at(noon - 1s), true))
      << "a backup may have brought back one that was deleted since";
  EXPECT_FALSE(proves_writes(status_at(noon), lease_at(noon), true)) << "the first may be old";
}

TEST(Heartbeat, StatusThatMovesProvesThatWritesAreTakenWhereNoNodeHasALease) {
  Heartbeats both = lease_at(noon);
  both.status = noon + 10s;
  EXPECT_TRUE(proves_writes(status_at(noon), status_at(noon + 10s), false));
  EXPECT_FALSE(proves_writes(status_at(noon), status_at(noon), false));
  EXPECT_FALSE(proves_writes({}, status_at(noon), false)) << "the first may be old";
  EXPECT_FALSE(proves_writes(status_at(noon), both, false)) << "leases may be refused";
  EXPECT_FALSE(proves_writes(status_at(noon), status_at(noon + 10s), true))
      << "who has just come cannot write a lease then";
}

TEST(Heartbeat, UnchangedLeaseCountsOnceAlsoAfterAStatusHeartbeat) {
  const HeartbeatMemory before = first_memory(lease_at(noon), begin, 0s);
  Heartbeats status_moved = lease_at(noon);
  status_moved.status = noon + 10s;
  const HeartbeatMemory moved = next_memory(before, status_moved, begin + 10s);
  EXPECT_EQ(moved.last_moved, begin + 10s);
  EXPECT_EQ(next_memory(moved, status_moved, begin + 15s).last_moved, begin + 10s);
}

TEST(Heartbeat, LeaseThatVanishesAndComesBackAsItWasIsNoLife) {
  const HeartbeatMemory before = first_memory(lease_at(noon), begin, 0s);
  const HeartbeatMemory without = next_memory(before, status_at(noon), begin + 10s);
  EXPECT_EQ(next_memory(without, lease_at(noon), begin + 20s).last_moved, begin);
}

TEST(Heartbeat, LeaseWithoutARenewTimeCountsOnce) {
  const HeartbeatMemory before = first_memory(status_at(noon), begin, 0s);
  const Heartbeats seen = lease_at(renewal_of({}));
  const HeartbeatMemory after = next_memory(before, seen, begin + 10s);
  EXPECT_EQ(after.last_moved, begin + 10s);
  EXPECT_EQ(next_memory(after, seen, begin + 20s).last_moved, begin + 10s);
}

TEST(Heartbeat, ReadyConditionThatWeWroteForAKubeletThatNeverDidIsNoLife) {
  api::Node node = node_with_ready("n", api::ConditionStatus::Unknown);
  node.conditions.front().reason = "NodeStatusNeverUpdated";
  const HeartbeatMemory before = first_memory({}, begin, 60s);
  EXPECT_EQ(next_memory(before, heartbeats_of(node, nullptr), begin + 1s).last_moved, begin - 60s);
}

TEST(Heartbeat, LeaseThatGainsARenewTimeCounts) {
  const HeartbeatMemory before = first_memory(status_at(noon), begin, 0s);
  EXPECT_EQ(next_memory(before, lease_at(noon), begin + 10s).last_moved, begin + 10s);
}

TEST(Heartbeat, DeletedLeaseIsNeitherLifeNorDeath) {
  const HeartbeatMemory before = first_memory(lease_at(noon), begin, 0s);
  EXPECT_EQ(next_memory(before, status_at(noon), begin + 10s).last_moved, begin);
}

TEST(Heartbeat, NodeThatNeverReportedIsSilentSinceItsCreation) {
  const HeartbeatMemory memory = first_memory({}, begin, 59s);
  EXPECT_EQ(grace_end(memory, graces), begin + 1s);
}

TEST(Heartbeat, CreationInTheFutureDoesNotLengthenTheStartupGrace) {
  EXPECT_EQ(grace_end(first_memory({}, begin, -1h), graces), begin + 60s);
}

TEST(Heartbeat, NodeThatReportsGetsAFullGraceFromItsFirstSight) {
  EXPECT_EQ(grace_end(first_memory(status_at(noon), begin, 24h), graces), begin + 40s);
}

TEST(Heartbeat, GraceThatIsShorterThanTheMonitorPeriodCountsAsThatPeriod) {
  const Policy hasty{.monitor_period = 5s, .monitor_grace = 1ms};
  EXPECT_EQ(grace_end(first_memory(status_at(noon), begin, 24h), hasty), begin + 5s);
}

TEST(Heartbeat, FirstStatusOfANodeIsLife) {
  const HeartbeatMemory before = first_memory({}, begin, 50s);
  EXPECT_EQ(next_memory(before, status_at(noon), begin + 5s).last_moved, begin + 5s);
}

TEST(Heartbeat, ReadyConditionThatVanishesGivesNoFreshStart) {
  const HeartbeatMemory before = first_memory(status_at(noon), begin, 0s);
  const HeartbeatMemory after = next_memory(before, {}, begin + 10s);
  EXPECT_EQ(after.last_moved, begin);
  EXPECT_EQ(grace_end(after, graces), begin + 60s);
}

}  // namespace
}  // namespace nlc::controller
