#include "election/contest_schedule.h"

#include <algorithm>
#include <utility>

namespace nlc::election {

bool ContestSchedule::look_answered(Instant respected_until, Instant now) {
  const std::optional<Instant> before = std::exchange(in_touch_, try_began_);
  const bool out_of_touch = before && now - *before > touch_max_ && now >= respected_until;
  if (out_of_touch) others_may_lead(now);
  return out_of_touch;
}

/// Looks are counted from the beginning of a try, too, and are nearer together than upstream's (up
/// to 2.2 periods after its end): who was last renewed in the moment in which a network healed has
/// been seen 1.7 periods later at most, even if a look had just begun to hang (for a third of the
/// deadline, by default less than that), and is followed a lease and a quarter of a period after
/// that: within a lease and two periods.
Instant ContestSchedule::next_look(Instant foreign_until, Instant now) {
  const Instant poll = std::max(now, try_began_ + random_.between(period_, period_ * 17 / 10));
  const Instant lapse = std::max(foreign_until, contend_from_);
  if (lapse < now) return poll;
  return std::min(poll, lapse + random_.between({}, period_ / 4) + Duration{1});
}

}  // namespace nlc::election
