#include "controller/writes/retry_state.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <utility>

#include "runtime/backoff.h"

namespace nlc::controller {
namespace {

constexpr Duration wait_min = std::chrono::milliseconds(100);
constexpr Duration wait_max = std::chrono::seconds(15);
/// For what will not change by itself: soon once more, in case it did, and then seldom.
constexpr std::array<Duration, 3> refused_waits{std::chrono::seconds(10), std::chrono::minutes(1),
                                                std::chrono::minutes(5)};
constexpr Duration undone_max = std::chrono::minutes(5);
constexpr Duration retry_after_max = std::chrono::seconds(10);
constexpr std::int16_t most_doublings = 12;
constexpr Duration releases_apart = std::chrono::seconds(30);

/// What was written counts as undone when it is wanted again within so long.
constexpr Duration lasting = std::chrono::minutes(1);

bool will_not_change(Fault fault) { return fault == Fault::Forbidden || fault == Fault::Invalid; }

/// Doubles from a tenth of a second on, or from what the server asks for: a thousand that keep to
/// that alone are a thousand requests in each such time.
Duration doubled_wait(int doublings, Duration longest, Duration asked, Random& random) {
  const Duration first = std::max(wait_min, asked);
  Backoff backoff({.backoff_min = std::min(first * (std::int64_t{1} << doublings), longest),
                   .backoff_max = longest});
  return backoff.next(random, asked);
}

}  // namespace

std::optional<Instant> RetryState::retry_at(Instant now) const {
  if (in_flight_ || now >= not_before_) return std::nullopt;
  return not_before_;
}

void RetryState::begin() {
  assert(!in_flight_);
  in_flight_ = true;
}

void RetryState::succeeded(Instant now) {
  assert(in_flight_);
  in_flight_ = false;
  failures_ = 0;
  refused_ = conflicted_ = false;
  not_before_ = Instant::min();
  taken_ = now;
}

bool RetryState::did_not_last(Instant now, Random& random) {
  const std::optional<Instant> taken = std::exchange(taken_, std::nullopt);
  if (!taken) return false;
  if (now - *taken >= lasting) {
    undone_ = 0;
    return false;
  }
  not_before_ = now + doubled_wait(undone_, undone_max, Duration{0}, random);
  undone_ = std::min<std::int16_t>(undone_ + 1, most_doublings);
  return true;
}

void RetryState::gave_way() {
  taken_.reset();
  undone_ = 0;
}

bool RetryState::met_conflict(Instant now, Random& random) {
  const bool second = std::exchange(conflicted_, true);
  if (second) {
    failed(now, random, {.fault = Fault::Conflict});
  } else {
    not_sent();
  }
  return second;
}

void RetryState::failed(Instant now, Random& random, const Error& error) {
  assert(in_flight_);
  in_flight_ = false;
  if (error.fault == Fault::NotLeading) {
    not_before_ = now + wait_min;
    return;
  }
  const Duration asked = std::min(error.retry_after.value_or(Duration{0}), retry_after_max);
  const bool refused_before = std::exchange(refused_, will_not_change(error.fault));
  if (refused_ && !refused_before) failures_ = 0;
  if (refused_) {
    const Duration longest =
        refused_waits[std::min<std::size_t>(failures_, refused_waits.size() - 1)];
    not_before_ = now + std::max(asked, longest - random.between(Duration{0}, longest / 10));
  } else {
    not_before_ = now + doubled_wait(failures_, wait_max, asked, random);
  }
  failures_ = std::min<std::int16_t>(failures_ + 1, most_doublings);
}

void RetryState::forget_failures(Instant now) {
  if (in_flight_ || failures_ == 0) return;
  not_before_ = std::min(not_before_, now + refused_waits.front());
  failures_ = 0;
}

void RetryState::hurry() {
  if (refused_ && !in_flight_) not_before_ = Instant::min();
}

void RetryState::not_sent() {
  assert(in_flight_);
  in_flight_ = false;
  not_before_ = Instant::min();
}

bool RefusalRelease::begins_with(const RetryState& taken, Instant now) {
  if (!taken.was_refused() || (last_ && now - *last_ < releases_apart)) return false;
  last_ = now;
  return true;
}

}  // namespace nlc::controller
