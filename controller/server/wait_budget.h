#pragma once

#include "controller/server/api_availability.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Waits that follow one another, whatever each is for, would spare the dead for ever: a minute is
/// spent on them, and then there is none of them for as long as one lasts.
///
/// Pure.
class WaitBudget {
 public:
  /// Something is waited for from now on, or nothing is.
  void follow(bool waits, Instant now) {
    if (waited_) spent_ += now - followed_;
    if (waited_ || waits) last_ = now;
    followed_ = now;
    if (is_whole(now)) spent_ = {};
    if (spent_ >= most) {
      spent_ = {};
      spent_at_ = now;
    }
    waited_ = waits && !is_spent(now);
  }
  /// What spent it is not waited for.
  bool is_spent(Instant now) const { return now < spent_at_ + settling; }
  /// Nothing has been waited for in the last fifteen seconds.
  bool is_whole(Instant now) const { return now >= last_ + settling; }
  /// When it will be, where all goes on as it was last followed.
  Instant lasts_until() const { return followed_ + (most - spent_); }

 private:
  static constexpr Duration most = 4 * settling;

  Duration spent_{0};
  bool waited_ = false;
  Instant followed_;
  Instant last_ = Instant::min();  ///< when something was waited for
  Instant spent_at_ = Instant::min();
};

}  // namespace nlc::controller
