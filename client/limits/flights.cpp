#include "client/limits/flights.h"

#include <algorithm>
#include <cassert>

#include "runtime/earlier.h"

namespace nlc::client {
namespace {

/// The first of them that is not overdue yet.
auto first_in_time(const std::vector<Instant>& times, Instant now) {
  return std::ranges::upper_bound(times, now - Flights::overdue_after);
}

}  // namespace

void Flights::sent(RequestKind kind, Instant now) {
  SendTimes& times = in_flight_.of(kind);
  assert(times.empty() || times.back() <= now);
  times.push_back(now);
}

void Flights::answered(RequestKind kind, Instant sent) {
  SendTimes& times = in_flight_.of(kind);
  const auto found = std::ranges::lower_bound(times, sent);
  assert(found != times.end() && *found == sent);
  times.erase(found);
}

ByKind<int> Flights::overdue(Instant now) const {
  ByKind<int> counts;
  std::ranges::transform(in_flight_, counts.begin(), [now](const SendTimes& times) {
    return static_cast<int>(first_in_time(times, now) - times.begin());
  });
  return counts;
}

std::optional<Instant> Flights::next_overdue(Instant now) const {
  std::optional<Instant> next;
  for (const SendTimes& times : in_flight_) {
    const auto found = first_in_time(times, now);
    if (found != times.end()) next = earlier(next, *found + overdue_after);
  }
  return next;
}

}  // namespace nlc::client
