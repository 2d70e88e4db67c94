#include <gmock/gmock.h>

#include "tests/election/election_world.h"

/// Before a candidate takes a lock that it does not hold, it looks whether somebody still leads by
/// a lock of another kind.
namespace nlc::election::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Locks of other kinds that were read.
std::ptrdiff_t reads_of_others(const ElectionWorld& world) {
  return std::ranges::count(world.resources, "get endpoints") +
         std::ranges::count(world.resources, "get configmaps");
}

TEST(MigrationCheck, WhereThereIsNoOtherLockACandidateLeadsAtOnce) {
  ElectionWorld world;
  Contender fresh(world, "new");
  world.time.run_for(20ms);

  EXPECT_TRUE(fresh.may_write());
  EXPECT_EQ(reads_of_others(world), 2);
}

TEST(MigrationCheck, AJumpPastTheStepBetweenIsRefusedWithTheWordsHowToMigrate) {
  for (const LockKind old : {LockKind::Endpoints, LockKind::ConfigMaps}) {
    ElectionWorld world;
    Contender a(world, "a", 1, {.lock = old});
    world.time.run_for(5s);
    Contender fresh(world, "new");
    bool both = false;
    world.watch_for(1min, 10ms, [&] { both = both || fresh.may_write(); });

    EXPECT_FALSE(both);
    EXPECT_THAT(fresh.board.read()->trouble,
                AllOf(HasSubstr("still renewed by a"), HasSubstr("two leaders"),
                      HasSubstr(std::string(name_of(old)) + "leases, then to leases")));
    EXPECT_LE(fresh.log.count("still renewed by a"), 2U) << "once a minute";
  }
}

TEST(MigrationCheck, AJumpBackIsRefusedToo) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(5s);
  Contender fresh(world, "new", 2, {.lock = LockKind::Endpoints});
  world.time.run_for(10s);

  EXPECT_FALSE(fresh.may_write());
  EXPECT_THAT(fresh.board.read()->trouble,
              AllOf(HasSubstr("leases kube-system/node-lifecycle-controller"),
                    HasSubstr("endpointsleases, then to endpoints")));
}

TEST(MigrationCheck, LocksThatShareNoObjectSeeEachOtherWhereverTheyStand) {
  for (const auto& [old, other] : {std::pair(LockKind::Endpoints, LockKind::ConfigMaps),
                                   std::pair(LockKind::Endpoints, LockKind::ConfigMapsLeases),
                                   std::pair(LockKind::ConfigMaps, LockKind::EndpointsLeases)}) {
    ElectionWorld world;
    Contender a(world, "a", 1, {.lock = old});
    world.time.run_for(5s);
    Contender b(world, "b", 2, {.lock = other});
    world.time.run_for(1min);

    EXPECT_TRUE(a.may_write());
    EXPECT_FALSE(b.may_write());
    EXPECT_THAT(b.board.read()->trouble, HasSubstr("leases, then to leases, then to "));
  }
}

TEST(MigrationCheck, WhoeverClaimLocksThatShareNoObjectInOneMomentDoNotBothLead) {
  for (const LockKind other : {LockKind::Leases, LockKind::ConfigMaps}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      ElectionWorld world;
      Contender a(world, "a", seed, {.lock = LockKind::Endpoints});
      Contender b(world, "b", seed + 100, {.lock = other});
      bool both = false;
      world.watch_for(3min, 10ms, [&] { both = both || (a.may_write() && b.may_write()); });

      EXPECT_FALSE(both);
      EXPECT_TRUE(a.may_write() || b.may_write());
    }
  }
}

TEST(MigrationCheck, AfterARefusalTheCandidateContendsOnAndLeadsWhenTheOtherIsGone) {
  ElectionWorld world;
  Contender a(world, "a", 1, {.lock = LockKind::Endpoints});
  world.time.run_for(5s);
  Contender fresh(world, "new");
  world.time.run_for(10s);
  a.stop();
  world.time.run_for(4s);

  EXPECT_TRUE(fresh.may_write());
  EXPECT_EQ(fresh.board.read()->trouble, "");
  EXPECT_EQ(fresh.log.count("election is no longer in trouble"), 1U);
}

