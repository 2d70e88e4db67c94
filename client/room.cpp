#include "client/room.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <numeric>
#include <utility>

namespace nlc::client {
namespace {

constexpr int no_limit = std::numeric_limits<int>::max() / 16;

/// A sixteenth of all places, at most four.
int few_of(int most) { return std::clamp(most / 16, 1, 4); }

/// `pause_max` is short for first tries: all that are queued wait for the pause of one answer.
FlowWindow first_window(int most) {
  return FlowWindow(
      {.most = most, .least = std::max(1, most / 2), .pause_max = std::chrono::seconds(1)});
}

FlowWindow again_window(int most) { return FlowWindow({.most = std::max(1, most / 2)}); }

template <std::size_t... lane>
std::array<FlowWindow, lane_count> one_for_each_lane(FlowWindow window,
                                                     std::index_sequence<lane...>) {
  return {((void)lane, window)...};
}

}  // namespace

Capacity::Capacity(int most)
    : most_(most),
      windows_{one_for_each_lane(first_window(most), std::make_index_sequence<lane_count>()),
               one_for_each_lane(again_window(most), std::make_index_sequence<lane_count>())} {
  assert(most > 0);
}

int Capacity::sum(const LaneCounts& counts) {
  int all = 0;
  for (const auto& lanes : counts) all = std::accumulate(lanes.begin(), lanes.end(), all);
  return all;
}

int Capacity::urgent() const {
  int count = 0;
  for (std::size_t lane = 0; lane < lane_count; ++lane) {
    const Lane one = static_cast<Lane>(lane);
    if (!yields(one)) count += in_places(one, Try::First);
  }
  return count;
}

int Capacity::own_places(Lane lane) const { return lane == Lane::Event ? 1 : few_of(most_); }

int Capacity::room_aside(Lane lane, Try attempt) const {
  if (lane == Lane::Event) return 0;
  return attempt == Try::First ? most_ * 4 : most_ / 2;
}

void Capacity::look(Instant now, const LaneCounts& overdue) {
  now_ = now;
  int left = most_ * 8;
  for (const Try attempt : {Try::First, Try::Again}) {
    for (std::size_t index = 0; index < lane_count; ++index) {
      const Lane lane = static_cast<Lane>(index);
      const int moved = std::min({at(overdue, lane, attempt), room_aside(lane, attempt), left});
      at(aside_, lane, attempt) = moved;
      left -= moved;
    }
  }
}

/// Only the last eighth of what may be in flight of these is left.
bool Capacity::is_crowded(Lane lane, Try attempt) const {
  const int most_of_mine = most_ + room_aside(lane, attempt);
  return at(under_way_, lane, attempt) >= most_of_mine - most_of_mine / 8;
}

bool Capacity::has_place(Lane lane, Try attempt, Share share) const {
  if (share == Share::More && is_crowded(lane, attempt)) return false;
  const int mine = in_places(lane, attempt);
  if (mine >= window(lane, attempt).size(now_)) return false;
  if (mine < own_places(lane)) return true;
  return sum(under_way_) - sum(aside_) < most_ && !(gives_way_ && yields(lane));
}

void Capacity::take(Lane lane, Try attempt) { ++at(under_way_, lane, attempt); }

void Capacity::give_back(Lane lane, Try attempt) {
  const int left = --at(under_way_, lane, attempt);
  assert(left >= 0);
  (void)left;
}

void Capacity::answered(Lane lane, Try attempt, Instant sent, const Result<Response>& answer) {
  const bool tells_of_first = attempt == Try::First || !FlowWindow::is_trouble(sent, now_, answer);
  if (tells_of_first) at(windows_, lane, Try::First).answered(sent, now_, answer);
  at(windows_, lane, Try::Again).answered(sent, now_, answer, attempt);
}

Room Room::unlimited() { return Room({.capacity = Capacity(no_limit)}); }

bool Room::has_token(Lane lane) const {
  if (!state_.tokens) return true;
  const bool another_first = state_.served_first && *state_.served_first != lane;
  return *state_.tokens >= (another_first ? 2 : 1);
}

bool Room::is_closed(Lane lane, Try attempt) const {
  return state_.closed[static_cast<std::size_t>(attempt)][static_cast<std::size_t>(lane)];
}

bool Room::may_take(Lane lane, Try attempt) const {
  return !is_closed(lane, attempt) && state_.capacity.has_place(lane, attempt) && has_token(lane);
}

bool Room::take(Lane lane, Try attempt, Share share) {
  const auto at = static_cast<std::size_t>(lane);
  const bool place = !is_closed(lane, attempt) && state_.capacity.has_place(lane, attempt, share);
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
