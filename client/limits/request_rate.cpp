#include "client/limits/request_rate.h"

#include <algorithm>
#include <cassert>

namespace nlc::client {
namespace {

/// Seconds; no process lives to see its end, and the clock does not overflow.
constexpr double longest_wait = 1e9;
constexpr RequestKind verdict{RequestPriority::NodeStatus};

/// A kind that has waited for a token for so long is served first.
Duration starves_after(RequestKind kind) {
  const bool may_wait = kind.attempt == Try::Again || kind.priority == RequestPriority::Event;
  return std::chrono::seconds(may_wait ? 5 : 1);
}

}  // namespace

RequestRate::RequestRate(double per_second, int burst, Instant now)
    : per_second_(per_second), burst_(burst), tokens_(burst), counted_(now) {
  assert(per_second >= 0);
}

double RequestRate::tokens_left(Instant now) const {
  const double seconds = std::chrono::duration<double>(now - counted_).count();
  return std::min(burst_, tokens_ + seconds * per_second_);
}

bool RequestRate::has_token(RequestKind kind, Instant now) const {
  if (!limits()) return true;
  const std::optional<RequestKind> first = served_first(now);
  const bool is_kept = first ? *first != kind : gives_way(kind);
  return tokens_left(now) >= (is_kept ? 2 : 1);
}

/// Events queue, and pods do not, so they would be here first whenever there is a token.
bool RequestRate::gives_way(RequestKind kind) const {
  if (kind.priority != RequestPriority::Event) return false;
  return std::any_of(every_priority.begin(), every_priority.end(), [this](RequestPriority other) {
    return other < RequestPriority::Event && is_waiting({other});
  });
}

void RequestRate::take(RequestKind kind, Instant now) {
  waits_no_more(kind);
  if (!limits()) return;
  verdict_was_last_ = kind == verdict;
  tokens_ = tokens_left(now) - 1;
  counted_ = now;
}

void RequestRate::waits(RequestKind kind, Instant now) {
  std::optional<Instant>& since = waiting_since_.of(kind);
  if (!since) since = now;
}

/// Whichever has waited too long, by the most, in turns with a verdict that waits.
std::optional<RequestKind> RequestRate::served_first(Instant now) const {
  if (is_waiting(verdict) && !verdict_was_last_) return verdict;
  std::optional<RequestKind> first;
  Instant first_due = now;
  for (const RequestKind kind : every_kind) {
    const std::optional<Instant>& since = waiting_since_.of(kind);
    if (!since) continue;
    const Instant due = *since + starves_after(kind);
    if (due > now || (first && due >= first_due)) continue;
    first = kind;
    first_due = due;
  }
  return first || !is_waiting(verdict) ? first : verdict;
}

Instant RequestRate::next_token(Instant now) const {
  if (!limits()) return now;
  const double missing = std::clamp((1 - tokens_left(now)) / per_second_, 0.0, longest_wait);
  return now + std::chrono::ceil<Duration>(std::chrono::duration<double>(missing));
}

}  // namespace nlc::client
