#pragma once

#include <algorithm>

#include "runtime/time.h"

namespace nlc::controller {

/// When monitor passes run: when a grace ends, when something calls for one, and never for more
/// than a tenth of our time, however often that is.
///
/// Pure, on one thread.
class PassSchedule {
 public:
  /// Something that is known now may change what a pass decides.
  void want() { wanted_ = true; }
  /// `next`: when one is due that nothing calls for.
  Instant due(Instant next, Instant now) const {
    return std::max(wanted_ ? now : next, not_before_);
  }
  /// What calls for one from now on calls for another.
  void begun() { wanted_ = false; }
  void ended(Instant began, Duration took) { not_before_ = began + share * took; }

 private:
  static constexpr int share = 10;

  bool wanted_ = true;
  Instant not_before_ = Instant::min();
};

}  // namespace nlc::controller
