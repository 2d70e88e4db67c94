#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include "runtime/time.h"

namespace nlc::net {

/// How long a watch may be left unread so that its events are read together, because waking up
/// costs more than reading. The more events a second, the longer; never longer than the watch's
/// batching time, nor so long that `client::arrival` would be off by more than some 20 ms (its
/// standard error is half of pause / √events). Pure.
class StreamPause {
 public:
  explicit StreamPause(Duration limit) : limit_(limit) {}

  /// The pause after a read at `now` that brought so many events. Nothing: too few for a pause.
  std::optional<Duration> after(std::size_t events, Instant now) {
    if (events == 0) return std::nullopt;
    const Duration elapsed = now - std::exchange(last_events_, now);
    const Duration longer = 2 * std::max(pause_, first);  // a burst is not yet a steady stream
    pause_ = std::min({limit_, worth(events, elapsed), longer});
    if (elapsed < 2 * pause_) return pause_;
    pause_ = Duration{0};
    return std::nullopt;
  }

 private:
  static constexpr Duration first = std::chrono::milliseconds(25);
  /// Seconds of pause for each event a second: (2 · 20 ms)², rounded down.
  static constexpr double per_rate = 0.0015;

  static Duration worth(std::size_t events, Duration elapsed) {
    using Seconds = std::chrono::duration<double>;
    const Seconds span = std::max<Seconds>(elapsed, std::chrono::milliseconds(1));
    return std::chrono::duration_cast<Duration>(
        Seconds(per_rate * static_cast<double>(events) / span.count()));
  }

  Duration limit_;
  Duration pause_{0};
  Instant last_events_;
};

}  // namespace nlc::net