TEST(MigrationCheck, ALeaderOfAnotherKindThatCameWhileWeWereCutOffIsRespectedToo) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(5s);
  a.link.set_link(Link::Silent);
  world.time.run_for(5s);
  Contender b(world, "b", 2, {.lock = LockKind::Endpoints});
  world.time.run_for(30s);
  EXPECT_TRUE(b.may_write());
  a.link.set_link(Link::Up);
  bool both = false;
  world.watch_for(1min, 10ms, [&] { both = both || (a.may_write() && b.may_write()); });

  EXPECT_FALSE(both);
  EXPECT_TRUE(b.may_write());
}

TEST(MigrationCheck, FromThePairToEitherHalfIsAllowed) {
  for (const LockKind to : {LockKind::Leases, LockKind::Endpoints}) {
    ElectionWorld world;
    Contender a(world, "a", 1, {.lock = LockKind::EndpointsLeases});
    world.time.run_for(5s);
    Contender fresh(world, "new", 2, {.lock = to});
    world.time.run_for(5s);
    EXPECT_EQ(fresh.board.read()->trouble, "");
    a.link.set_link(Link::Silent);
    a.elector.reset();
    world.time.run_for(15s + 2s + 1s);

    EXPECT_TRUE(fresh.may_write());
  }
}

TEST(MigrationCheck, ALockThatNobodyRenewsIsDeadAfterItsLease) {
  ElectionWorld world;
  Contender a(world, "a", 1, {.lock = LockKind::Endpoints});
  world.time.run_for(5s);
  a.elector.reset();
  Contender fresh(world, "new");
  world.time.run_for(14s);
  EXPECT_FALSE(fresh.may_write());
  world.time.run_for(5s);

  EXPECT_TRUE(fresh.may_write());
}

TEST(MigrationCheck, ADeadLockOfAnotherKindDelaysNoTakeoverByAStandby) {
  ElectionWorld world;
  Contender old(world, "old", 1, {.lock = LockKind::Endpoints});
  world.time.run_for(5s);
  old.elector.reset();
  Contender a(world, "a");
  world.time.run_for(20s);
  Contender b(world, "b", 2);
  world.time.run_for(20s);
  a.stop();
  world.time.run_for(20ms);

  EXPECT_TRUE(b.may_write());
}

TEST(MigrationCheck, AStandbyReadsOtherLocksOnce) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.take_requests();
  Contender b(world, "b", 2);
  world.time.run_for(1min);

  EXPECT_EQ(reads_of_others(world), 2) << "each of the two once";
}

TEST(MigrationCheck, CostsALeaderNothing) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.take_requests();
  world.time.run_for(1min);

  EXPECT_EQ(reads_of_others(world), 0);
}

TEST(MigrationCheck, WhatMayNotBeReadIsTakenForDeadAndToldOnce) {
  ElectionWorld world;
  for (const char* resource : {"endpoints", "configmaps"}) {
    world.server.faults().add(FaultRule::answering({.verb = "get", .resource = resource},
                                                   sim::status_answer(403, "Forbidden", "no")));
  }
  Contender a(world, "a");
  world.time.run_for(1s);
  EXPECT_TRUE(a.may_write());
  for (int loss = 0; loss < 5; ++loss) {
    world.seize("");
    world.time.run_for(5s);
  }

  EXPECT_TRUE(a.may_write());
  EXPECT_EQ(a.log.count("a lock of another kind could not be looked at"), 2U)
      << "once for each of the two";
}

TEST(MigrationCheck, WhileTheOtherLocksCannotBeReadNobodyContends) {
  ElectionWorld world;
  world.server.faults().add(FaultRule::answering({.verb = "get", .resource = "configmaps"},
                                                 sim::status_answer(500, "InternalError", "no")));
  Contender a(world, "a");
  world.time.run_for(30s);
  EXPECT_FALSE(a.may_write());
  EXPECT_THAT(a.board.read()->trouble, HasSubstr("configmaps"));
  EXPECT_EQ(a.log.count("election in trouble"), 1U);
  world.server.faults().clear();
  world.time.run_for(4s);

  EXPECT_TRUE(a.may_write());
}

TEST(MigrationCheck, AStopDuringTheLookSendsNothingMore) {
  ElectionWorld world;
  world.server.faults().add(FaultRule::doing({.verb = "get", .resource = "endpoints"},
                                             FaultAction::DelayResponse, 500ms));
  Contender a(world, "a");
  world.time.run_for(100ms);
  a.stop();
  world.time.run_for(1min);

  EXPECT_TRUE(a.stopped_at);
  EXPECT_NE(world.get(lock_path).status(), 200);
  EXPECT_THAT(a.told, IsEmpty());
}

}  // namespace
}  // namespace nlc::election::testing
