#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "nlc/fuzz/flags.h"
#include "nlc/fuzz/player.h"
#include "sim/fuzz/day.h"

namespace nlc::workbench {

/// What was kept of a day that broke a rule. One that breaks none when it is played again is kept
/// whole.
struct Kept {
  std::string file;       ///< empty: it could not be written, which was complained of
  std::size_t lines = 0;  ///< of objects and steps that are left
};

/// All days of one run, with how far it has come in the terminal.
class Days {
 public:
  enum class Until { AllPlayed, FirstFound };
  using Seeds = std::vector<std::uint64_t>;

  Days(const FuzzFlags& flags, Until until);

  /// Plays them, or as many as there is time for, or until it is interrupted.
  void play();

  /// Those that broke a rule, by its name.
  const std::map<std::string, Seeds>& found() const { return found_; }
  std::uint64_t done() const { return done_; }
  /// "600 of 600 days, 9.5 a second, 2 rules broken".
  std::string state() const;
  /// How many days came to each of `sim::fuzz::marks()`.
  const std::vector<std::uint64_t>& marks() const { return marks_; }

 private:
  double seconds() const;
  bool is_over() const;
  void hear_all();
  void hear(std::size_t number);
  void player_ended(std::size_t number);
  void note_found(std::uint64_t seed, const std::string& rule, const std::string& what);

  const FuzzFlags& flags_;
  const Until until_;
  const std::chrono::steady_clock::time_point began_;
  std::vector<Player> players_;
  std::uint64_t done_ = 0;
  std::map<std::string, Seeds> found_;
  std::vector<std::uint64_t> marks_;
};

/// Cuts a day down to what breaks the rule that it breaks, and writes it as a scenario file of that
/// name into the folder `out`.
Kept keep(std::uint64_t seed, const std::string& out, const std::string& name);

}  // namespace nlc::workbench
