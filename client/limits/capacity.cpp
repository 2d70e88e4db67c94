#include "client/limits/capacity.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace nlc::client {
namespace {

/// A sixteenth of all places, at most four.
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

int Capacity::sum(const ByPriority<int>& counts) {
  return std::accumulate(counts.begin(), counts.end(), 0);
}

int Capacity::urgent() const {
  int count = 0;
  for (const RequestPriority priority : every_priority) {
    if (!yields(priority)) count += in_places(priority, Try::First);
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

int Capacity::most_aside(RequestPriority priority, Try attempt) const {
  if (priority == RequestPriority::Event) return 0;
  return attempt == Try::First ? most_ * 4 : most_ / 2;
}

void Capacity::update(Instant now, const ByPriority<int>& overdue) {
  now_ = now;
  int left = most_ * 8;
  for (const Try attempt : both_tries) {
    for (const RequestPriority priority : every_priority) {
      const int moved =
          std::min({overdue.of(priority, attempt), most_aside(priority, attempt), left});
      aside_.of(priority, attempt) = moved;
      left -= moved;
    }
  }
}

/// Only the last eighth of what may be in flight of these is left.
bool Capacity::is_crowded(RequestPriority priority, Try attempt) const {
  const int most_of_mine = most_ + most_aside(priority, attempt);
  return in_flight_.of(priority, attempt) >= most_of_mine - most_of_mine / 8;
}

bool Capacity::has_place(RequestPriority priority, Try attempt, Share share) const {
  if (share == Share::More && is_crowded(priority, attempt)) return false;
  const int mine = in_places(priority, attempt);
  if (has_enough(priority, mine) || mine >= windows_.of(priority, attempt).size(now_)) return false;
  if (mine < reserved_places(priority)) return true;
  return sum(in_flight_) - sum(aside_) < most_ && !(yielding_ && yields(priority));
}

void Capacity::take(RequestPriority priority, Try attempt) { ++in_flight_.of(priority, attempt); }

void Capacity::give_back(RequestPriority priority, Try attempt) {
  const int left = --in_flight_.of(priority, attempt);
  assert(left >= 0);
  (void)left;
}

void Capacity::answered(RequestPriority priority, Try attempt, Instant sent,
                        const Result<Response>& answer) {
  const bool tells_of_first =
      attempt == Try::First || !ConcurrencyLimiter::is_trouble(sent, now_, answer);
  if (tells_of_first) windows_.of(priority, Try::First).answered(sent, now_, answer);
  windows_.of(priority, Try::Again).answered(sent, now_, answer, attempt);
}

}  // namespace nlc::client
