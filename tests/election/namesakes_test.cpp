#include <gmock/gmock.h>

#include "tests/election/election_world.h"

/// Several processes under one name: two side-cars of one host name, or one that was restarted.
namespace nlc::election::testing {
namespace {

using ::testing::HasSubstr;

const ElectionOptions same_name{.identity = "host"};

struct Twins {
  explicit Twins(LockKind kind = LockKind::Leases) : how(same_name) {
    how.lock = kind;
    a = std::make_unique<Contender>(world, "a", 1, how);
    b = std::make_unique<Contender>(world, "b", 2, how);
  }
  bool both_led(Duration span) {
    bool both = false;
    world.watch_for(span, 1ms, [&] { both = both || (a->may_write() && b->may_write()); });
    return both;
  }
  Contender& leader() { return a->may_write() ? *a : *b; }
  Contender& other() { return a->may_write() ? *b : *a; }

  ElectionWorld world;
  ElectionOptions how;
  std::unique_ptr<Contender> a;
  std::unique_ptr<Contender> b;
};

TEST(Namesakes, ThatBeginInTheSameInstantNeverLeadBoth) {
  for (const LockKind kind : {LockKind::Leases, LockKind::Endpoints, LockKind::EndpointsLeases}) {
    Twins twins(kind);
    EXPECT_FALSE(twins.both_led(1min)) << name_of(kind);
    EXPECT_EQ(twins.a->may_write() + twins.b->may_write(), 1) << name_of(kind);
  }
}

TEST(Namesakes, TheOneWhoWaitsSaysWhy) {
  Twins twins;
  twins.world.time.run_for(5s);

  EXPECT_THAT(twins.other().board.read()->trouble, HasSubstr("held under our own name, host"));
  EXPECT_EQ(twins.leader().board.read()->trouble, "");
}

TEST(Namesakes, AReleaseIsTakenOverInMillisecondsAllTheSame) {
  Twins twins;
  twins.world.time.run_for(10s);
  Contender& next = twins.other();
  twins.leader().stop();
  twins.world.time.run_for(20ms);

  EXPECT_TRUE(next.may_write());
}

TEST(Namesakes, ACutOffLeaderIsFollowedWithoutAnOverlap) {
  Twins twins;
  twins.world.time.run_for(10s);
  Contender& next = twins.other();
  Contender& before = twins.leader();
  before.link.set_link(Link::Silent);
  EXPECT_FALSE(twins.both_led(30s));
  EXPECT_TRUE(next.may_write());
  before.link.set_link(Link::Up);
  EXPECT_FALSE(twins.both_led(30s));
  EXPECT_TRUE(next.may_write());
}

TEST(Namesakes, AProcessThatWasRestartedWaitsForTheLeaseOfItsPredecessor) {
  ElectionWorld world;
  Contender a(world, "a", 1, same_name);
  world.time.run_for(5s);
  const Instant before = world.times.back();
  a.restart(2);
  world.time.run_for(before + 15s - world.time.now());
  EXPECT_FALSE(a.may_write()) << "the process before may be stopped, and go on";
  world.time.run_for(4s);

  EXPECT_TRUE(a.may_write());
}

}  // namespace
}  // namespace nlc::election::testing
