#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/random.h"
#include "tests/election/election_world.h"

/// Replicas that contend while everything goes wrong around them, by a seed.
namespace nlc::election::testing {

struct RivalryOutcome {
  bool two_might_write = false;
  Duration leaderless{0};  ///< from the end of the faults until somebody leads
  bool one_leads = false;  ///< in the end
};

/// `Candidate` is made from (world, name, seed) and has `link`, `identity`, `may_write`, `restart`
/// and `freeze`.
template <typename Candidate>
class Rivalry {
 public:
  explicit Rivalry(std::uint64_t seed) : random_(seed) {
    const std::uint64_t count = 2 + random_.below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      rivals_.push_back(std::make_unique<Candidate>(
          world_, std::string(1, static_cast<char>('a' + i)), random_.next()));
    }
  }

  RivalryOutcome run() {
    for (int step = 0; step < 12 && !outcome_.two_might_write; ++step) {
      disturb();
      watch_for(random_.between(10ms, 12s));
    }
    recover();
    return outcome_;
  }

 private:
  Candidate& victim() { return *rivals_[random_.below(rivals_.size())]; }

  void disturb() {
    Candidate& one = victim();
    switch (random_.below(11)) {
      case 0:
        return one.link.set_link(Link::Silent);
      case 1:
        return one.link.set_link(Link::Refused);
      case 2:
      case 3:
        for (const auto& rival : rivals_) rival->link.set_link(Link::Up);
        return;
      case 4:
        return world_.fault(one.identity, "", Deed::DelayResponse, late(), 1 + random_.below(3));
      case 5:
        return world_.fault(one.identity, "", Deed::LoseResponse, {}, 1 + random_.below(3));
      case 6:
        return world_.fault(one.identity, "", Deed::Delay, late(), 1 + random_.below(3));
      case 7:
        return remove_lock();
      case 8:
        return world_.time.step_wall_clock(random_.below(2) == 0 ? 1h : -1h);
      case 9:
        return one.restart(random_.next());
      default:
        return world_.server.pause_for(late());
    }
  }

  Duration late() {
    constexpr std::array<Duration, 6> delays{10ms, 1s, 3s, 5s, 9500ms, 14s};
    return delays[random_.below(delays.size())];
  }

  /// Who deletes the lock gives away a reign that its leader may not have heard of and a newcomer
  /// cannot know: that is excused for as long as it can last.
  void remove_lock() {
    if (world_.get(lock_path).status() == 200) excused_until_ = world_.time.now() + validity;
    world_.remove(lock_path);
  }

  std::size_t open_gates() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(rivals_, [](const auto& one) { return one->may_write(); }));
  }

  void watch_for(Duration span) {
    world_.watch_for(span, 50ms, [this] {
      const bool two = open_gates() > 1 && world_.time.now() >= excused_until_;
      outcome_.two_might_write = outcome_.two_might_write || two;
    });
  }

  void recover() {
    world_.server.faults().clear();
    for (const auto& rival : rivals_) rival->link.set_link(Link::Up);
    const Instant began = world_.time.now();
    while (open_gates() == 0 && world_.time.now() < began + 1min) watch_for(50ms);
    outcome_.leaderless = world_.time.now() - began;
    watch_for(5s);
    outcome_.one_leads = open_gates() == 1;
  }

  ElectionWorld world_;
  Random random_;
  std::vector<std::unique_ptr<Candidate>> rivals_;
  Instant excused_until_ = Instant::min();
  RivalryOutcome outcome_;
};

}  // namespace nlc::election::testing
