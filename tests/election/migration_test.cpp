#include <gmock/gmock.h>

#include "election/migration_check.h"
#include "tests/election/election_world.h"
#include "tests/memory_log.h"

namespace nlc::election::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Checking {
  explicit Checking(ElectionWorld& world, LockKind kind)
      : link({world.time, world.time, world.server, gate}, {.user_agent = "checking"}),
        check({link, world.time, world.time, log}, {.identity = "new", .lock = kind},
              [this](std::optional<std::string> said) {
                answered = true;
                refusal = said.value_or("");
              }) {}

  client::Gate gate;
  tests::MemoryLog log;
  sim::LoopbackTransport link;
  bool answered = false;
  std::string refusal;
  MigrationCheck check;
};

TEST(MigrationCheck, WhereThereIsNoOtherLockACandidateMayContendAtOnce) {
  ElectionWorld world;
  Checking checking(world, LockKind::Leases);
  world.time.run_for(100ms);

  EXPECT_TRUE(checking.answered);
  EXPECT_EQ(checking.refusal, "");
}

TEST(MigrationCheck, AJumpPastTheStepBetweenIsRefusedWithTheWordsHowToMigrate) {
  for (const LockKind old : {LockKind::Endpoints, LockKind::ConfigMaps}) {
    ElectionWorld world;
    Contender a(world, "a", 1, {.lock = old});
    world.time.run_for(5s);
    Checking checking(world, LockKind::Leases);
    world.time.run_for(5s);

    EXPECT_THAT(checking.refusal, AllOf(HasSubstr("still renewed by a"), HasSubstr("two leaders"),
                                        HasSubstr(std::string(name_of(old)) + "leases first"),
                                        HasSubstr("to leases")));
  }
}

TEST(MigrationCheck, AJumpBackIsRefusedToo) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(5s);
  Checking checking(world, LockKind::Endpoints);
  world.time.run_for(5s);

  EXPECT_THAT(checking.refusal, AllOf(HasSubstr("leases kube-system/node-lifecycle-controller"),
                                      HasSubstr("endpointsleases first")));
}

TEST(MigrationCheck, FromThePairToEitherHalfIsAllowed) {
  for (const LockKind to : {LockKind::Leases, LockKind::Endpoints}) {
    ElectionWorld world;
    Contender a(world, "a", 1, {.lock = LockKind::EndpointsLeases});
    world.time.run_for(5s);
    Checking checking(world, to);
    world.time.run_for(100ms);

    EXPECT_TRUE(checking.answered);
    EXPECT_EQ(checking.refusal, "");
  }
}

TEST(MigrationCheck, ALockThatNobodyRenewsIsDeadAfterItsLease) {
  ElectionWorld world;
  Contender a(world, "a", 1, {.lock = LockKind::Endpoints});
  world.time.run_for(5s);
  a.elector.reset();
  Checking checking(world, LockKind::Leases);
  world.time.run_for(14s);
  EXPECT_FALSE(checking.answered);
  world.time.run_for(4s);

  EXPECT_TRUE(checking.answered);
  EXPECT_EQ(checking.refusal, "");
}

TEST(MigrationCheck, AReleasedLockIsNoObstacle) {
  ElectionWorld world;
  Contender a(world, "a", 1, {.lock = LockKind::Endpoints});
  world.time.run_for(5s);
  a.stop();
  world.time.run_for(1s);
  Checking checking(world, LockKind::Leases);
  world.time.run_for(100ms);

  EXPECT_TRUE(checking.answered);
}

TEST(MigrationCheck, WhatMayNotBeReadIsTakenForDead) {
  ElectionWorld world;
  for (const char* resource : {"endpoints", "configmaps"}) {
    world.server.faults().add(FaultRule::answering({.verb = "get", .resource = resource},
                                                   sim::status_answer(403, "Forbidden", "no")));
  }
  Checking checking(world, LockKind::Leases);
  world.time.run_for(100ms);

  EXPECT_TRUE(checking.answered);
}

TEST(MigrationCheck, AServerThatCannotBeReachedIsAskedUntilItAnswers) {
  ElectionWorld world;
  Checking checking(world, LockKind::Leases);
  checking.link.set_link(Link::Refused);
  world.time.run_for(1min);
  EXPECT_FALSE(checking.answered);
  EXPECT_EQ(checking.log.count("election hindered"), 3U) << "once for each of the locks";
  checking.link.set_link(Link::Up);
  world.time.run_for(3s);

  EXPECT_TRUE(checking.answered);
}

}  // namespace
}  // namespace nlc::election::testing
