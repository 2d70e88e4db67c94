#include <gmock/gmock.h>

#include "tests/client/held_transport.h"
#include "tests/election/election_world.h"

namespace nlc::election::testing {
namespace {

using ::testing::Each;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

TEST(ElectorStop, GivesTheLeaseBackAndSaysWhenThatIsDone) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(5s);
  const Instant asked = world.time.now();
  a.stop();
  EXPECT_FALSE(a.may_write()) << "before the release is written";
  EXPECT_FALSE(a.stopped_at) << "never inline";
  world.time.run_for(10ms);

  EXPECT_EQ(world.lock().holder, "");
  EXPECT_EQ(world.lock().duration_seconds, 1);
  ASSERT_TRUE(a.stopped_at);
  EXPECT_LE(*a.stopped_at - asked, 10ms);
  EXPECT_THAT(a.told, ElementsAre(true, false));
}

TEST(ElectorStop, AStandbyTakesOverAReleasedLeaseWithItsNextLook) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  Contender b(world, "b", 2);
  world.time.run_for(10s);
  a.stop();
  world.time.run_for(4400ms + 10ms);

  EXPECT_TRUE(b.may_write());
  EXPECT_EQ(world.lock().transitions, 1);
}

TEST(ElectorStop, AStandbySendsNothingAndIsDoneAtOnce) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  Contender b(world, "b", 2);
  world.time.run_for(3s);
  world.take_requests();
  b.stop();
  world.time.run_for(1ms);

  EXPECT_TRUE(b.stopped_at);
  world.time.run_for(1min);
  EXPECT_THAT(world.take_requests(), Each("a update"));
  EXPECT_EQ(world.lock().holder, "a");
}

TEST(ElectorStop, ARenewalOnItsWayIsNoObstacle) {
  for (const Duration answer : {Duration{0}, Duration{1s}, Duration{1h}}) {
    ElectionWorld world;
    Contender a(world, "a");
    world.time.run_for(3s);
    world.fault("a", "update", FaultAction::DelayResponse, answer, 1);
    world.time.run_for(1s + 5500us);  // the renewal was taken, and its answer is not here
    a.stop();
    world.time.run_for(20ms);

    EXPECT_EQ(world.lock().holder, "");
    EXPECT_TRUE(a.stopped_at);
  }
}

TEST(ElectorStop, AClaimOnItsWayIsNotLeftBehind) {
  for (const Duration into :
       {Duration{1500us}, Duration{3500us}, Duration{4500us}, Duration{5500us}}) {
    for (const FaultAction action : {FaultAction::DelayResponse, FaultAction::LoseResponse}) {
      ElectionWorld world;
      world.fault("a", "create", action, 500ms, 1);
      Contender a(world, "a");
      world.time.run_for(into);
      a.stop();
      world.time.run_for(1600ms);

      EXPECT_TRUE(a.stopped_at);
      EXPECT_EQ(world.lock().holder, "") << "others would wait for a whole lease";
      EXPECT_THAT(a.told, IsEmpty());
    }
  }
}

TEST(ElectorStop, ASuccessorIsNotBlanked) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.seize("qux");
  a.stop();
  world.time.run_for(1s);

  EXPECT_TRUE(a.stopped_at);
  EXPECT_EQ(world.lock().holder, "qux");
}

TEST(ElectorStop, IsOverAfterItsTimeoutWhateverTheServerDoes) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  a.link.set_link(Link::Silent);
  const Instant asked = world.time.now();
  a.stop(1500ms);
  world.time.run_for(1min);

  ASSERT_TRUE(a.stopped_at);
  EXPECT_EQ(*a.stopped_at - asked, 1500ms);
  EXPECT_FALSE(a.may_write());
  EXPECT_EQ(a.log.count("the lease could not be given back, it is left to run out"), 1U);
}

TEST(ElectorStop, FurtherCallsJoinTheFirst) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(5s);
  int done = 0;
  a.elector->stop(1500ms, [&] { ++done; });
  a.elector->stop(1500ms, [&] { ++done; });
  EXPECT_EQ(done, 0) << "never inline";
  world.time.run_for(20ms);
  EXPECT_EQ(done, 2);
  EXPECT_EQ(world.lock().holder, "");

  a.elector->stop(1500ms, [&] { ++done; });
  world.time.run_for(1ms);
  EXPECT_EQ(done, 3) << "after its end, too";
}

