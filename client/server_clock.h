#pragma once

#include <algorithm>
#include <chrono>

#include "runtime/time.h"

namespace nlc::client {

/// Whether the API server's calendar is proven close to ours, by the Date header of its answers.
/// Only then may a timestamp that others wrote into an object say how long ago something was. On
/// the executor's thread.
class ServerClock {
 public:
  /// One reading of both our clocks.
  struct Reading {
    Instant now;
    WallTime wall;
  };

  /// `date` has whole seconds, cut off.
  void note(WallTime date, Reading ours) {
    const auto ahead = date - ours.wall;
    close_ = ahead < limit && ahead > -(limit + std::chrono::seconds(1));
    noted_ = ours;
    date_ = date;
    known_ = true;
  }
  /// False as long as no answer told, and after our own calendar was set: what was proven of it is
  /// proven no more.
  bool close(Reading ours) const {
    const Duration slipped = (ours.wall - noted_.wall) - (ours.now - noted_.now);
    return close_ && slipped < limit && slipped > -limit;
  }
  /// An answer told, and it is not close.
  bool off(Reading ours) const { return known_ && !close(ours); }

  /// What to write into an object: the later of the two calendars where they differ. Whoever reads
  /// it by a better clock than ours takes what happened now for younger than it is, never for
  /// older.
  WallTime to_write(Reading ours) const {
    if (!off(ours)) return ours.wall;
    const auto elapsed = std::chrono::ceil<std::chrono::seconds>(ours.now - noted_.now);
    return std::max(ours.wall, date_ + std::chrono::seconds(1) + elapsed);
  }

 private:
  static constexpr std::chrono::seconds limit{2};
  bool close_ = false;
  bool known_ = false;
  Reading noted_{};
  WallTime date_{};
};

}  // namespace nlc::client
