#include <cstdlib>
#include <gmock/gmock.h>
#include <iostream>

#include "runtime/go_duration.h"
#include "tests/election/election_world.h"
#include "tests/election/rivalry.h"
#include "tests/election/upstream_contender.h"

/// Several electors over one lease: at no moment may two of them act.
namespace nlc::election::testing {
namespace {

constexpr Duration look_period = 10ms;

/// Looks at all gates at once; says how many were open together at most, and who led when.
struct Leaderships {
  void look(Instant now, const std::vector<std::unique_ptr<Contender>>& contenders) {
    std::size_t open = 0;
    for (const auto& contender : contenders) {
      if (!contender->may_write()) continue;
      ++open;
      last_led = now;
    }
    most_open = std::max(most_open, open);
    longest_gap = std::max(longest_gap, now - last_led);
  }

  std::size_t most_open = 0;
  Instant last_led;
  Duration longest_gap{0};
};

std::vector<std::unique_ptr<Contender>> contenders(ElectionWorld& world, int count,
                                                   std::uint64_t seed) {
  std::vector<std::unique_ptr<Contender>> result;
  for (int i = 0; i < count; ++i) {
    result.push_back(
        std::make_unique<Contender>(world, std::string(1, static_cast<char>('a' + i)), seed + i));
  }
  return result;
}

TEST(Rivals, OneOfThemLeads) {
  ElectionWorld world;
  auto rivals = contenders(world, 5, 1);
  Leaderships leaderships{.last_led = world.time.now()};
  world.watch_for(2min, look_period, [&] { leaderships.look(world.time.now(), rivals); });

  EXPECT_EQ(leaderships.most_open, 1U);
  EXPECT_LT(leaderships.longest_gap, 100ms);
}

/// The answer to a renewal comes late, and no request of the leader reaches the server after it.
void late_answer_then_silence(Duration late, std::uint64_t seed) {
  ElectionWorld world;
  std::vector<std::unique_ptr<Contender>> rivals;
  rivals.push_back(std::make_unique<Contender>(world, "a", seed));
  world.time.run_for(1s);
  rivals.push_back(std::make_unique<Contender>(world, "b", seed + 100));
  Leaderships leaderships{.last_led = world.time.now()};
  world.fault("a", "update", FaultAction::DelayResponse, late, 1);
  world.fault("a", "", FaultAction::Hang);
  world.watch_for(45s, look_period, [&] { leaderships.look(world.time.now(), rivals); });

  EXPECT_LE(leaderships.most_open, 1U) << late.count() << " seed " << seed;
  EXPECT_FALSE(rivals[0]->may_write());
  EXPECT_TRUE(rivals[1]->may_write());
}

TEST(Rivals, NeverTwoLeadWhenTheLastAnswerIsLateAndTheLeaderIsThenCutOff) {
  for (const Duration late : {Duration{0}, Duration{1s}, Duration{3s}, Duration{3300ms},
                              Duration{5s}, Duration{9500ms}, Duration{14s}}) {
    // The successor's looks have to fall close behind the commit and the expiry to show an overlap.
    for (std::uint64_t seed = 1; seed <= 40; ++seed) late_answer_then_silence(late, seed);
  }
}

TEST(Rivals, ATakeoverAfterACrashComesBetweenOneLeaseAndALeaseWithTwoLooks) {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    ElectionWorld world;
    std::vector<std::unique_ptr<Contender>> rivals;
    rivals.push_back(std::make_unique<Contender>(world, "a", seed));
    world.time.run_for(1s);
    rivals.push_back(std::make_unique<Contender>(world, "b", seed + 100));
    world.time.run_for(30s);
    const Instant commit = world.times.back();
    rivals[0]->link.set_link(Link::Silent);
    Instant taken{};
    world.watch_for(30s, look_period, [&] {
      if (taken == Instant{} && rivals[1]->may_write()) taken = world.time.now();
    });

    EXPECT_GE(taken - commit, 13s) << "its last renewal may be a period old";
    EXPECT_LE(taken - commit, 23800ms + 10ms) << "seed " << seed;
  }
}

/// Runs of one shard: some in each test run, and as many as $NLC_ELECTION_RUNS says where that is
/// set (`make test-election`: 500, which make ten thousand of all shards).
std::uint64_t runs_of_a_shard() {
  const char* given = std::getenv("NLC_ELECTION_RUNS");
  return given == nullptr ? 100 : std::strtoull(given, nullptr, 10);
}

class RivalsByLot : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(RivalsByLot, NeverTwoMayWriteAndOneLeadsWithinALeaseAndThreeRetriesAfterTheFaults) {
  const ElectionOptions options;
  const Duration promised = options.lease_duration + 3 * options.retry_period;
  Duration longest{0};
  for (std::uint64_t run = 0; run < runs_of_a_shard(); ++run) {
    const std::uint64_t seed = GetParam() * 1'000'000 + run;
    const RivalryOutcome outcome = Rivalry<Contender>(seed).run();
    EXPECT_FALSE(outcome.two_might_write) << "seed " << seed;
    EXPECT_LE(outcome.leaderless, promised) << "seed " << seed;
    longest = std::max(longest, outcome.leaderless);
  }
  std::cout << runs_of_a_shard() << " runs, at most " << go_duration(longest)
            << " without a leader once all was well\n";
}

INSTANTIATE_TEST_SUITE_P(Shard, RivalsByLot, ::testing::Range(std::uint64_t{1}, std::uint64_t{21}));

TEST(Rivals, UpstreamsRulesOfTimeWouldBeCaught) {
  bool caught = false;
  for (std::uint64_t seed = 1; seed <= 300 && !caught; ++seed) {
    caught = Rivalry<UpstreamContender>(seed).run().two_might_write;
  }
  EXPECT_TRUE(caught);
}

/// b has seen a lead when a is cut off and the lock is deleted.
TEST(Rivals, ADeletedLockDoesNotEndTheLeadershipOfALeaderThatIsCutOff) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    ElectionWorld world;
    auto rivals = contenders(world, 2, seed);
    world.time.run_for(10s);
    const std::size_t leader = rivals[0]->may_write() ? 0 : 1;
    rivals[leader]->link.set_link(Link::Silent);
    world.remove(lock_path);
    bool two = false;
    world.watch_for(30s, 10ms,
                    [&] { two = two || (rivals[0]->may_write() && rivals[1]->may_write()); });

    EXPECT_FALSE(two);
    EXPECT_TRUE(rivals[1 - leader]->may_write());
  }
}

TEST(Rivals, AThousandCandidatesDoNotOverloadTheServerAndOneWins) {
  ElectionWorld world;
  std::vector<std::unique_ptr<Contender>> rivals;
  for (int i = 0; i < 1000; ++i) {
    rivals.push_back(std::make_unique<Contender>(world, "c" + std::to_string(i), i));
  }
  world.time.run_for(10s);
  world.take_requests();
  world.time.run_for(10s);

  EXPECT_LT(world.requests.size(), 5000U);
  std::size_t leading = 0;
  for (const auto& rival : rivals) leading += rival->may_write() ? 1 : 0;
  EXPECT_EQ(leading, 1U);
}

}  // namespace
}  // namespace nlc::election::testing
