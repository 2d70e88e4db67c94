#pragma once

#include "controller/server/api_availability.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Waits that follow one another, whatever each is for, would spare the dead for ever: when a
/// minute has been spent on them the budget is spent, for fifteen seconds; then it is whole again,
/// as it is after fifteen seconds without any.
///
/// Pure.
class WaitBudget {
 public:
  /// Something is waited for from now on, or nothing is.
  void follow(bool waits, Instant now) {
    if (waited_) spent_ += now - followed_;
    if (waited_ || waits) last_ = now;
    followed_ = now;
    if (is_quiet(now)) spent_ = {};
    if (spent_ >= most) {
      spent_ = {};
      spent_until_ = now + settling;
    }
    waited_ = waits && !is_spent(now);
  }
  bool is_spent(Instant now) const { return now < spent_until_; }
  /// Nothing has been waited for in the last fifteen seconds.
  bool is_quiet(Instant now) const { return now >= last_ + settling; }
  /// When it will be spent, where all goes on as it was last followed.
  Instant lasts_until() const { return followed_ + (most - spent_); }

 private:
  static constexpr Duration most = 4 * settling;

  Duration spent_{0};
  bool waited_ = false;
  Instant followed_;
  Instant last_ = Instant::min();  ///< when something was waited for
  Instant spent_until_ = Instant::min();
};

}  // namespace nlc::controller
