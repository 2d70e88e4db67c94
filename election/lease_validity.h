#pragma once

#include <algorithm>
#include <cstdint>

#include "election/election_options.h"
#include "runtime/time.h"

namespace nlc::election {

/// For how long a candidate may act by what the server acknowledged to it: until the send time of
/// the last renewal plus the lease, less a margin. A leadership that others may not have read of
/// yet lasts for a retry period at a time
/// (docs/decisions/0032-a-claim-may-be-erased-before-it-is-read.md).
///
/// Pure.
class LeaseValidity {
 public:
  explicit LeaseValidity(const ElectionOptions& options)
      : lease_(options.lease_duration),
        period_(options.retry_period),
        touch_max_(touch_max(options)) {}

  /// Whoever is in touch has read the lock within so long: two polls, and an answer that came as
  /// late as it may.
  static Duration touch_max(const ElectionOptions& options) {
    return 2 * (options.retry_period * 17 / 10) + options.try_limit();
  }

  /// Whose leadership a claim follows: by a lock that is free nobody's; one that has ended; or that
  /// of somebody whose record could not be read, and which the server may have lost a moment ago.
  enum class Before : std::uint8_t { Nobody, Ended, Unread };
  /// A write that was sent at `sent` was acknowledged. When to renew.
  Instant renewed(Instant sent, Before before, Instant now);
  /// Somebody else may lead.
  void lapse() { until_ = Instant::min(); }
  /// The same, unless it is known otherwise by then.
  void question(Instant latest) { questioned_ = std::min(questioned_, latest); }
  bool is_questioned() const { return questioned_ != Instant::max(); }
  /// Nobody else does.
  void confirm() { questioned_ = Instant::max(); }
  /// The lock is not ours.
  void end() { until_ = respected_until_ = Instant::min(); }

  Instant until() const { return std::min(until_, questioned_); }
  /// It ends before others cease to wait for us.
  bool is_of_a_period() const { return until_ < respected_until_; }
  /// Until when others wait, whether we lead by it or not; `Instant::min()`: for nothing.
  Instant respected_until() const { return respected_until_; }

 private:
  void begin_after(Before before, Instant now);

  Duration lease_;
  Duration period_;
  Duration touch_max_;
  Instant until_ = Instant::min();
  Instant questioned_ = Instant::max();  ///< whether it goes on after that
  Instant respected_until_ = Instant::min();
  Instant opens_from_ = Instant::min();   ///< a renewal that is sent from then on lets us lead
  Instant proven_from_ = Instant::min();  ///< one from then on for as long as others respect it
};

}  // namespace nlc::election
