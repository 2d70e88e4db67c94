#pragma once

#include <algorithm>
#include <chrono>

#include "runtime/time.h"

namespace nlc::controller {

/// One reading of both clocks: everything that is decided together sees the same moment.
struct Moment {
  Instant now;    ///< decides
  WallTime wall;  ///< is written
  /// The server's calendar is known to be another than ours, by which nothing of others is old.
  bool calendar_off = false;
};

/// How long before `at` that was, by the calendar: nothing for what is to come, and at most a
/// century, for others may have written any year into an object.
inline Duration age_of(WallTime then, Moment at) {
  using Difference = WallTime::duration;
  return std::clamp<Difference>(at.wall - then, Difference{0}, std::chrono::years(100));
}

}  // namespace nlc::controller
