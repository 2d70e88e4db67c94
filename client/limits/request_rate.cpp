#include "client/limits/request_rate.h"

#include <algorithm>
#include <cassert>

#include "client/limits/by_priority.h"

namespace nlc::client {
namespace {

/// Seconds; no process lives to see its end, and the clock does not overflow.
constexpr double longest_wait = 1e9;
/// A priority that has waited for a token for so long is served first.
constexpr Duration served_first_after = std::chrono::seconds(1);

}  // namespace

RequestRate::RequestRate(double per_second, int burst, Instant now)
    : per_second_(per_second), burst_(std::max(1, burst)), tokens_(burst), counted_(now) {
  assert(per_second >= 0);
}

double RequestRate::tokens_left(Instant now) const {
  const double seconds = std::chrono::duration<double>(now - counted_).count();
  return std::min(burst_, tokens_ + seconds * per_second_);
}

std::optional<Tokens> RequestRate::tokens(Instant now) const {
  if (!limits()) return std::nullopt;
  return Tokens{.left = tokens_left(now), .served_first = served_first(now)};
}

bool RequestRate::has_token(RequestPriority priority, Instant now) const {
  const std::optional<Tokens> all = tokens(now);
  return !all || all->has_one_for(priority);
}

void RequestRate::take(RequestPriority priority, Instant now) {
  waits_no_more(priority);
  if (!limits()) return;
  tokens_ = tokens_left(now) - 1;
  counted_ = now;
}

void RequestRate::waits(RequestPriority priority, Instant now) {
  std::optional<Instant>& since = waiting_since_[index(priority)];
  if (!since) since = now;
}

std::optional<RequestPriority> RequestRate::served_first(Instant now) const {
  std::optional<RequestPriority> first;
  for (const RequestPriority priority : every_priority) {
    const std::optional<Instant>& since = waiting_since_[index(priority)];
    if (!since || now - *since < served_first_after) continue;
    if (!first || *since < *waiting_since_[index(*first)]) first = priority;
  }
  return first;
}

Instant RequestRate::next_token(Instant now) const {
  if (!limits()) return now;
  const double missing = std::clamp((1 - tokens_left(now)) / per_second_, 0.0, longest_wait);
  return now + std::chrono::ceil<Duration>(std::chrono::duration<double>(missing));
}

}  // namespace nlc::client
