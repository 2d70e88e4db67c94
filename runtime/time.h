#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace nlc {

using Duration = std::chrono::nanoseconds;

/// Names the epoch of `Instant`: CLOCK_BOOTTIME, which goes on through a suspend. It has no `now()`
/// on purpose: only an implementation of `Clock` reads the machine's clock.
struct BootClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<BootClock, duration>;
  static constexpr bool is_steady = true;
};

/// A moment on this machine's boot-time clock: the only kind of time a decision may compare.
using Instant = BootClock::time_point;

/// Calendar time, for timestamps that are written into API objects and shown to people. Times
/// written by other machines are of this kind too: data that may change, never a clock to compare
/// with.
using WallTime = std::chrono::sys_time<std::chrono::microseconds>;

/// metav1.Time on the wire: RFC 3339 in UTC with whole seconds, "2026-01-02T03:04:05Z".
std::string rfc3339(WallTime time);

/// metav1.MicroTime on the wire: always six digits, "2026-01-02T03:04:05.000006Z".
std::string rfc3339_micro(WallTime time);

/// Reads either form, any number of fractional digits (cut to microseconds), and offsets such as
/// +02:00. Nothing when the text is no RFC 3339 timestamp.
std::optional<WallTime> parse_rfc3339(std::string_view text);

}  // namespace nlc
