#include "client/limits/capacity.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace nlc::client {
namespace {

/// Enough for a priority to go on whatever the others do, and so few that they miss nothing.
int few_of(int most) { return std::clamp(most / 16, 1, 4); }

/// `pause_max` is short for first tries: all that are queued wait for the pause of one answer.
ConcurrencyLimiter first_window(int most) {
  return ConcurrencyLimiter(
      {.most = most, .least = std::max(1, most / 2), .pause_max = std::chrono::seconds(1)});
}

ConcurrencyLimiter again_window(int most) {
  return ConcurrencyLimiter({.most = std::max(1, most / 2)});
}

}  // namespace

Capacity::Capacity(int most) : most_(most), windows_(first_window(most), again_window(most)) {
  assert(most > 0);
}

int Capacity::sum(const ByKind<int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0);
}

int Capacity::urgent() const {
  int count = 0;
  for (const RequestPriority priority : every_priority) {
    if (!yields(priority)) count += in_places({priority});
  }
  return count;
}

int Capacity::reserved_places(RequestPriority priority) const {
  return priority == RequestPriority::Event ? 1 : few_of(most_);
}

/// Nobody waits for an event: a thousand of them need no connections of their own.
bool Capacity::has_enough(RequestPriority priority, int places) const {
  return priority == RequestPriority::Event && places >= few_of(most_);
}

int Capacity::most_aside(RequestKind kind) const {
  if (kind.priority == RequestPriority::Event) return 0;
  return kind.attempt == Try::First ? most_ * 4 : most_ / 2;
}

void Capacity::update(Instant now, const ByKind<int>& overdue) {
  now_ = now;
  int left = most_ * 8;
  for (const Try attempt : both_tries) {
    for (const RequestPriority priority : every_priority) {
      const RequestKind kind{priority, attempt};
      const int moved = std::min({overdue.of(kind), most_aside(kind), left});
      aside_.of(kind) = moved;
      left -= moved;
    }
  }
}

/// Only the last eighth of what may be in flight of these is left.
bool Capacity::is_crowded(RequestKind kind) const {
  const int most_of_mine = most_ + most_aside(kind);
  return in_flight_.of(kind) >= most_of_mine - most_of_mine / 8;
}

bool Capacity::has_place(RequestKind kind, Share share) const {
  if (share == Share::More && is_crowded(kind)) return false;
  const int mine = in_places(kind);
  if (has_enough(kind.priority, mine) || mine >= windows_.of(kind).size(now_)) return false;
  if (mine < reserved_places(kind.priority)) return true;
  return sum(in_flight_) - sum(aside_) < most_ && !(yielding_ && yields(kind.priority));
}

void Capacity::give_back(RequestKind kind) {
  const int left = --in_flight_.of(kind);
  assert(left >= 0);
  (void)left;
}

void Capacity::answered(RequestKind kind, Instant sent, const Result<Response>& answer) {
  const bool tells_of_first =
      kind.attempt == Try::First || !ConcurrencyLimiter::is_trouble(sent, now_, answer);
  if (tells_of_first) windows_.of({kind.priority, Try::First}).answered(sent, now_, answer);
  windows_.of({kind.priority, Try::Again}).answered(sent, now_, answer, kind.attempt);
}

}  // namespace nlc::client
