#include <array>
#include <gmock/gmock.h>

#include "tests/election/election_world.h"

/// Several electors over one lease: at no moment may two of them act.
namespace nlc::election::testing {
namespace {

constexpr Duration look_period = 10ms;

/// Looks at all gates at once; says how many were open together at most, and who led when.
struct Reigns {
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
  Reigns reigns{.last_led = world.time.now()};
  world.watch_for(2min, look_period, [&] { reigns.look(world.time.now(), rivals); });

  EXPECT_EQ(reigns.most_open, 1U);
  EXPECT_LT(reigns.longest_gap, 100ms);
}

/// The answer to a renewal comes late, and no request of the leader reaches the server after it.
void late_answer_then_silence(Duration late, std::uint64_t seed) {
  ElectionWorld world;
  std::vector<std::unique_ptr<Contender>> rivals;
  rivals.push_back(std::make_unique<Contender>(world, "a", seed));
  world.time.run_for(1s);
  rivals.push_back(std::make_unique<Contender>(world, "b", seed + 100));
  Reigns reigns{.last_led = world.time.now()};
  world.fault("a", "update", Deed::DelayResponse, late, 1);
  world.fault("a", "", Deed::Hang);
  world.watch_for(45s, look_period, [&] { reigns.look(world.time.now(), rivals); });

  EXPECT_LE(reigns.most_open, 1U) << late.count() << " seed " << seed;
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

/// What goes wrong next, drawn by lot.
class Mischief {
 public:
  Mischief(ElectionWorld& world, std::vector<std::unique_ptr<Contender>>& rivals,
           std::uint64_t seed)
      : world_(world), rivals_(rivals), random_(seed) {}

  void disturb() {
    Contender& victim = *rivals_[random_.below(rivals_.size())];
    const std::string& name = victim.identity;
    switch (random_.below(10)) {
      case 0:
        return victim.link.set_link(Link::Silent);
      case 1:
        return victim.link.set_link(Link::Refused);
      case 2:
      case 3:
        for (const auto& rival : rivals_) rival->link.set_link(Link::Up);
        return;
      case 4:
        return world_.fault(name, "", Deed::DelayResponse, late(), 1 + random_.below(3));
      case 5:
        return world_.fault(name, "", Deed::LoseResponse, {}, 1 + random_.below(3));
      case 6:
        return world_.fault(name, "", Deed::Delay, late(), 1 + random_.below(3));
      case 7:
        world_.remove(lock_path);
        return;
      case 8:
        return world_.time.step_wall_clock(random_.below(2) == 0 ? 1h : -1h);
      default:
        victim.elector.reset();
        return victim.run(random_.next());
    }
  }
  Duration pause() { return random_.between(10ms, 12s); }

 private:
  Duration late() {
    constexpr std::array<Duration, 6> delays{10ms, 1s, 3s, 5s, 9500ms, 14s};
    return delays[random_.below(delays.size())];
  }

  ElectionWorld& world_;
  std::vector<std::unique_ptr<Contender>>& rivals_;
  Random random_;
};

TEST(Rivals, WhateverHappensNeverTwoMayWriteAndInTheEndOneMay) {
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    ElectionWorld world;
    auto rivals = contenders(world, 3, seed * 10);
    Mischief mischief(world, rivals, seed);
    // Who deletes the lease gives away a reign that still lasts; only the deleting itself could
    // prevent that. It is excused for as long as such a reign can last.
    Instant excused = Instant::min();
    bool two = false;
    const auto look = [&] {
      std::size_t open = 0;
      for (const auto& rival : rivals) open += rival->may_write() ? 1 : 0;
      two = two || (open > 1 && world.time.now() >= excused);
    };
    for (int step = 0; step < 25; ++step) {
      const bool was_there = world.get(lock_path).status() == 200;
      mischief.disturb();
      if (was_there && world.get(lock_path).status() == 404) excused = world.time.now() + validity;
      world.watch_for(mischief.pause(), 20ms, look);
      ASSERT_FALSE(two) << "seed " << seed << " step " << step;
    }

    world.server.faults().clear();
    for (const auto& rival : rivals) rival->link.set_link(Link::Up);
    world.time.run_for(1min);
    std::size_t leading = 0;
    for (const auto& rival : rivals) leading += rival->may_write() ? 1 : 0;
    ASSERT_EQ(leading, 1U) << "seed " << seed;
    for (const auto& rival : rivals) {
      for (std::size_t i = 1; i < rival->told.size(); ++i) {
        // A restarted elector begins to tell from the beginning.
        ASSERT_TRUE(rival->told[i] != rival->told[i - 1] || rival->told[i]);
      }
    }
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
