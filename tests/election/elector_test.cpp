#include <gmock/gmock.h>
#include <utility>

#include "tests/election/election_world.h"

namespace nlc::election::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(Elector, CreatesTheLeaseAndThenOnlyWrites) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(9s);

  EXPECT_THAT(world.take_requests(),
              ElementsAre("a get", "a create", "a update", "a update", "a update", "a update"));
  EXPECT_EQ(world.lock().holder, "a");
  EXPECT_EQ(a.lock_writes, 5);
  EXPECT_EQ(a.written_version, world.lock().resource_version);
}

TEST(Elector, WhatOthersWroteWhileItWasStoppedIsNotToldOfAsOfNow) {
  ElectionWorld world;
  Contender a(world, "a");
  Contender b(world, "b");
  for (const Duration stopped : {Duration(7s), Duration(12s)}) {
    world.time.run_for(5s);
    b.process.stop();
    world.time.run_for(stopped);
    const int told = std::exchange(b.lock_writes, 0);
    EXPECT_GT(told, 0) << "it looks every two seconds";
    b.process.go_on();
    world.time.run_for(1ms);
    EXPECT_EQ(b.lock_writes > 0, stopped < 10s);
  }
}

TEST(Elector, RenewsAPeriodAfterTheLastSending) {
  ElectionWorld world;
  world.fault("a", "update", FaultAction::DelayResponse, 500ms);
  Contender a(world, "a");
  world.time.run_for(11s);

  ASSERT_EQ(world.times.size(), 7U);
  for (std::size_t i = 2; i < 7; ++i) EXPECT_EQ(world.times[i] - world.times[i - 1], 2s);
  EXPECT_EQ(a.lock_writes, 6);
  EXPECT_THAT(a.told, ElementsAre(true));
}

TEST(Elector, TheGateOpensWithTheAnswerAndTheChangeIsToldOnce) {
  ElectionWorld world;
  world.fault("a", "create", FaultAction::DelayResponse, 3s);
  Contender a(world, "a");
  world.time.run_for(2900ms);
  EXPECT_FALSE(a.may_write()) << "the lease is ours on the server, but nobody told us";
  EXPECT_THAT(a.told, IsEmpty());

  world.time.run_for(200ms);
  EXPECT_TRUE(a.may_write());
  world.time.run_for(1min);
  EXPECT_THAT(a.told, ElementsAre(true));
  EXPECT_THAT(a.leaders, ElementsAre("a"));
}

TEST(Elector, CutOffFromTheServerItStopsExactlyWhenItsValidityEnds) {
  for (const Link link : {Link::Silent, Link::Refused}) {
    ElectionWorld world;
    Contender a(world, "a");
    world.time.run_for(10s);
    const Instant end = a.gate.end();
    a.link.set_link(link);

    world.time.run_for(end - world.time.now() - 1ns);
    EXPECT_TRUE(a.may_write());
    EXPECT_TRUE(a.elector->leading());
    EXPECT_THAT(a.told, ElementsAre(true));
    world.time.run_for(1ns);
    EXPECT_FALSE(a.may_write());
    EXPECT_FALSE(a.elector->leading());
    EXPECT_THAT(a.told, ElementsAre(true, false));

    world.time.run_for(1min);
    a.link.set_link(Link::Up);
    world.time.run_for(15s);
    EXPECT_FALSE(a.may_write()) << "another may have led meanwhile by a lock that was lost";
    world.time.run_for(6s);
    EXPECT_TRUE(a.may_write()) << "it contests again";
    EXPECT_THAT(a.told, ElementsAre(true, false, true));
    EXPECT_EQ(world.lock().transitions, 0) << "nobody else led in between";
  }
}

TEST(Elector, AServerThatAcceptsAndNeverAnswersEndsTheLeadershipInTime) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  const Instant end = a.gate.end();
  world.fault("a", "", FaultAction::Hang);

  world.time.run_for(end - world.time.now());

  EXPECT_FALSE(a.may_write());
  EXPECT_THAT(a.told, ElementsAre(true, false));
}

TEST(Elector, SeveralTriesFitIntoTheLeadershipWhenNoneIsAnswered) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.take_requests();
  world.fault("a", "update", FaultAction::Hang, {}, 3);

  world.time.run_for(13s);

  EXPECT_THAT(a.told, ElementsAre(true)) << "the fourth try came through";
  EXPECT_TRUE(a.may_write());
}

TEST(Elector, FailedRenewalsAreRetriedEachPeriod) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.take_requests();
  world.server.faults().add(FaultRule::answering({.verb = "update", .user_agent = "a"},
                                                 sim::status_answer(500, "InternalError", "no")));
  world.time.run_for(12s);

  ASSERT_GE(world.times.size(), 6U);
  for (std::size_t i = 1; i < 6; ++i) EXPECT_EQ(world.times[i] - world.times[i - 1], 2s);
}

