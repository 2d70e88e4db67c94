#include "client/request_rate.h"

#include <algorithm>
#include <cassert>

namespace nlc::client {
namespace {

/// Seconds; no process lives to see its end, and the clock does not overflow.
constexpr double longest_wait = 1e9;
constexpr Duration longest_turn = std::chrono::seconds(1);

}  // namespace

RequestRate::RequestRate(double per_second, int burst, Instant now)
    : per_second_(per_second), burst_(std::max(1, burst)), tokens_(burst), counted_(now) {
  assert(per_second >= 0);
}

double RequestRate::tokens(Instant now) const {
  const double seconds = std::chrono::duration<double>(now - counted_).count();
  return std::min(burst_, tokens_ + seconds * per_second_);
}

bool RequestRate::has_token(Lane lane, Instant now) const {
  if (!limits()) return true;
  const std::optional<Lane> first = served_first(now);
  return tokens(now) >= (first && *first != lane ? 2 : 1);
}

void RequestRate::take(Lane lane, Instant now) {
  waits_no_more(lane);
  if (!limits()) return;
  tokens_ = tokens(now) - 1;
  counted_ = now;
}

void RequestRate::waits(Lane lane, Instant now) {
  std::optional<Instant>& since = waiting_since_[index(lane)];
  if (!since) since = now;
}

std::optional<Lane> RequestRate::served_first(Instant now) const {
  std::optional<Lane> first;
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    const std::optional<Instant>& since = waiting_since_[lane];
    if (!since || now - *since < longest_turn) continue;
    if (!first || *since < *waiting_since_[index(*first)]) first = static_cast<Lane>(lane);
  }
  return first;
}

Instant RequestRate::next_token(Instant now) const {
  if (!limits()) return now;
  const double missing = std::clamp((1 - tokens(now)) / per_second_, 0.0, longest_wait);
  return now + std::chrono::ceil<Duration>(std::chrono::duration<double>(missing));
}

}  // namespace nlc::client
