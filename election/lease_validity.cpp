#include "election/lease_validity.h"

#include <algorithm>

namespace nlc::election {
namespace {

/// Clock rates of two machines may differ by 1 %, and a thread may run a time slice late.
Duration margin(Duration lease) { return lease / 100 + std::chrono::milliseconds(100); }

}  // namespace

void LeaseValidity::begin_after(Before before, Instant now) {
  opens_from_ = proven_from_ = Instant::min();
  if (before == Before::Nobody) return;
  opens_from_ = now + (before == Before::Ended ? period_ : lease_);
  proven_from_ = std::max(opens_from_, now + touch_max_ + margin(touch_max_));
}

/// A leadership that begins, or goes on after it had ended, may be unknown to others: its claim may
/// be erased before they read it. Whoever of them claims next leads a period after that at the
/// earliest, when what was acknowledged before has ended.
Instant LeaseValidity::renewed(Instant sent, Before before, Instant now) {
  if (sent >= respected_until_) begin_after(before, now);
  confirm();
  respected_until_ = sent + lease_ - margin(lease_);
  if (sent >= proven_from_) {
    until_ = respected_until_;
    return sent + period_;
  }
  if (sent < opens_from_) {
    // Answers that take long may make the next one too late: it is sent after a look.
    const Instant in_time = std::max(now, respected_until_ - 3 * (now - sent));
    return std::min({opens_from_, now + period_, in_time});
  }
  // Where answers are late it would open and close in turn.
  const bool quick = now - sent <= period_ / 4;
  const Duration so_long = period_ - margin(period_);
  if (quick || now < until_) until_ = sent + so_long;
  return sent + std::max(so_long / 2, period_ / 4);
}

}  // namespace nlc::election
