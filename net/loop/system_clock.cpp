#include "net/loop/system_clock.h"

#include <cassert>
#include <time.h>

namespace nlc::net {
namespace {

Duration read_clock(clockid_t clock) {
  timespec time{};
  [[maybe_unused]] const int failed = clock_gettime(clock, &time);
  assert(failed == 0);  // Both clocks exist on every Linux since 2.6.39.
  return std::chrono::seconds(time.tv_sec) + std::chrono::nanoseconds(time.tv_nsec);
}

}  // namespace

Instant SystemClock::now() const { return Instant{read_clock(CLOCK_BOOTTIME)}; }

WallTime SystemClock::wall_now() const {
  return WallTime{std::chrono::floor<std::chrono::microseconds>(read_clock(CLOCK_REALTIME))};
}

}  // namespace nlc::net
