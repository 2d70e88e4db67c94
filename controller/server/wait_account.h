#pragma once

#include <algorithm>

#include "runtime/time.h"

namespace nlc::controller {

/// What of late was spent on waiting. Each second of rest, in which nothing is waited for, gives
/// four back: waits of fifteen seconds with four between them never come to a minute.
///
/// Pure.
class WaitAccount {
 public:
  /// Something was waited for from `from` to `end`, and nothing from then on.
  void add(Instant from, Instant end, Instant now) {
    const Instant until = std::clamp(end, from, now);
    spent_ = std::max(Duration{0}, spent_ + (until - from) - 4 * (now - until));
  }
  Duration spent() const { return spent_; }

 private:
  Duration spent_{0};
};

}  // namespace nlc::controller
