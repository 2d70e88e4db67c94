#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>

#include "runtime/time.h"

namespace nlc::client {

/// Estimates when an event arrived that was read together with others: event number `place` (from
/// 0) of `count` that came after `since`, when the stream was last read empty, and were read at
/// `now`.
///
/// The events are in order of arrival, and heartbeats of different nodes are independent of each
/// other, so they are spread evenly: the expected arrival is (place + 1) / count of the interval.
/// Two standard deviations of that order statistic are added, because the errors do not weigh the
/// same: an estimate that is too late delays a verdict by milliseconds, one that is too early
/// shortens a node's grace period. Always between `since` and `now`.
inline Instant arrival(Instant since, Instant now, std::size_t place, std::size_t count) {
  using Seconds = std::chrono::duration<double>;
  const double share = static_cast<double>(place + 1) / static_cast<double>(count);
  const double spread = std::sqrt(share * (1 - share) / static_cast<double>(count));
  const Seconds guess = Seconds(now - since) * std::min(share + 2 * spread, 1.0);
  return since + std::chrono::duration_cast<Duration>(guess);
}

}  // namespace nlc::client