TEST(Elector, ALostAnswerCostsNotEvenAConflictWhereTheWatchHasShownTheRenewal) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.take_requests();
  world.fault("a", "update", FaultAction::LoseResponse, {}, 1);
  world.time.run_for(9s);

  EXPECT_THAT(a.told, ElementsAre(true));
  EXPECT_THAT(world.take_requests(), Each("a update"));
}

TEST(Elector, ALostAnswerAndTheConflictAfterItCostNoLeadership) {
  ElectionWorld world;
  world.fault("a", "watch", FaultAction::Hang);
  Contender a(world, "a");
  world.time.run_for(1s);
  world.take_requests();
  world.fault("a", "update", FaultAction::LoseResponse, {}, 1);
  world.time.run_for(9s);

  EXPECT_THAT(a.told, ElementsAre(true));
  EXPECT_THAT(world.take_requests(),
              ElementsAre("a update", "a update", "a get", "a update", "a update", "a update"));
}

TEST(Elector, ALeaseThatIsDeletedEndsTheLeadershipWithTheNextAnswer) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.remove(lock_path);
  Contender b(world, "b", 2);
  bool both = false;
  world.watch_for(10s, 1ms, [&] { both = both || (a.may_write() && b.may_write()); });

  EXPECT_EQ(a.told.size() + b.told.size(), 3U);
  EXPECT_EQ(a.may_write() + b.may_write(), 1);
}

TEST(Elector, TheLateAnswerToARenewalOpensNoGateOfALockThatAnotherMadeAnew) {
  for (const LockKind kind : {LockKind::Leases, LockKind::EndpointsLeases}) {
    ElectionWorld world;
    Contender a(world, "a", 1, {.lock = kind});
    world.time.run_for(1s);
    const Instant before = a.gate.end();
    world.fault("a", "update", FaultAction::DelayResponse, 1s, 2);
    world.time.run_for(a.gate.end() - validity + 2s - world.time.now() + 10ms);  // it is taken
    world.remove(lock_path);
    world.create_lock("qux");
    world.time.run_for(5ms);
    bool opened = false;
    world.watch_for(10s, 1ms, [&] { opened = opened || a.may_write(); });

    EXPECT_FALSE(opened) << name_of(kind);
    EXPECT_EQ(a.gate.end() > before, false) << name_of(kind);
  }
}

TEST(Elector, AForeignHolderEndsTheLeadershipWithTheNextAnswer) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.seize("qux");
  world.time.run_for(1s + 10ms);

  EXPECT_FALSE(a.may_write());
  EXPECT_THAT(a.told, ElementsAre(true, false));
  EXPECT_THAT(a.leaders, ElementsAre("a", "qux"));
  world.time.run_for(14s);
  EXPECT_EQ(world.lock().holder, "qux");
  world.time.run_for(6s);
  EXPECT_EQ(world.lock().holder, "a") << "qux did not renew";
}

TEST(Elector, TellsEachNewLeaderInOrder) {
  ElectionWorld world;
  world.create_lock("bing");
  Contender a(world, "a");
  world.time.run_for(5s);
  world.seize("qux");
  world.time.run_for(5s);
  world.seize("");
  world.time.run_for(16s);

  EXPECT_THAT(a.leaders, ElementsAre("bing", "qux", "", "a"));
}

TEST(Elector, KeepsForeignFieldsOfTheRecord) {
  ElectionWorld world;
  world.server.load(
      {{"apiVersion", "coordination.k8s.io/v1"},
       {"kind", "Lease"},
       {"metadata", {{"name", "node-lifecycle-controller"}, {"namespace", "kube-system"}}},
       {"spec", {{"strategy", "OldestEmulationVersion"}, {"preferredHolder", "qux"}}}});
  Contender a(world, "a");
  world.time.run_for(10s);

  EXPECT_EQ(world.lock().holder, "a");
  const Json kept = world.get(lock_path).json()["spec"];
  EXPECT_EQ(kept["strategy"], "OldestEmulationVersion");
  EXPECT_EQ(kept["preferredHolder"], "qux");
}

TEST(Elector, AStepOfTheWallClockChangesNothing) {
  ElectionWorld world;
  Contender a(world, "a");
  Contender b(world, "b", 2);
  world.time.run_for(5s);
  for (const Duration step : {Duration{1h}, Duration{-2h}}) {
    world.time.step_wall_clock(step);
    world.time.run_for(1min);
  }

  EXPECT_EQ(a.told.size() + b.told.size(), 1U);
}

}  // namespace
}  // namespace nlc::election::testing
