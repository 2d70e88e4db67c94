#include <gmock/gmock.h>

#include "tests/election/election_world.h"

/// What others do to the lease, to our rights, to the clocks and to the server: never two writers,
/// never a crash, and the log says what was found.
namespace nlc::election::testing {
namespace {

/// Two candidates, looked at after every step of the world.
struct Two {
  Two() : a(world, "a"), b(world, "b", 2) { world.time.run_for(10s); }

  Contender& leader() { return a.may_write() ? a : b; }
  Contender& other() { return a.may_write() ? b : a; }
  std::size_t writers() const { return static_cast<std::size_t>(a.may_write() + b.may_write()); }

  void pass(Duration span) {
    const Instant end = world.time.now() + span;
    for (auto due = world.time.next_due(); due && *due <= end; due = world.time.next_due()) {
      world.time.run_for(*due - world.time.now());
      two = two || writers() > 1;
    }
    world.time.run_for(end - world.time.now());
  }
  void edit(const Json& spec) {
    ASSERT_EQ(world.patch(lock_path, {{"spec", spec}}, "merge-patch").status(), 200);
  }

  ElectionWorld world;
  Contender a;
  Contender b;
  bool two = false;
};

TEST(BadLease, WhateverIsWrittenIntoItInTheMiddleOfALeadershipTwoNeverLeadAndOneLeadsAgain) {
  const std::vector<Json> edits = {
      {{"holderIdentity", "nobody"}},
      {{"holderIdentity", ""}},
      {{"holderIdentity", nullptr}},
      {{"leaseDurationSeconds", 2147483647}},
      {{"leaseDurationSeconds", nullptr}},
      {{"holderIdentity", "nobody"}, {"leaseDurationSeconds", nullptr}, {"renewTime", nullptr}},
      {{"holderIdentity", "nobody"}, {"renewTime", "9999-12-31T23:59:59.000000Z"}},
      {{"holderIdentity", "nobody"}, {"renewTime", "0001-01-01T00:00:00.000000Z"}},
      {{"holderIdentity", "nobody"}, {"leaseTransitions", 2147483647}},
      {{"holderIdentity", "not\"json\\,\n\t"}},
  };
  for (const Json& edit : edits) {
    Two world;
    world.edit(edit);
    world.pass(15s + 2 * 2s);

    EXPECT_FALSE(world.two) << edit;
    EXPECT_EQ(world.writers(), 1U) << edit;
  }
}

TEST(BadLease, AHolderWithALeaseOfYearsIsRespectedAndNamed) {
  Two world;
  world.edit({{"holderIdentity", "nobody"}, {"leaseDurationSeconds", 2147483647}});
  world.pass(1h);

  EXPECT_EQ(world.writers(), 0U);
  EXPECT_EQ(world.a.log.count("leader changed lease=node-lifecycle-controller leader=nobody"), 1U);
  EXPECT_FALSE(world.two);

  world.world.remove(lock_path);  // what an operator would do
  world.pass(20s);
  EXPECT_EQ(world.writers(), 1U);
}

TEST(BadLease, DeletedAgainAndAgainTwoNeverLeadAndOneLeadsInTheEnd) {
  Two world;
  for (int times = 0; times < 50; ++times) {
    world.world.remove(lock_path);
    world.pass(317ms);
  }
  world.pass(1s);

  EXPECT_FALSE(world.two);
  EXPECT_EQ(world.writers(), 1U);
}

TEST(BadLease, AnotherSystemThatHoldsAndRenewsItIsNeverDisturbed) {
  ElectionWorld world;
  world.post(locks_path, {{"apiVersion", "coordination.k8s.io/v1"},
                          {"kind", "Lease"},
                          {"metadata",
                           {{"name", "node-lifecycle-controller"},
                            {"labels", {{"apiserver.kubernetes.io/identity", "x"}}}}},
                          {"spec", {{"holderIdentity", "another system"}}}});
  Contender a(world, "a");
  for (int times = 0; times < 60; ++times) {
    world.time.run_for(10s);
    EXPECT_FALSE(a.may_write());
    world.touch();
    world.patch(lock_path, {{"metadata", {{"annotations", {{"beat", std::to_string(times)}}}}}},
                "merge-patch");
  }

  for (const std::string& request : world.take_requests()) {
    if (request.starts_with("a ")) {
      EXPECT_EQ(request, "a get");
    }
  }
  EXPECT_EQ(a.log.count("leader=\"another system\"") + a.log.count("leader=another system"), 1U);
}

TEST(LostRights, ALeaderThatMayNoLongerWriteStopsInTimeSaysSoAndLeadsAgainWhenItMay) {
  Two world;
  Contender& leader = world.leader();
  for (const char* verb : {"update", "create"}) {
    world.world.server.faults().add(FaultRule::answering(
        {.verb = verb, .resource = "leases"}, sim::status_answer(403, "Forbidden", "no longer")));
  }
  world.pass(validity);
  EXPECT_EQ(world.writers(), 0U);
  EXPECT_EQ(leader.log.count("election in trouble"), 1U) << "once, not for each try";
  EXPECT_EQ(leader.log.count("403"), 1U);
  EXPECT_EQ(leader.log.count("ceased to lead"), 1U);
  world.pass(10min);
  EXPECT_EQ(world.writers(), 0U);

  world.world.server.faults().clear();
  world.pass(4s);
  EXPECT_EQ(world.writers(), 1U);
  EXPECT_FALSE(world.two);
}

TEST(LostRights, WithoutTheRightToReadALeaderLeadsOnByItsWrites) {
  Two world;
  Contender& leader = world.leader();
  world.world.server.faults().add(FaultRule::answering(
      {.verb = "get", .resource = "leases"}, sim::status_answer(403, "Forbidden", "no longer")));
  world.pass(1min);

  EXPECT_TRUE(leader.may_write());
  EXPECT_FALSE(world.two);
}

TEST(SlowServer, JustUnderEveryDeadlineTheLeaderKeepsTheLease) {
  Two world;
  Contender& leader = world.leader();
  world.world.fault("", "", FaultAction::DelayResponse, Duration(10s) / 3 - 10ms);
  world.pass(10min);

  EXPECT_FALSE(world.two);
  EXPECT_TRUE(leader.may_write());
  EXPECT_THAT(leader.told, ::testing::ElementsAre(true)) << "without a gap";
}

TEST(SlowServer, JustOverEveryDeadlineNobodyLeadsOnBelief) {
  Two world;
  world.world.fault("", "update", FaultAction::DelayResponse, Duration(10s) / 3 + 10ms);
  world.pass(10min);

  EXPECT_FALSE(world.two);
}

/// A clock that runs at another rate, with its timers.
class DriftingTime final : public Clock, public Executor {
 public:
  DriftingTime(sim::VirtualTime& time, double rate)
      : time_(time), rate_(rate), began_(time.now()) {}

