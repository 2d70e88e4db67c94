#pragma once

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>

#include "runtime/time.h"

namespace nlc::net {

/// When the watches of one transport are read next. While events come fast they are all left alone
/// and read together, because waking up costs more than reading: the more events a second, the
/// longer, but not so long that `client::arrival` would be off by more than some 35 ms (its
/// standard error is half of pause / √events). Pure.
class StreamPace {
 public:
  /// No pause is longer than `longest`.
  explicit StreamPace(Duration longest) : longest_(longest) {}

  /// A stream was read at `now`, and so many events were there.
  void brought(std::size_t events, Instant now) {
    const Seconds gone = now - std::exchange(counted_, now);
    per_second_ *= std::exp(-gone / memory);
    per_second_ += static_cast<double>(events) / memory.count();
  }

  /// When a stream is read again that was read empty at `now`. Nothing: do not wait, the first byte
  /// shall wake us.
  std::optional<Instant> next_look(Instant now) {
    if (common_ <= now) {
      const double pause = pause_per_rate * per_second_;
      if (pause * per_second_ < events_worth_it) return std::nullopt;
      common_ = now + std::min(longest_, std::chrono::duration_cast<Duration>(Seconds(pause)));
    }
    return common_;
  }

 private:
  using Seconds = std::chrono::duration<double>;

  /// As often as a kubelet renews its lease: kubelets that came together renew together, and what
  /// comes between them is no reason to be woken by each of the next.
  static constexpr Seconds memory{10};
  /// Seconds of pause for each event a second: (2 · 35 ms)².
  static constexpr double pause_per_rate = 0.005;
  static constexpr double events_worth_it = 4;

  Duration longest_;
  double per_second_ = 0;  ///< events of all streams, the older the less they count
  Instant counted_;
  Instant common_;  ///< when all are read next
};

}  // namespace nlc::net
