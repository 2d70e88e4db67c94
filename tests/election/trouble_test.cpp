#include <gmock/gmock.h>

#include "tests/election/election_world.h"

/// Trouble of an election is told when it begins, once a minute and when it ends, and stands on
/// the board; and what proves that the server takes writes is told.
namespace nlc::election::testing {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::Lt;
using ::testing::SizeIs;

TEST(Trouble, WhoseTextDiffersEachTimeIsToldOnceAndItsEndOnce) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  for (int number = 0; number < 4; ++number) {
    world.server.faults().add(
        FaultRule::answering({.verb = "update", .resource = "leases"},
                             sim::status_answer(500, "InternalError",
                                                "request " + std::to_string(number) + " failed"))
            .at_most(1));
  }
  world.time.run_for(9s);
  EXPECT_EQ(a.log.count("election in trouble"), 1U);
  EXPECT_THAT(a.board.read()->trouble, HasSubstr("request 3 failed"));
  world.time.run_for(3s);

  EXPECT_TRUE(a.may_write());
  EXPECT_EQ(a.log.count("election in trouble"), 1U);
  EXPECT_EQ(a.log.count("election is no longer in trouble"), 1U);
  EXPECT_EQ(a.board.read()->trouble, "");
}

TEST(Trouble, ThatLastsIsToldOnceAMinute) {
  ElectionWorld world;
  Contender a(world, "a");
  a.link.set_link(Link::Refused);
  world.time.run_for(10min);

  EXPECT_GE(a.log.count("election in trouble"), 9U);
  EXPECT_LE(a.log.count("election in trouble"), 11U);
}

TEST(Trouble, AHolderWithALeaseOfYearsIsToldForAsLongAsItStands) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  ASSERT_EQ(
      world
          .patch(lock_path,
                 {{"spec", {{"holderIdentity", "nobody"}, {"leaseDurationSeconds", 2147483647}}}},
                 "merge-patch")
          .status(),
      200);
  world.time.run_for(10min);
  EXPECT_EQ(a.board.read()->long_lease, Duration(8760h));
  EXPECT_GE(a.log.count("holder=nobody duration=8760h0m0s"), 9U);
  EXPECT_LE(a.log.count("holder=nobody duration=8760h0m0s"), 11U);

  world.seize("");
  world.time.run_for(5s);
  EXPECT_TRUE(a.may_write());
  EXPECT_EQ(a.board.read()->long_lease, std::nullopt);
}

TEST(Trouble, AHolderWithALongLeaseIsToldByTheBeginningOfItsName) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  const sim::Json spec{{"holderIdentity", std::string(500'000, 'x')},
                       {"leaseDurationSeconds", 2147483647}};
  ASSERT_EQ(world.patch(lock_path, {{"spec", spec}}, "merge-patch").status(), 200);
  world.time.run_for(1min);
  EXPECT_THAT(a.log.lines, Contains(AllOf(HasSubstr("xxx… (5"), SizeIs(Lt(1'300U)))));
}

TEST(Trouble, AStandbyThatWaitsForALeaderHasNone) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  Contender b(world, "b", 2);
  world.time.run_for(1min);

  EXPECT_EQ(b.board.read()->trouble, "");
  EXPECT_EQ(b.log.count("trouble"), 0U);
}

TEST(Trouble, OfAStandbyIsOverWhenItSeesTheLeaderAgain) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  Contender b(world, "b", 2);
  world.time.run_for(5s);
  b.link.set_link(Link::Refused);
  world.time.run_for(5s);
  EXPECT_NE(b.board.read()->trouble, "");
  b.link.set_link(Link::Up);
  world.time.run_for(4s);

  EXPECT_EQ(b.board.read()->trouble, "");
  EXPECT_EQ(b.log.count("election is no longer in trouble"), 1U);
}

TEST(Trouble, ALockThatMayNotBeReadIsARefusalUntilItWasSeen) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.server.faults().add(FaultRule::answering({.verb = "get", .user_agent = "b"},
                                                 sim::status_answer(403, "Forbidden", "no")));
  Contender b(world, "b", 2);
  world.time.run_for(5s);
  EXPECT_NE(b.board.read()->refusal, "");
  world.server.faults().clear();
  world.time.run_for(4s);
  const Instant asked = world.time.now();

  EXPECT_EQ(b.board.read()->refusal, "");
  EXPECT_GT(b.board.read()->able_until, asked + 11s) << "a lease after it looked";
  EXPECT_GT(a.board.read()->able_until, asked + 12s) << "a lease after it wrote";
}

TEST(Trouble, ARenewalThatTookMoreThanAFifthOfTheDeadlineIsTold) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  world.fault("a", "update", FaultAction::DelayResponse, 100ms, 1);
  world.time.run_for(a.gate.end() - validity + 2s - world.time.now() + 10ms);  // it is on its way
  a.process.stop();
  world.time.run_for(6s);
  a.process.go_on();
  world.time.run_for(10ms);

  EXPECT_EQ(a.log.count("renewal was slow, consider a longer lease"), 1U);
}

TEST(Trouble, AServerThatWentBackInTimeIsTold) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(5s);
  const auto then = world.server.backup();
  world.time.run_for(10s);
  EXPECT_EQ(a.went_back, 0);
  world.take_requests();
  world.server.restore(then, then.version);
  world.time.run_for(5s);
  EXPECT_EQ(a.went_back, 1);
  EXPECT_LT(world.take_requests().size(), 6U)
      << "while it is waited out the lock is polled as ever";
  EXPECT_FALSE(a.may_write());
  EXPECT_THAT(a.board.read()->trouble, HasSubstr("went back in time"));
  world.time.run_for(15s);

  EXPECT_TRUE(a.may_write());
  EXPECT_EQ(a.board.read()->trouble, "");
}

TEST(Trouble, AServerThatMayHaveGoneBackToBeforeTheLockWasMadeIsTold) {
  ElectionWorld world;
  const auto then = world.server.backup();
  Contender a(world, "a");
  world.time.run_for(5s);
  world.server.restore(then, then.version + 1000);
  world.time.run_for(5s);
  EXPECT_EQ(a.went_back, 1) << "no version shows it";
  EXPECT_TRUE(a.may_write());

  world.remove(lock_path);
  world.time.run_for(5s);
  EXPECT_EQ(a.went_back, 1) << "its deletion was watched";
  EXPECT_TRUE(a.may_write());
}

// --- writes of the lock -------------------------------------------------------------------------

TEST(LockWritten, AStandbyIsToldOfEachRenewalOfTheLeader) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  Contender b(world, "b", 2);
  world.time.run_for(50ms);
  EXPECT_EQ(b.lock_writes, 0) << "what is seen first proves nothing";
  world.time.run_for(10s);

  EXPECT_EQ(b.lock_writes, 5);
}

TEST(LockWritten, WithoutAWatchItsLooksTell) {
  ElectionWorld world;
  world.fault("b", "watch", FaultAction::Hang);
  Contender a(world, "a");
  world.time.run_for(1s);
  Contender b(world, "b", 2);
  world.time.run_for(20s);

  EXPECT_GE(b.lock_writes, 5);
}

TEST(LockWritten, ALockThatNobodyWritesProvesNothing) {
  ElectionWorld world;
  Contender a(world, "a");
  world.time.run_for(1s);
  a.elector.reset();
  Contender b(world, "b", 2);
  world.time.run_for(14s);

  EXPECT_EQ(b.lock_writes, 0);
}

}  // namespace
}  // namespace nlc::election::testing
