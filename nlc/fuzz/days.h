#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "nlc/fuzz/findings.h"
#include "nlc/fuzz/flags.h"
#include "nlc/fuzz/interrupts.h"
#include "nlc/fuzz/player.h"
#include "sim/fuzz/day.h"

namespace nlc::workbench {

/// A day that broke a rule.
struct Found {
  std::uint64_t seed = 0;
  std::string rule;
  std::string what;  ///< and how
};

/// All days of one run, with how far it has come in the terminal.
class Days {
 public:
  enum class Until { AllPlayed, FirstFound };
  struct Env {
    const FuzzFlags& flags;
    const Interrupts& interrupts;
    /// Hears of each day at once.
    std::function<void(const Found&)> on_found = {};
  };

  Days(Env env, Until until);

  /// Plays them, or as many as there is time for, or until it is interrupted.
  void play();

  /// In the order in which they were found.
  const std::vector<Found>& found() const { return found_; }
  std::uint64_t done() const { return done_; }
  /// "600 of 600 days, 9.5 a second, 2 failed, 98 of 121 marks reached".
  std::string state() const;
  /// How many days came to each of `sim::fuzz::marks()`.
  const std::vector<std::uint64_t>& marks() const { return marks_; }
  std::size_t marks_reached() const;

 private:
  double seconds() const;
  bool is_over() const;
  void hear_all();
  void hear(std::size_t number);
  void player_ended(std::size_t number);
  void note_found(Found found);

  const Env env_;
  const Until until_;
  const std::chrono::steady_clock::time_point began_;
  std::vector<Player> players_;
  std::uint64_t done_ = 0;
  std::vector<Found> found_;
  std::vector<std::uint64_t> marks_;
};

/// What was kept of a day that broke a rule.
struct Kept {
  /// That it broke when it was played again; empty: none, and it was kept whole.
  std::string rule;
  Findings::File file;
  std::size_t lines = 0;  ///< of objects and steps that are left
};

/// Cuts a day down to what breaks the rule that it breaks, or as far as it comes until it is
/// interrupted, and keeps it under its number, or under the mistake that is planted.
Kept cut_down(std::uint64_t seed, const std::string& planted, Findings& findings,
              const Interrupts& interrupts);

}  // namespace nlc::workbench
