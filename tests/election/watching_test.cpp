#include <gmock/gmock.h>

#include "tests/election/election_world.h"

/// Candidates that watch the lock as well as polling it.
namespace nlc::election::testing {
namespace {

using ::testing::ElementsAre;

/// a leads, b waits; both have been at it for a while.
struct Pair {
  explicit Pair(LockKind lock = LockKind::Leases) : a(world, "a", 1, {.lock = lock}) {
    world.time.run_for(1s);
    b.emplace(world, "b", 2, ElectionOptions{.lock = lock});
    world.time.run_for(10s);
  }
  /// How long it takes until b may write.
  Duration takeover(Duration limit) {
    const Instant began = world.time.now();
    world.watch_for(limit, 1ms, [&] {
      if (!led && b->may_write()) led = world.time.now();
    });
    return led ? *led - began : limit;
  }

  ElectionWorld world;
  Contender a;
  std::optional<Contender> b;
  std::optional<Instant> led;
};

TEST(Watching, AReleaseIsTakenOverInMilliseconds) {
  Pair pair;
  pair.a.stop();
  EXPECT_LE(pair.takeover(1s), 20ms);
  EXPECT_EQ(pair.world.lock().transitions, 1);
}

TEST(Watching, ADeletedLockEndsTheLeadershipAndIsMadeAnewInMilliseconds) {
  Pair pair;
  pair.world.remove(lock_path);
  pair.world.time.run_for(20ms);

  EXPECT_EQ(pair.a.told.size() + pair.b->told.size(), 3U) << "one ceased, one began";
  EXPECT_EQ(pair.a.may_write() + pair.b->may_write(), 1);
}

TEST(Watching, AForeignHolderEndsTheLeadershipInMilliseconds) {
  Pair pair;
  pair.world.seize("qux");
  pair.world.time.run_for(2ms);

  EXPECT_FALSE(pair.a.may_write());
  EXPECT_THAT(pair.a.told, ElementsAre(true, false));
  EXPECT_EQ(pair.a.log.count("leader changed lease=node-lifecycle-controller leader=qux"), 1U);
  pair.world.time.run_for(5ms);
  EXPECT_EQ(pair.b->leaders.back(), "qux");
}

TEST(Watching, ADeadLeaderIsReplacedSoonAfterItsLeaseEnded) {
  for (int moment = 0; moment < 20; ++moment) {
    Pair pair(moment % 2 == 0 ? LockKind::Leases : LockKind::ConfigMapsLeases);
    pair.world.time.run_for(moment * 97ms);
    const Instant commit = pair.world.times.back();
    pair.a.link.set_link(Link::Silent);
    const Instant began = pair.world.time.now();
    const Duration taken = began - commit + pair.takeover(30s);
    EXPECT_GE(taken, 13s) << "its last renewal may be a period old";
    EXPECT_LE(taken, 18s) << "a lease, a look and a renewal after a period";
  }
}

TEST(Watching, CostsTheLeaderNoRequest) {
  Pair pair;
  pair.world.take_requests();
  pair.world.time.run_for(20s);

  const std::vector<std::string> requests = pair.world.take_requests();
  EXPECT_EQ(std::ranges::count(requests, "a update"), 10);
  EXPECT_EQ(std::ranges::count(requests, "a get"), 0);
}

TEST(Watching, WhatOthersWriteOnTheLockBetweenTwoRenewalsIsKept) {
  Pair pair;
  pair.world.touch();
  pair.world.time.run_for(10s);

  EXPECT_EQ(pair.world.get(lock_path).json()["metadata"]["annotations"]["note"], "seen");
}

TEST(Watching, ALookWaitsForTheAnswerToTheRenewalThatIsOnItsWay) {
  Pair pair;
  pair.world.fault("a", "update", FaultAction::DelayResponse, 1s, 1);
  pair.world.time.run_for(pair.world.times.back() + 2s - pair.world.time.now() + 10ms);
  pair.world.take_requests();
  pair.world.seize("qux");
  pair.world.time.run_for(500ms);
  EXPECT_EQ(std::ranges::count(pair.world.requests, "a get"), 0);
  pair.world.time.run_for(1s);
  EXPECT_EQ(std::ranges::count(pair.world.requests, "a get"), 1);
}

TEST(Watching, OnceACandidateStoppedNoStreamOfItIsOpen) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(5s);
  EXPECT_EQ(world.server.watches().count(), 1U);
  a.stop();
  world.time.run_for(20ms);
  EXPECT_EQ(world.server.watches().count(), 0U);
}

TEST(Watching, WhoMayNotWatchPollsAndSaysSoOnce) {
  ElectionWorld world;
  world.server.faults().add(FaultRule::answering({.verb = "watch", .user_agent = "b"},
                                                 sim::status_answer(403, "Forbidden", "no")));
  Contender a(world, "a");
  world.time.run_for(1s);
  Contender b(world, "b", 2);
  world.time.run_for(10min);
  a.stop();
  world.time.run_for(4400ms + 20ms);

  EXPECT_TRUE(b.may_write());
  EXPECT_EQ(b.log.count("the lock cannot be watched, it is polled"), 1U);
}

TEST(Watching, AStreamThatEndsIsOpenedAnew) {
  for (const FaultAction action : {FaultAction::Drop, FaultAction::Answer}) {
    ElectionWorld world;
    FaultRule rule = FaultRule::doing({.verb = "watch", .user_agent = "b"}, action);
    if (action == FaultAction::Answer) rule.answer = sim::expired_answer();
    world.server.faults().add(std::move(rule).at_most(3));
    Contender a(world, "a");
    world.time.run_for(1s);
    Contender b(world, "b", 2);
    world.time.run_for(1min);
    a.stop();
    world.time.run_for(20ms);

    EXPECT_TRUE(b.may_write());
  }
}

TEST(Watching, AStreamThatShowsNothingIsFoundOutAndOpenedAnew) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.fault("b", "watch", FaultAction::Hang, {}, 1);
  Contender b(world, "b", 2);
  world.time.run_for(20s);
  a.stop();
  world.time.run_for(20ms);

