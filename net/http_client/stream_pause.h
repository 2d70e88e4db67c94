#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <optional>
#include <utility>

#include "runtime/time.h"

namespace nlc::net {

/// How long one watch may be left alone. Being woken costs more than all that is read then, so the
/// faster its events follow one another the longer they gather, at most for the watch's batching
/// time; and as long as `client::arrival` still tells to within some 20 ms when each of them came:
/// its error is half of pause / √events. Pure.
class StreamPause {
 public:
  explicit StreamPause(Duration limit) : limit_(limit) {}

  /// After a look at `now` that brought so many events. Nothing: they are too few to wait for.
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
  /// Pause for each event a second: (2 · 20 ms)² a second, rounded down.
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