  Instant now() const override { return began_ + scaled(time_.now() - began_, rate_); }
  WallTime wall_now() const override { return time_.wall_now(); }
  void post(std::function<void()> work) override { time_.post(std::move(work)); }
  Timer run_at(Instant when, std::function<void()> work) override {
    // Rounded up: work that is due must find that its moment has come.
    return time_.run_at(began_ + scaled(when - began_, 1 / rate_) + 1us, std::move(work));
  }

 private:
  static Duration scaled(Duration span, double by) {
    return Duration{static_cast<Duration::rep>(static_cast<double>(span.count()) * by)};
  }

  sim::VirtualTime& time_;
  const double rate_;
  const Instant began_;
};

/// A candidate whose boot clock runs at `rate`.
struct Drifting {
  Drifting(ElectionWorld& world, const std::string& name, double rate, std::uint64_t seed)
      : time(world.time, rate),
        link({time, time, world.server, gate}, {.user_agent = name}),
        elector({.transport = link,
                 .clock = time,
                 .executor = time,
                 .log = log,
                 .gate = gate,
                 .seed = seed},
                {.identity = name}, {}) {}
  bool may_write() const { return gate.is_open(time.now()); }

  DriftingTime time;
  client::Gate gate;
  SilentLog log;
  sim::LoopbackTransport link;
  Elector elector;
};

TEST(ClockRate, OffByAHundredthTwoNeverLead) {
  for (const double rate : {0.99, 1.01}) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
      ElectionWorld world;
      Drifting first(world, "a", rate, seed);
      world.time.run_for(1s);
      Drifting second(world, "b", 1.0, seed + 100);
      bool two = false;
      Drifting* leader = &first;
      for (int leadership = 0; leadership < 4; ++leadership) {
        world.time.run_for(20s);
        leader = first.may_write() ? &first : &second;
        ASSERT_TRUE(leader->may_write());
        leader->link.set_link(Link::Silent);
        world.watch_for(20s, 5ms, [&] { two = two || (first.may_write() && second.may_write()); });
        leader->link.set_link(Link::Up);
      }
      EXPECT_FALSE(two) << "rate " << rate << " seed " << seed;
    }
  }
}

}  // namespace
}  // namespace nlc::election::testing
