#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <sys/types.h>
#include <vector>

#include "sim/fuzz/marks.h"

namespace nlc::sim {

/// What a player says of a day, in one write that no other can come between.
struct Said {
  enum class Kind : std::uint8_t { Begins, Good, Found } kind = Kind::Begins;
  std::uint64_t seed = 0;
  fuzz::MarkSet marks;
  std::array<char, 80> rule{};
  std::array<char, 400> what{};
};

/// A process that plays days one after the other, each `step` numbers after the last, and tells of
/// each. It ends with its owner, and not with a key that is pressed.
class Player {
 public:
  /// Throws std::system_error when there can be no process.
  Player(std::uint64_t first, std::uint64_t step, std::uint64_t end);
  Player(Player&& other) noexcept;
  Player& operator=(Player&&) = delete;
  ~Player();

  int pipe() const { return pipe_; }
  std::uint64_t seed() const { return seed_; }

  /// Nothing when the process has ended.
  std::optional<Said> hear();
  /// Its status, once it has ended.
  int ended();
  /// A new process goes on behind the day that ended the last one; false: there is none.
  bool go_on();

 private:
  void start(std::uint64_t first);
  void play_all(std::uint64_t first, int to) const;

  const std::uint64_t step_;
  const std::uint64_t end_;
  std::uint64_t seed_ = 0;
  pid_t pid_ = -1;
  int pipe_ = -1;
};

/// Players that share the days from `first` on: each process takes every so many-th.
std::vector<Player> players(unsigned jobs, std::uint64_t first, std::uint64_t days);

}  // namespace nlc::sim
