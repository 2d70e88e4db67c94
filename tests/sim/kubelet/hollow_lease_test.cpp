#include "sim/kubelet/hollow_lease.h"

#include <gtest/gtest.h>

namespace nlc::sim {
namespace {

using namespace std::chrono_literals;

constexpr Duration duration = 40s;

Result<api::Lease> lease(std::string version) {
  return api::Lease{.name = "n", .resource_version = std::move(version)};
}

Result<api::Lease> refused(Fault fault) { return Error{fault, "refused"}; }

/// A keeper that has found its lease at version 7, updated it to 8 and rests.
LeaseKeeper resting_keeper(Random& random) {
  LeaseKeeper keeper(duration);
  EXPECT_EQ(keeper.begin(0s).action, LeaseAction::Read);
  EXPECT_EQ(keeper.on_read(lease("7"), random).action, LeaseAction::Update);
  EXPECT_EQ(keeper.on_updated(lease("8"), random).action, LeaseAction::Wait);
  return keeper;
}

TEST(HollowLease, RenewalIsDueAfterAQuarterOfTheDurationAndAtMostFourPercentLater) {
  Random random(1);
  LeaseKeeper keeper = resting_keeper(random);
  for (int renewal = 0; renewal < 100; ++renewal) {
    EXPECT_EQ(keeper.wake().action, LeaseAction::Update);
    const LeaseStep rest = keeper.on_updated(lease("9"), random);
    ASSERT_EQ(rest.action, LeaseAction::Wait);
    EXPECT_GE(rest.wait, 10s);
    EXPECT_LE(rest.wait, 10400ms);
  }
}

TEST(HollowLease, UpdateBuildsOnTheVersionOfTheLastAnswerWithoutReading) {
  Random random(1);
  LeaseKeeper keeper = resting_keeper(random);
  EXPECT_EQ(keeper.wake().action, LeaseAction::Update);
  EXPECT_EQ(keeper.version(), "8");
}

TEST(HollowLease, MissingLeaseIsCreatedOnceItsNodeIsThere) {
  Random random(1);
  LeaseKeeper keeper(duration);
  EXPECT_EQ(keeper.begin(0s).action, LeaseAction::Read);
  EXPECT_EQ(keeper.on_read(refused(Fault::NotFound), random).action, LeaseAction::ReadOwner);
  EXPECT_EQ(keeper.on_owner(true, random).action, LeaseAction::Create);
  EXPECT_EQ(keeper.on_created(lease("3"), random).action, LeaseAction::Wait);
  EXPECT_EQ(keeper.wake().action, LeaseAction::Update);
}

TEST(HollowLease, WithoutItsNodeTheLeaseIsLeftForTheNextRenewal) {
  Random random(1);
  LeaseKeeper keeper(duration);
  keeper.begin(0s);
  keeper.on_read(refused(Fault::NotFound), random);
  const LeaseStep step = keeper.on_owner(false, random);
  EXPECT_EQ(step.action, LeaseAction::Wait);
  EXPECT_GE(step.wait, 10s);
  EXPECT_EQ(keeper.wake().action, LeaseAction::Read);
}

TEST(HollowLease, ConflictIsFollowedByAReadAndAnUpdateOfWhatWasRead) {
  Random random(1);
  LeaseKeeper keeper = resting_keeper(random);
  keeper.wake();
  EXPECT_EQ(keeper.on_updated(refused(Fault::Conflict), random).action, LeaseAction::Read);
  EXPECT_EQ(keeper.on_read(lease("20"), random).action, LeaseAction::Update);
  EXPECT_EQ(keeper.version(), "20");
}

TEST(HollowLease, FiveQuickUpdatesFailBeforeTheLeaseIsReadAnew) {
  Random random(1);
  LeaseKeeper keeper = resting_keeper(random);
  keeper.wake();
  for (int failure = 1; failure < 5; ++failure) {
    EXPECT_EQ(keeper.on_updated(refused(Fault::Unavailable), random).action, LeaseAction::Update);
  }
  EXPECT_EQ(keeper.on_updated(refused(Fault::Unavailable), random).action, LeaseAction::Read);
}

TEST(HollowLease, SecondFiveFailuresEndTheRenewalUntilTheNextOne) {
  Random random(1);
  LeaseKeeper keeper = resting_keeper(random);
  keeper.wake();
  for (int failure = 0; failure < 5; ++failure) {
    keeper.on_updated(refused(Fault::Unavailable), random);
  }
  EXPECT_EQ(keeper.on_read(lease("8"), random).action, LeaseAction::Update);
  for (int failure = 1; failure < 5; ++failure) {
    EXPECT_EQ(keeper.on_updated(refused(Fault::Unavailable), random).action, LeaseAction::Update);
  }
  const LeaseStep step = keeper.on_updated(refused(Fault::Unavailable), random);
  EXPECT_EQ(step.action, LeaseAction::Wait);
  EXPECT_GE(step.wait, 10s);
}

TEST(HollowLease, UnreadableLeaseIsTriedAgainAfter200MillisecondsDoublingTo7Seconds) {
  Random random(1);
  LeaseKeeper keeper(duration);
  keeper.begin(0s);
  for (const Duration wait : {200ms, 400ms, 800ms, 1600ms, 3200ms, 6400ms, 7000ms, 7000ms}) {
    const LeaseStep step = keeper.on_read(refused(Fault::Unavailable), random);
    EXPECT_EQ(step.action, LeaseAction::Wait);
    EXPECT_EQ(step.wait, wait);
    EXPECT_EQ(keeper.wake().action, LeaseAction::Read);
  }
}

TEST(HollowLease, FirstRestPlacesTheRenewalsInTheInterval) {
  Random random(1);
  LeaseKeeper keeper(duration);
  keeper.begin(3s);
  keeper.on_read(lease("7"), random);
  EXPECT_EQ(keeper.on_updated(lease("8"), random).wait, 3s);
  keeper.wake();
  EXPECT_GE(keeper.on_updated(lease("9"), random).wait, 10s);
}

}  // namespace
}  // namespace nlc::sim
