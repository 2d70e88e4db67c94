#pragma once

#include <cstdint>

#include "runtime/time.h"

namespace nlc {

/// A seeded stream of numbers (SplitMix64): the same seed gives the same run on every machine. The
/// standard distributions are not used, because their results differ between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();

  /// Uniform in [0, 1).
  double fraction();

  /// Uniform in [low, high); `low` when the interval is empty.
  Duration between(Duration low, Duration high);

  /// Uniform in [0, count); 0 when `count` is 0.
  std::uint64_t below(std::uint64_t count);

 private:
  std::uint64_t state_;
};

}  // namespace nlc
