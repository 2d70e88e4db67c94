#pragma once

#include <algorithm>
#include <cassert>
#include <optional>
#include <utility>

#include "runtime/backoff.h"
#include "runtime/random.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Where one wish to write stands: free, on its way, or waiting out a failure. At most one write of
/// a wish is on its way at a time, and none is given up: it is wished again for as long as the
/// world differs.
class Attempt {
 public:
  bool in_flight() const { return in_flight_; }
  bool may_begin(Instant now) const { return !in_flight_ && now >= not_before_; }
  /// When a failed wish may be tried again; nothing when it is not waiting.
  std::optional<Instant> retry_at(Instant now) const {
    if (in_flight_ || now >= not_before_) return std::nullopt;
    return not_before_;
  }

  void begin() {
    assert(!in_flight_);
    in_flight_ = true;
  }

  void succeeded() {
    assert(in_flight_);
    in_flight_ = false;
    failures_ = 0;
    conflicted_ = false;
    not_before_ = Instant::min();
  }

  /// The object was another by then, and has been read: tried again at once. Whoever meets a second
  /// conflict waits, for the server may call something else a conflict.
  void met_conflict(Instant now, Random& random) {
    if (std::exchange(conflicted_, true)) return failed(now, random, std::nullopt);
    assert(in_flight_);
    in_flight_ = false;
    not_before_ = Instant::min();
  }

  /// `floor` is a server's Retry-After.
  void failed(Instant now, Random& random, std::optional<Duration> floor) {
    assert(in_flight_);
    in_flight_ = false;
    Backoff backoff(
        {.backoff_min = std::min(wait_min * (1 << failures_), wait_max), .backoff_max = wait_max});
    not_before_ = now + backoff.next(random, floor.value_or(Duration{0}));
    failures_ = std::min(failures_ + 1, most_doublings);
  }

 private:
  static constexpr Duration wait_min = std::chrono::milliseconds(100);
  static constexpr Duration wait_max = std::chrono::seconds(15);
  static constexpr int most_doublings = 8;

  Instant not_before_ = Instant::min();
  int failures_ = 0;
  bool in_flight_ = false;
  bool conflicted_ = false;
};

}  // namespace nlc::controller
