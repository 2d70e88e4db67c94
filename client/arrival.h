#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

#include "runtime/time.h"

namespace nlc::client {

/// When the event at `place` (from 0) of `count` came that gathered between two looks at a stream.
///
/// Nobody looked meanwhile, but they stand in the order in which they came, and beats that know
/// nothing of each other come evenly: the moment is guessed from the place, and then made later by
/// twice what chance does to it (the spread of an order statistic), for silence that is measured
/// too short costs milliseconds, and one too long might cost a node. Never outside of the two.
inline Instant arrival(Instant since, Instant now, std::size_t place, std::size_t count) {
  using Seconds = std::chrono::duration<double>;
  const double share = static_cast<double>(place + 1) / static_cast<double>(count);
  const double spread = std::sqrt(share * (1 - share) / static_cast<double>(count));
  const Seconds guess = Seconds(now - since) * std::min(share + 2 * spread, 1.0);
  return since + std::chrono::duration_cast<Duration>(guess);
}

}  // namespace nlc::client
