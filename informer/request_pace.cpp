#include "informer/request_pace.h"

#include <algorithm>
#include <utility>

namespace nlc::informer {
namespace {

/// A longer Retry-After is cut to this: meanwhile nothing of the cluster would be seen.
constexpr Duration asked_wait_max = std::chrono::seconds(10);

constexpr Duration hurry_pause = std::chrono::seconds(2);

bool may_hurry_after(const WaitCause& cause, bool begins_list) {
  if (cause.fault == Fault::Throttled) return cause.retry_after.has_value();
  if (!begins_list) return true;
  return cause.fault == Fault::Unavailable || cause.fault == Fault::Timeout ||
         cause.fault == Fault::Unauthorized || cause.fault == Fault::Forbidden;
}

}  // namespace

void RequestPace::asked(Instant now) {
  tried_ = now;
  may_hurry_ = false;
}

void RequestPace::asked_for_list(Instant now) {
  asked(now);
  list_served_ = false;
  list_ordered_ = false;
  list_begun_ = now;
}

void RequestPace::was_healthy() {
  backoff_.reset();
  list_backoff_.reset();
  listed_anew_ = false;
}

bool RequestPace::may_reopen(Instant now) {
  const double seconds = std::chrono::duration<double>(now - refilled_).count();
  reopenings_ = std::min(reopenings_max, reopenings_ + seconds);
  refilled_ = now;
  if (reopenings_ < 1) return false;
  reopenings_ -= 1;
  return true;
}

Instant RequestPace::wait(const WaitCause& cause, bool begins_list, Random& random, Instant now) {
  const Duration asked = std::min(cause.retry_after.value_or(Duration{0}), asked_wait_max);
  const bool lists_in_a_row = begins_list && list_served_;
  Backoff& backoff = lists_in_a_row ? list_backoff_ : backoff_;
  not_before_ = now + asked;
  until_ = now + backoff.next(random, asked);
  may_hurry_ = !lists_in_a_row && may_hurry_after(cause, begins_list);
  return until_;
}

Instant RequestPace::list_anew(Random& random) {
  may_hurry_ = false;
  if (std::exchange(list_ordered_, true)) return until_;
  until_ = not_before_;
  if (std::exchange(listed_anew_, true)) {
    until_ = std::max(until_, list_begun_ + list_backoff_.next(random));
  }
  return until_;
}

std::optional<Instant> RequestPace::hurry(Instant now) {
  if (!may_hurry_) return std::nullopt;
  const Instant earliest = std::max(not_before_, tried_ + hurry_pause);
  if (now < earliest && earliest >= until_) return std::nullopt;
  return until_ = earliest;
}

}  // namespace nlc::informer
