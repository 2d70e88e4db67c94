#pragma once

#include "client/server_clock.h"
#include "controller/rules/moment.h"
#include "runtime/clock.h"

namespace nlc::controller {

/// Reads the time, and with it the calendar as far as it can be believed.
class Moments {
 public:
  Moments(const Clock& clock, const client::ServerClock& server_clock)
      : clock_(clock), server_clock_(server_clock) {}

  Moment now() const {
    const client::ServerClock::Reading ours{clock_.now(), clock_.wall_now()};
    return {.now = ours.now,
            .wall = server_clock_.to_write(ours),
            .calendar_off = server_clock_.off(ours)};
  }
  /// The server's calendar is close to ours.
  bool close(Instant now) const { return server_clock_.close({now, clock_.wall_now()}); }

 private:
  const Clock& clock_;
  const client::ServerClock& server_clock_;
};

}  // namespace nlc::controller
