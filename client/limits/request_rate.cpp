#include "client/limits/request_rate.h"

#include <algorithm>
#include <cassert>

namespace nlc::client {
namespace {

/// Seconds; no process lives to see its end, and the clock does not overflow.
constexpr double longest_wait = 1e9;
/// A kind that has waited for a token for so long is served first.
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

bool RequestRate::has_token(RequestKind kind, Instant now) const {
  const std::optional<Tokens> all = tokens(now);
  return !all || all->has_one_for(kind);
}

void RequestRate::take(RequestKind kind, Instant now) {
  waits_no_more(kind);
  if (!limits()) return;
  tokens_ = tokens_left(now) - 1;
  counted_ = now;
}

void RequestRate::waits(RequestKind kind, Instant now) {
  std::optional<Instant>& since = waiting_since_.of(kind);
  if (!since) since = now;
}

/// Who has waited for longest, if that is too long; else the most important.
std::optional<RequestKind> RequestRate::served_first(Instant now) const {
  std::optional<RequestKind> most_important;
  std::optional<RequestKind> longest;
  for (const RequestPriority priority : every_priority) {
    for (const Try attempt : both_tries) {
      const RequestKind kind{priority, attempt};
      const std::optional<Instant>& since = waiting_since_.of(kind);
      if (!since) continue;
      if (!most_important) most_important = kind;
      if (!longest || *since < *waiting_since_.of(*longest)) longest = kind;
    }
  }
  const bool starves = longest && now - *waiting_since_.of(*longest) >= served_first_after;
  return starves ? longest : most_important;
}

Instant RequestRate::next_token(Instant now) const {
  if (!limits()) return now;
  const double missing = std::clamp((1 - tokens_left(now)) / per_second_, 0.0, longest_wait);
  return now + std::chrono::ceil<Duration>(std::chrono::duration<double>(missing));
}

}  // namespace nlc::client
