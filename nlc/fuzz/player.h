#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "nlc/fuzz/forked.h"
#include "sim/fuzz/day.h"
#include "sim/fuzz/marks.h"

namespace nlc::workbench {

/// What a player says of a day, in one write that no other can come between.
struct Said {
  enum class Kind : std::uint8_t { Begins, Good, Found } kind = Kind::Begins;
  std::uint64_t seed = 0;
  sim::fuzz::MarkSet marks;
  std::array<char, 80> rule{};
  std::array<char, 400> what{};
};

/// The rule that is broken by whatever ends the process that plays.
inline constexpr const char* crash = "crash";

/// A process that plays days one after the other, each `step` numbers after the last, and tells of
/// each.
class Player {
 public:
  /// Throws std::system_error when there can be no process.
  Player(std::uint64_t first, std::uint64_t step, std::uint64_t end);

  int pipe() const { return process_.pipe(); }
  std::uint64_t seed() const { return seed_; }

  /// Nothing when the process has ended.
  std::optional<Said> hear();
  /// Its status, once it has ended; to be asked for once.
  int ended() { return process_.ended(); }
  /// A new process goes on behind the day that ended the last one; false: there is none.
  bool go_on();

 private:
  Forked started(std::uint64_t first) const;
  void play_all(std::uint64_t first, int to) const;

  std::uint64_t step_;
  std::uint64_t end_;
  std::uint64_t seed_;
  Forked process_;
};

/// Players that share the days from `first` on: each process takes every so many-th.
std::vector<Player> players(unsigned jobs, std::uint64_t first, std::uint64_t days);

/// The rule that the day breaks; empty: none. It is played quietly, in a process that it may end.
std::string rule_broken_in_own_process(const sim::fuzz::Day& day);

}  // namespace nlc::workbench