  EXPECT_TRUE(b.may_write());
}

TEST(Watching, AfterARestoredStorageItIsNotDeaf) {
  Pair pair;
  const auto then = pair.world.server.backup();
  pair.world.time.run_for(5min);
  pair.world.server.restore(then, then.version);
  pair.world.time.run_for(25s);
  Contender& leader = pair.a.may_write() ? pair.a : *pair.b;
  Contender& next = pair.a.may_write() ? *pair.b : pair.a;
  ASSERT_TRUE(leader.may_write());
  leader.stop();
  pair.world.time.run_for(20ms);

  EXPECT_TRUE(next.may_write());
}

TEST(Watching, ARestoredStorageInWhichTheOtherLeadsMakesNoSecondLeader) {
  for (const bool bumped : {false, true}) {
    Pair pair;
    const auto then = pair.world.server.backup();
    pair.a.link.set_link(Link::Silent);
    pair.world.time.run_for(20s);
    pair.a.link.set_link(Link::Up);
    pair.world.time.run_for(20s);
    ASSERT_TRUE(pair.b->may_write());
    pair.world.server.restore(then, then.version + (bumped ? 1'000'000'000 : 0));
    bool both = false;
    pair.world.watch_for(1min, 1ms,
                         [&] { both = both || (pair.a.may_write() && pair.b->may_write()); });

    EXPECT_FALSE(both);
    EXPECT_EQ(pair.a.may_write() + pair.b->may_write(), 1);
  }
}

// --- what is told of it -------------------------------------------------------------------------

TEST(LeaderStatus, NamesTheLeaderForAsLongAsThatCanBeTrue) {
  Pair pair;
  const auto leader = [&](Contender& who) {
    return who.board.read()->leader_at(pair.world.time.now());
  };
  EXPECT_EQ(leader(pair.a), "a");
  EXPECT_EQ(leader(*pair.b), "a");

  pair.a.link.set_link(Link::Silent);
  pair.b->link.set_link(Link::Silent);
  pair.world.time.run_for(15s);
  EXPECT_EQ(leader(pair.a), "") << "it cannot know any more";
  EXPECT_EQ(leader(*pair.b), "");
}

TEST(LeaderStatus, ALateRenewalOfOnesOwnIsAFailureOnlyBeyondLeaseAndTolerance) {
  Pair pair;
  const LeaderStatus before = *pair.a.board.read();
  pair.a.link.set_link(Link::Silent);
  EXPECT_FALSE(renewal_failure(before, before.renewed + 35s, 20s));
  EXPECT_EQ(renewal_failure(before, before.renewed + 35s + 1ns, 20s),
            "failed election to renew leadership on lease node-lifecycle-controller");
  EXPECT_FALSE(renewal_failure(*pair.b->board.read(), pair.world.time.now() + 1h, 20s));
  EXPECT_FALSE(renewal_failure({}, pair.world.time.now(), 20s)) << "no elector yet";
}

TEST(LeaderStatus, MetricsFollow) {
  Pair pair;
  const auto shows = [&](Contender& who, const std::string& line) {
    return who.metrics.exposition().find(line + "\n") != std::string::npos;
  };
  EXPECT_TRUE(shows(pair.a, R"(leader_election_master_status{name="test"} 1)"));
  EXPECT_TRUE(shows(*pair.b, R"(leader_election_master_status{name="test"} 0)"));
  EXPECT_TRUE(shows(pair.a, R"(leader_election_slowpath_total{name="test"} 0)"));
  EXPECT_TRUE(shows(pair.a, R"(nlc_election_renewal_duration_seconds_count{name="test"} 6)"));
  pair.world.touch();
  pair.world.time.run_for(3s);
  pair.a.stop();
  pair.world.time.run_for(1s);
  EXPECT_TRUE(shows(pair.a, R"(leader_election_master_status{name="test"} 0)"));
  EXPECT_TRUE(shows(*pair.b, R"(leader_election_master_status{name="test"} 1)"));
  EXPECT_TRUE(shows(*pair.b, R"(nlc_election_transitions_total{name="test"} 3)")) << "a, nobody, b";
}

TEST(LeaderStatus, MetricsOfWhoBeginsAnewSayThatItDoesNotLead) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  a.restart(2);

  const std::map<std::string, std::string> named{{"name", "test"}};
  EXPECT_EQ(a.metrics.value("leader_election_master_status", named), 0);
}

TEST(LeaderStatus, WorkIsStuckOnceItHasNotMovedForLongerThanItsLimit) {
  for (const Duration ago : {Duration{20s}, 20s + 1ns}) {
    ElectionWorld world;
    Contender a(world, "a");
    a.last_worked = [&] { return world.time.now() - ago; };
    a.run();
    world.time.run_for(1min);

    EXPECT_EQ(a.may_write(), ago == 20s);
    EXPECT_EQ(a.log.count("work is stuck"), ago == 20s ? 0U : 1U);
  }
}

TEST(LeaderStatus, MetricsCountARenewalThatHadToReadFirst) {
  ElectionWorld world;
  world.fault("a", "watch", FaultAction::Hang);  // it would save the read
  Contender a(world, "a");
  world.time.run_for(1s);
  world.fault("a", "update", FaultAction::LoseResponse, {}, 1);
  world.time.run_for(9s);

  const std::map<std::string, std::string> named{{"name", "test"}};
  EXPECT_EQ(a.metrics.value("leader_election_slowpath_total", named), 1);
  EXPECT_EQ(a.metrics.value("leader_election_master_status", named), 1);
  EXPECT_EQ(a.metrics.value("nlc_election_transitions_total", named), 1);
}

TEST(LeaderStatus, EventsSayWhoBecameLeaderAndWhoStopped) {
  ElectionWorld world;
  Contender a(world, "a", 1, {.event_component = "node-lifecycle-controller"});
  world.time.run_for(1s);
  a.stop();
  world.time.run_for(1s);

  const Json events = world.get("/api/v1/namespaces/kube-system/events").json().at("items");
  ASSERT_EQ(events.size(), 2U);
  EXPECT_EQ(events[0]["message"], "a became leader");
  EXPECT_EQ(events[1]["message"], "a stopped leading");
  for (const Json& event : events) {
    EXPECT_EQ(event["type"], "Normal");
    EXPECT_EQ(event["reason"], "LeaderElection");
    EXPECT_EQ(event["involvedObject"]["kind"], "Lease");
    EXPECT_EQ(event["involvedObject"]["apiVersion"], "coordination.k8s.io/v1");
    EXPECT_EQ(event["involvedObject"]["name"], "node-lifecycle-controller");
    EXPECT_EQ(event["involvedObject"]["uid"], world.get(lock_path).json()["metadata"]["uid"]);
  }
}

TEST(LeaderStatus, ALeaderWhoseWorkIsStuckGivesWayAndSaysSinceWhen) {
  ElectionWorld world;
  Contender a(world, "a");
  Instant worked = world.time.now();
  a.last_worked = [&] { return worked; };
  a.run();
  world.time.run_for(10s);
  Contender b(world, "b", 2);
  for (int second = 0; second < 30; ++second) {
    worked = world.time.now();
    world.time.run_for(1s);
  }
  EXPECT_TRUE(a.may_write());

  bool both = false;
  world.watch_for(20s + 2s + 15s + 1s, 10ms,
                  [&] { both = both || (a.may_write() && b.may_write()); });
  EXPECT_FALSE(both);
  EXPECT_FALSE(a.may_write());
  EXPECT_TRUE(b.may_write());
  EXPECT_EQ(a.board.read()->stuck_since, worked);

  b.stop();
  world.time.run_for(10s);
  EXPECT_FALSE(a.may_write()) << "it does not contend either";
  worked = world.time.now();
  for (int second = 0; second < 15 + 2 + 1; ++second) {
    worked = world.time.now();
    world.time.run_for(1s);
  }
  EXPECT_TRUE(a.may_write()) << "it did not look while it was stuck";
  EXPECT_FALSE(a.board.read()->stuck_since);
}

}  // namespace
}  // namespace nlc::election::testing
