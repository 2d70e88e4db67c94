#pragma once

#include <algorithm>

#include "runtime/time.h"

namespace nlc::sim::rules {

/// How long a stretch of time is without some spans, which are left out in the order of their
/// beginnings and may overlap.
class RemainingTime {
 public:
  RemainingTime(Instant from, Instant until)
      : left_(until - from), counted_until_(from), until_(until) {}

  void leave_out(Instant from, Instant until) {
    from = std::max(from, counted_until_);
    until = std::min(until, until_);
    if (from >= until) return;
    left_ -= until - from;
    counted_until_ = until;
  }

  Duration left() const { return left_; }

 private:
  Duration left_;
  Instant counted_until_;
  const Instant until_;
};

}  // namespace nlc::sim::rules