TEST(ElectorStop, NothingIsSentOnceItIsOver) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.touch();  // another version: the release will be a conflict
  world.fault("a", "update", FaultAction::DelayResponse, 1200ms, 1);
  a.stop(1s);
  world.time.run_for(1s + 1ms);
  EXPECT_TRUE(a.stopped_at);
  world.take_requests();
  world.time.run_for(1min);

  EXPECT_THAT(world.take_requests(), IsEmpty());
}

TEST(ElectorStop, NoTimerIsLeftOnceItIsOver) {
  sim::VirtualTime time{noon};
  client::HeldTransport held;
  client::Gate gate;
  SilentLog log;
  Elector elector({held, time, time, log, gate, 1}, {.identity = "baz"}, {});
  const auto taken_at = [&held](const std::string& version) {
    Json lock = Json::parse(held.sent.back().request.body);
    lock["metadata"]["uid"] = "u1";
    lock["metadata"]["resourceVersion"] = version;
    return lock.dump();
  };
  held.answer_last(404, "");                  // there is no lock,
  for (const std::size_t other : {1U, 2U}) {  // nor one of another kind
    held.answer(other, client::Response{.status = 404});
  }
  const std::string lock = taken_at("11");
  held.answer_last(201, lock);
  ASSERT_TRUE(elector.leading());
  bool stopped = false;
  elector.stop(1s, [&stopped] { stopped = true; });
  held.answer_last(200, lock);
  held.answer_last(200, taken_at("12"));
  time.run_ready();

  EXPECT_TRUE(stopped);
  EXPECT_EQ(time.next_due(), std::nullopt);
}

TEST(ElectorEnd, ClosesTheGateAndIsSilent) {
  ElectionWorld world;
  for (const Duration after : {Duration{0}, Duration{1500us}, Duration{5s}, Duration{6001ms}}) {
    Contender a(world, "a" + std::to_string(after.count()));
    world.time.run_for(after);
    const std::size_t told = a.told.size();
    a.elector.reset();
    EXPECT_FALSE(a.may_write());
    world.take_requests();
    world.time.run_for(1min);

    EXPECT_THAT(world.take_requests(), ::testing::SizeIs(::testing::Le(1U)))
        << "what was on its way";
    EXPECT_EQ(a.told.size(), told);
    world.remove(lock_path);
  }
}

TEST(ElectorEnd, MayComeFromWithinWhatItTells) {
  ElectionWorld world;
  client::Gate gate;
  sim::LoopbackTransport link({world.time, world.time, world.server, gate}, {.user_agent = "a"});
  SilentLog log;
  std::unique_ptr<Elector> elector;
  elector = std::make_unique<Elector>(ElectorEnv{link, world.time, world.time, log, gate, 1},
                                      ElectionOptions{.identity = "a"},
                                      ElectorEvents{.on_change = [&](bool) { elector.reset(); }});
  world.time.run_for(1min);

  EXPECT_EQ(elector, nullptr);
  EXPECT_FALSE(gate.is_open(world.time.now()));
}

TEST(ElectorEnd, AStopMayComeFromWithinWhatItTells) {
  ElectionWorld world;
  client::Gate gate;
  sim::LoopbackTransport link({world.time, world.time, world.server, gate}, {.user_agent = "a"});
  SilentLog log;
  bool stopped = false;
  std::unique_ptr<Elector> elector;
  elector = std::make_unique<Elector>(ElectorEnv{link, world.time, world.time, log, gate, 1},
                                      ElectionOptions{.identity = "a"},
                                      ElectorEvents{.on_change = [&](bool leading) {
                                        if (leading) elector->stop(1s, [&] { stopped = true; });
                                      }});
  world.time.run_for(1min);

  EXPECT_TRUE(stopped);
  EXPECT_EQ(world.lock().holder, "");
  EXPECT_FALSE(gate.is_open(world.time.now()));
}

}  // namespace
}  // namespace nlc::election::testing
