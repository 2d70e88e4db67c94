#pragma once

#include <algorithm>
#include <optional>

#include "election/election_options.h"
#include "election/lease_validity.h"
#include "runtime/random.h"
#include "runtime/time.h"

namespace nlc::election {

/// When a candidate tries next, and from when on it may claim a lock that is free.
///
/// A leader tries again each period, counted from the beginning of the try, so that several fit
/// into what is left of its leadership; the others spread out, so that they do not meet, and look
/// when the leadership that they wait for has ended. Who was out of touch for long, or saw the
/// server go back in time, claims nothing for a lease duration. What a watch shows is looked at at
/// once, but over time no more than twice in a period: where a webhook rewrites the lock each write
/// of a leader looks like somebody else's.
///
/// Pure.
class ContestSchedule {
 public:
  ContestSchedule(const ElectionOptions& options, Random random)
      : lease_(options.lease_duration),
        period_(options.retry_period),
        touch_max_(LeaseValidity::touch_max(options)),
        random_(random) {}

  void try_begins(Instant now) { try_began_ = now; }
  /// The look of this try was answered; until `respected_until` others wait for us. True: we were
  /// out of touch for so long that others may have led meanwhile, by records that the server has
  /// lost again.
  bool look_answered(Instant respected_until, Instant now);
  /// The last look or write that was answered began then; `Instant::min()`: none was.
  Instant in_touch() const { return in_touch_.value_or(Instant::min()); }
  /// A write that was sent at `sent` was acknowledged.
  void write_answered(Instant sent) { in_touch_ = std::max(in_touch_.value_or(sent), sent); }
  /// Somebody may lead by a record that nobody can read, and learns of it only when he renews.
  void others_may_lead(Instant now) { somebody_may_lead_until(now + lease_); }
  void somebody_may_lead_until(Instant last) { contend_from_ = std::max(contend_from_, last); }
  /// The same, for the server has lost it.
  void server_went_back(Instant now) {
    others_may_lead(now);
    rewound_until_ = now + lease_;
  }

  bool may_claim(Instant now) const { return now > contend_from_; }
  bool waits_out_a_rewind(Instant now) const { return now <= rewound_until_; }

  /// A look before its turn: eight at once, as many as two leaders in a row show who give back a
  /// lock of two objects, and two more with each period.
  bool may_look_early(Instant now) const { return early_looks_until_ <= now + 7 * period_ / 2; }
  void looks_early(Instant now) {
    early_looks_until_ = std::max(early_looks_until_, now) + period_ / 2;
  }

  Instant next_renewal(Instant now) const { return std::max(now, try_began_ + period_); }
  /// Of somebody who does not lead; `foreign_until`: the last instant of who does.
  Instant next_look(Instant foreign_until, Instant now);

 private:
  const Duration lease_;
  const Duration period_;
  const Duration touch_max_;
  Random random_;
  Instant try_began_;
  Instant early_looks_until_;  ///< half a period for each of them, one after the other
  std::optional<Instant> in_touch_;
  Instant contend_from_ = Instant::min();
  Instant rewound_until_ = Instant::min();  ///< so long the server's going back is waited out
};

}  // namespace nlc::election
