#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "runtime/random.h"
#include "tests/election/election_world.h"

/// Replicas that contend while everything goes wrong around them, by a seed.
namespace nlc::election::testing {

struct RivalryOutcome {
  bool two_might_write = false;
  Duration leaderless{0};  ///< from the end of the faults until one leads, and leads on
};

/// `Candidate` is made from (world, name, seed), and from options with an identity besides if it
/// can share that with others, and has `process`, `link`, `gate`, `may_write`, `respects_until`,
/// `has_seen_a_holder` and `restart`.
///
/// All gates are looked at after every step of the world. Between two steps nothing opens, so no
/// moment in which two are open is missed.
template <typename Candidate>
class Rivalry {
 public:
  explicit Rivalry(std::uint64_t seed) : random_(seed) {
    const std::uint64_t count = 2 + random_.below(4);
    for (std::uint64_t i = 0; i < count; ++i) {
      names_.emplace_back(1, static_cast<char>('a' + i));
      add_rival(names_.back());
    }
  }

  RivalryOutcome run() {
    for (int step = 0; step < 12 && !outcome_.two_might_write; ++step) {
      disturb();
      pass(random_.between(10ms, 12s));
    }
    calm();
    pass(options_.lease_duration + 3 * options_.retry_period + 15s);
    outcome_.leaderless = leaderless_until_ - calm_since_;
    return outcome_;
  }

 private:
  /// In each third of the runs all have one name, as side-cars of one host name.
  void add_rival(const std::string& name) {
    if constexpr (std::is_constructible_v<Candidate, ElectionWorld&, std::string, std::uint64_t,
                                          ElectionOptions>) {
      const ElectionOptions how{.identity = namesakes_ ? "namesake" : ""};
      rivals_.push_back(std::make_unique<Candidate>(world_, name, random_.next(), how));
    } else {
      rivals_.push_back(std::make_unique<Candidate>(world_, name, random_.next()));
    }
  }

  void disturb() {
    const std::size_t index = random_.below(rivals_.size());
    Candidate& one = *rivals_[index];
    const std::string& name = names_[index];
    switch (random_.below(18)) {
      case 0:
        delays_ = true;
        return one.link.set_link(Link::Silent);
      case 1:
        return one.link.set_link(Link::Refused);
      case 2:
      case 3:
        for (const auto& rival : rivals_) rival->link.set_link(Link::Up);
        return;
      case 4:
        return world_.fault(name, "", FaultAction::DelayResponse, late(), 1 + random_.below(3));
      case 5:
        return world_.fault(name, "", FaultAction::LoseResponse, {}, 1 + random_.below(3));
      case 6:
        delays_ = true;
        return world_.fault(name, "", FaultAction::Delay, late(), 1 + random_.below(3));
      case 7:
        return remove_lock();
      case 8:
        return world_.time.step_wall_clock(random_.below(2) == 0 ? 1h : -1h);
      case 9:
      case 10:
        return restart(index);
      case 11:
      case 12:
        return stop(one);
      case 13:
        remove_lock();
        return make_foreign_lock();
      case 14:
      case 15:
        backup_ = world_.server.backup();
        return;
      case 16:
        return restore();
      default:
        return pause_server();
    }
  }

  Duration late() {
    constexpr std::array<Duration, 6> delays{10ms, 1s, 3s, 5s, 9500ms, 14s};
    return delays[random_.below(delays.size())];
  }

  void restart(std::size_t index) {
    rivals_[index]->restart(random_.next());
    if (world_.time.now() < unaware_until_) unaware_.insert(index);
  }

  void stop(Candidate& one) {
    const Instant then = world_.time.now() + late();
    one.process.stop_until(then);
    disturbed_until_ = std::max(disturbed_until_, then);
  }

  void pause_server() {
    const Duration span = late();
    world_.server.pause_for(span);
    disturbed_until_ = std::max(disturbed_until_, world_.time.now() + span);
  }

  /// Who deletes the lock hides a leadership from those that have not seen how it was last renewed:
  /// they cannot know of it any more, and nor can those that begin afterwards. What they do is
  /// excused for as long as that leadership can last, and nobody else's action is.
  void remove_lock() {
    if (world_.get(lock_path).status() != 200) return;
    excuse_the_unaware();
    world_.remove(lock_path);
  }

  /// Somebody writes a lock by hand, in another's name, who never renews it.
  void make_foreign_lock() { world_.create_lock("hand"); }

  /// Who restores an older state hides what came after it. Whoever has seen somebody hold the lock
  /// takes none at once that was free then.
  void restore() {
    if (!backup_) return;
    for (std::size_t i = 0; i < rivals_.size(); ++i) {
      if (!rivals_[i]->has_seen_a_holder()) unaware_.insert(i);
    }
    unaware_until_ = world_.time.now() + validity;
    world_.server.restore(*backup_, backup_->version);
    version_ = world_.server.storage().version();
  }

  void excuse_the_unaware() {
    const std::string holder = world_.lock().holder;
    for (std::size_t i = 0; i < rivals_.size(); ++i) {
      const bool named = !namesakes_ && rivals_[i]->identity == holder;
      const bool holds = named || rivals_[i]->may_write();
      const Instant respects = rivals_[i]->respects_until();
      if (!holds && respects < last_written_ + options_.lease_duration) unaware_.insert(i);
    }
    unaware_until_ = world_.time.now() + validity;
  }

  void pass(Duration span) {
    const Instant end = world_.time.now() + span;
    for (auto due = world_.time.next_due(); due && *due <= end; due = world_.time.next_due()) {
      world_.time.run_for(*due - world_.time.now());
      look();
    }
    world_.time.run_for(end - world_.time.now());
    look();
  }

  void look() {
    const Instant now = world_.time.now();
    const std::uint64_t version = world_.server.storage().version();
    if (version != version_) last_written_ = now;
    version_ = version;
    if (now >= unaware_until_) unaware_.clear();
    std::size_t open = 0;
    bool excused = false;
    for (std::size_t i = 0; i < rivals_.size(); ++i) {
      if (!rivals_[i]->may_write()) continue;
      ++open;
      excused = excused || unaware_.contains(i);
    }
    if (open > 1 && !excused) outcome_.two_might_write = true;
    if (open == 0) leaderless_until_ = now;
  }

  /// Nothing more goes wrong once what already has is over: stopped processes go on, the server
  /// answers, and what was sent late has arrived or been given up.
  void calm() {
    world_.server.faults().clear();
    for (const auto& rival : rivals_) rival->link.set_link(Link::Up);
    const Duration under_way = delays_ ? options_.try_limit() : Duration{0};
    const Instant now = world_.time.now();
    pass(std::max(disturbed_until_, now + under_way) - now);
    calm_since_ = leaderless_until_ = world_.time.now();
  }

  const ElectionOptions options_{.identity = "any"};
  ElectionWorld world_;
  Random random_;
  const bool namesakes_ = random_.below(3) == 0;
  std::optional<sim::Storage::Snapshot> backup_;
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Candidate>> rivals_;
  bool delays_ = false;  ///< requests may be under way, or lost, for as long as their sender waits
  std::uint64_t version_ = 0;
  Instant last_written_ = Instant::min();
  Instant disturbed_until_ = Instant::min();
  std::set<std::size_t> unaware_;  ///< of a leadership whose lock was deleted
  Instant unaware_until_ = Instant::min();
  Instant leaderless_until_ = Instant::min();
  Instant calm_since_ = Instant::min();
  RivalryOutcome outcome_;
};

}  // namespace nlc::election::testing
