#include "client/limits/request_rate.h"

#include <algorithm>
#include <cassert>

namespace nlc::client {
namespace {

/// Seconds; no process lives to see its end, and the clock does not overflow.
constexpr double longest_wait = 1e9;
/// A kind that has waited for a token for so long is served first.
Duration served_first_after(Try attempt) {
  return std::chrono::seconds(attempt == Try::First ? 1 : 5);
}

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
  if (!all) return true;
  const bool kept = all->served_first != kind && all->left < 2 && gives_way(kind);
  return !kept && all->has_one_for(kind);
}

/// Events queue, and pods do not, so they would be here first whenever there is a token.
bool RequestRate::gives_way(RequestKind kind) const {
  if (kind.priority != RequestPriority::Event) return false;
  return std::any_of(every_priority.begin(), every_priority.end(), [this](RequestPriority other) {
    return other < RequestPriority::Event && waiting_since_.of({other}).has_value();
  });
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

/// Whichever has waited too long, by the most; else a verdict that waits.
std::optional<RequestKind> RequestRate::served_first(Instant now) const {
  std::optional<RequestKind> first;
  Instant first_due = now;
  for (const RequestKind kind : every_kind) {
    const std::optional<Instant>& since = waiting_since_.of(kind);
    if (!since) continue;
    const Instant due = *since + served_first_after(kind.attempt);
    if (due > now || (first && due >= first_due)) continue;
    first = kind;
    first_due = due;
  }
  constexpr RequestKind verdict{RequestPriority::NodeStatus};
  return first || !waiting_since_.of(verdict) ? first : verdict;
}

Instant RequestRate::next_token(Instant now) const {
  if (!limits()) return now;
  const double missing = std::clamp((1 - tokens_left(now)) / per_second_, 0.0, longest_wait);
  return now + std::chrono::ceil<Duration>(std::chrono::duration<double>(missing));
}

}  // namespace nlc::client
