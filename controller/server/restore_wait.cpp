#include "controller/server/restore_wait.h"

#include <algorithm>

namespace nlc::controller {
namespace {

constexpr Duration a_minute = 4 * settling;
constexpr Duration four_minutes = 4 * a_minute;
constexpr Duration came_again = 2 * settling;

}  // namespace

bool RestoreWait::follow_history(Instant now) {
  bool lost = std::exchange(policy_expired_seen_, policy_expired_) != policy_expired_;
  if (lost) causes_[policy_lost].last = now;
  for (const Watched what : all_watched) {
    const std::uint64_t expired = watches_.progress(what).expired;
    if (std::exchange(seen_[what].expired, expired) == expired) continue;
    of(what, Lost).last = now;
    lost = true;
  }
  return lost;
}

void RestoreWait::follow(Instant now) {
  account(now);
  follow_streams(now);
  begin_free_time(now);
  see_what_counts(now);
  for (Cause& cause : causes_) cause.waited_until = end_of(cause);
}

Instant RestoreWait::ends(Instant now) const {
  const Instant minute_spent = followed_ + (a_minute - since_free_.spent());
  const Instant all_spent = followed_ + (four_minutes - in_all_.spent());
  Instant last = now;
  for (const Cause& cause : causes_) {
    const Instant end = end_of(cause);
    const bool will_be_let_go = cause.account.spent() + (minute_spent - followed_) > came_again;
    last = std::max(last, will_be_let_go ? std::min(end, minute_spent) : end);
  }
  return std::min(last, all_spent);
}

bool RestoreWait::awaits_stream(Instant now) const {
  return waits(now) && watches_.any_gap(now) && std::ranges::any_of(all_watched, [&](Watched what) {
           return end_of(of(what, Ended)) > now || end_of(of(what, Broke)) > now;
         });
}

/// Not in the future where it does not count.
Instant RestoreWait::end_of(const Cause& cause) const {
  const bool is_let_go = cause.let_go && cause.last < free_until_;
  return cause.counts && !is_let_go ? cause.last + settling : Instant::min();
}

// --- what follows ------------------------------------------------------------------------------

void RestoreWait::follow_streams(Instant now) {
  for (const Watched what : all_watched) {
    const WatchProgress watch = watches_.progress(what);
    const bool breaks = std::exchange(seen_[what].breaks, watch.breaks) != watch.breaks;
    if (!watch.is_gap(now)) continue;
    Cause& cause = of(what, watch.broke_off ? Broke : Ended);
    cause.last = std::max(cause.last, breaks ? now : *watch.left);
  }
}

void RestoreWait::see_what_counts(Instant now) {
  const bool closed = watches_.any_gap(now);
  for (const Watched what : all_watched) {
    for (const Kind kind : {Ended, Broke}) {
      Cause& stream = of(what, kind);
      stream.counts = closed || of(what, Lost).last >= stream.last;
    }
  }
}

/// Of the time since it was last followed.
void RestoreWait::account(Instant now) {
  const Instant before = std::exchange(followed_, now);
  if (availability_.blind(now) || !availability_.settled(now)) return;
  Instant last = Instant::min();
  for (Cause& cause : causes_) {
    cause.account.add(before, cause.waited_until, now);
    last = std::max(last, cause.waited_until);
  }
  if (before >= free_until_) since_free_.add(before, last, now);
  in_all_.add(before, last, now);
}

/// It is seen a moment late that a minute was spent: who came too often had done so by then.
void RestoreWait::begin_free_time(Instant now) {
  const bool all = in_all_.spent() >= four_minutes;
  const Duration late = since_free_.spent() - a_minute;
  if (!all && late < Duration{0}) return;
  free_until_ = now + settling;
  since_free_ = {};
  for (Cause& cause : causes_) {
    cause.let_go = all || cause.account.spent() - late > came_again;
  }
}

}  // namespace nlc::controller
