#pragma once

#include <algorithm>

#include "controller/server/api_availability.h"
#include "runtime/time.h"

namespace nlc::controller {

/// A wait that each event begins anew, and that ends all the same where they come again and again:
/// the dead would be spared for as long as they do.
///
/// Pure.
class BoundedWait {
 public:
  /// `span`: what is waited for once.
  void begin(Instant event, Duration span) {
    if (event >= ends_ + free_for) first_ = event;
    ends_ = std::max(ends_, std::min(event + span, first_ + at_most * span));
  }
  /// In the past where nothing is waited for.
  Instant ends() const { return ends_; }

 private:
  static constexpr int at_most = 4;  ///< times what is waited for once
  /// And they still would be if that were followed by less time than it takes to read a lease.
  static constexpr Duration free_for = settling;

  Instant first_ = Instant::min();  ///< of those with less than `free_for` between them
  Instant ends_ = Instant::min();
};

}  // namespace nlc::controller
