#include "client/room.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace nlc::client {
namespace {

constexpr int no_limit = std::numeric_limits<int>::max() / 4;

template <std::size_t... lane>
std::array<FlowWindow, lane_count> windows_of(int most, std::index_sequence<lane...>) {
  return {((void)lane, FlowWindow(most))...};
}

}  // namespace

Capacity::Capacity(int most)
    : most_(most), windows_(windows_of(most, std::make_index_sequence<lane_count>())) {
  assert(most > 0);
}

int Capacity::yielding() const {
  int count = 0;
  for (const Lane lane : {Lane::PodWrite, Lane::Event}) count += first(lane) + again(lane);
  return count;
}

/// A sixteenth of all places, at most four; of those that failed before, one.
int Capacity::own_places(Lane lane, Try attempt) const {
  if (attempt == Try::Again || lane == Lane::Event) return 1;
  return std::clamp(most_ / 16, 1, 4);
}

bool Capacity::has_place(Lane lane, Try attempt) const {
  const int window = windows_[index(lane)].size();
  const int mine = attempt == Try::First ? first(lane) : again(lane);
  if (mine >= (attempt == Try::First ? window : std::max(1, window / 2))) return false;
  if (mine < own_places(lane, attempt)) return true;
  return in_flight_ < most_ && !(gives_way_ && yields(lane));
}

void Capacity::take(Lane lane, Try attempt) {
  ++in_flight_;
  ++under_way_[attempt == Try::Again ? 1 : 0][index(lane)];
}

void Capacity::give_back(Lane lane, Try attempt) {
  --in_flight_;
  const int left = --under_way_[attempt == Try::Again ? 1 : 0][index(lane)];
  assert(left >= 0);
  (void)left;
}

Room Room::unlimited() { return Room({.capacity = Capacity(no_limit)}); }

bool Room::has_token(Lane lane) const {
  if (!state_.tokens) return true;
  const bool another_first = state_.served_first && *state_.served_first != lane;
  return *state_.tokens >= (another_first ? 2 : 1);
}

bool Room::take(Lane lane, Try attempt) {
  const auto at = static_cast<std::size_t>(lane);
  const bool place = !state_.closed[at] && state_.capacity.has_place(lane, attempt);
  if (!place || !has_token(lane)) {
    refused_ = true;
    lacked_token_[at] = lacked_token_[at] || place;
    return false;
  }
  state_.capacity.take(lane, attempt);
  if (state_.tokens) *state_.tokens -= 1;
  if (state_.served_first == lane) state_.served_first.reset();
  return true;
}

}  // namespace nlc::client
