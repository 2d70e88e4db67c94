#pragma once

#include <cstdint>
#include <string_view>

#include "runtime/random.h"
#include "runtime/time.h"
#include "sim/fuzz/hash.h"

namespace nlc::sim::fuzz {

/// Of the draw of days. To be raised with every change by which a number becomes another day than
/// it was: what was printed of the days before is refused then and not played as something else.
inline constexpr unsigned draw_version = 6;

/// Of the days, and of those that have trouble where it is trouble: on so many comes a kind that
/// is drawn from numbers of its own.
inline constexpr double apart_share = 0.025;

/// Draws what a day is made of, always in the same order, so that a seed is a day.
class Draw {
 public:
  explicit Draw(std::uint64_t seed) : random_(seed) {}
  /// Numbers of its own for a kind that came later, by its name: the rest of a day does not change
  /// by it, nor by another such kind.
  Draw(std::uint64_t seed, std::string_view kind) : random_(seed ^ number_of(kind)) {}

  bool chance(double share) { return random_.fraction() < share; }
  /// Both included.
  int whole(int low, int high) {
    return low + static_cast<int>(random_.below(static_cast<std::uint64_t>(high - low) + 1));
  }
  /// Small ones are likelier: the square of a fraction.
  int small(int low, int high) {
    const double fraction = random_.fraction();
    return low + static_cast<int>(fraction * fraction * (high - low + 1));
  }
  /// To the tenth of a second, both included.
  Duration time(Duration low, Duration high) {
    constexpr auto tick = std::chrono::milliseconds(100);
    return low + tick * static_cast<int>(random_.below((high - low) / tick + 1));
  }
  template <std::size_t count>
  std::string_view one_of(const std::string_view (&words)[count]) {
    return words[random_.below(count)];
  }
  /// The same of a vector or an array, which is not empty.
  template <typename All>
  const auto& one_of(const All& all) {
    return all[random_.below(all.size())];
  }

 private:
  /// Mixed once: the numbers of neighbouring seeds are as far apart as any.
  static std::uint64_t number_of(std::string_view kind) {
    Hash hash;
    hash.add(kind);
    return Random(hash.number()).next();
  }

  Random random_;
};

}  // namespace nlc::sim::fuzz
