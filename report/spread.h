#pragma once

#include <cstddef>
#include <vector>

#include "runtime/time.h"

namespace nlc::report {

/// For people, and for arithmetic that is not about moments.
inline double seconds(Duration span) { return std::chrono::duration<double>(span).count(); }
inline double milliseconds(Duration span) {
  return std::chrono::duration<double, std::milli>(span).count();
}

/// The smallest value that is at least as large as `share` (0–1) of all, so one that was measured;
/// of none no number (NaN).
double percentile(std::vector<double> values, double share);

/// How measured times are spread. All zero when there are none.
struct Spread {
  std::size_t count = 0;
  Duration least{0};
  Duration p50{0};
  Duration p99{0};
  Duration most{0};
};
Spread spread_of(std::vector<Duration> times);

/// What was counted once in every run.
struct Tally {
  double mean = 0;
  std::size_t total = 0;
  std::size_t least = 0;
  std::size_t most = 0;
};

Tally tally_of(const std::vector<std::size_t>& counts);

}  // namespace nlc::report
