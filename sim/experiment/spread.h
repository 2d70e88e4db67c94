#pragma once

#include <cstddef>
#include <vector>

#include "runtime/time.h"

namespace nlc::sim::experiment {

/// How measured times are spread. All zero when there are none.
struct Spread {
  std::size_t count = 0;
  Duration least{0};
  Duration p50{0};
  Duration p99{0};
  Duration most{0};
};

/// Percentiles are values that were measured: the smallest one that so many percent do not exceed.
Spread spread_of(std::vector<Duration> times);

/// What was counted once in every run.
struct Tally {
  double mean = 0;
  std::size_t total = 0;
  std::size_t least = 0;
  std::size_t most = 0;
};

Tally tally_of(const std::vector<std::size_t>& counts);

}  // namespace nlc::sim::experiment
