#include "client/limits/flights.h"

#include <algorithm>
#include <cassert>

namespace nlc::client {
namespace {

/// The first of them that is not overdue yet.
auto in_time(const std::vector<Instant>& departures, Instant now) {
  return std::ranges::upper_bound(departures, now - Flights::overdue_after);
}

}  // namespace

void Flights::sent(RequestPriority priority, Try attempt, Instant now) {
  Departures& departures = departures_.of(priority, attempt);
  assert(departures.empty() || departures.back() <= now);
  departures.push_back(now);
}

void Flights::answered(RequestPriority priority, Try attempt, Instant sent) {
  Departures& departures = departures_.of(priority, attempt);
  const auto found = std::ranges::lower_bound(departures, sent);
  assert(found != departures.end() && *found == sent);
  departures.erase(found);
}

ByPriority<int> Flights::overdue(Instant now) const {
  ByPriority<int> counts;
  std::ranges::transform(departures_, counts.begin(), [now](const Departures& departures) {
    return static_cast<int>(in_time(departures, now) - departures.begin());
  });
  return counts;
}

std::optional<Instant> Flights::next_overdue(Instant now) const {
  std::optional<Instant> next;
  for (const Departures& departures : departures_) {
    const auto found = in_time(departures, now);
    if (found == departures.end()) continue;
    next = std::min(next.value_or(*found + overdue_after), *found + overdue_after);
  }
  return next;
}

}  // namespace nlc::client
