#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "client/flow_window.h"
#include "client/transport.h"
#include "runtime/time.h"

namespace nlc::client {

/// How many requests of each lane are on their way, and whether one more may be: in all so many at
/// most, of each lane as many as its window allows. Beyond that each lane always has a few places
/// of its own, and so have requests that failed before, which take no more than half of their
/// lane's window: nobody waits for what others' requests do.
///
/// The lanes of pods and events keep to their own places while nodes are at it, for a server that
/// is busy with them answers everybody late. Pure.
class Capacity {
 public:
  explicit Capacity(int most);

  bool has_place(Lane lane, Try attempt) const;
  void take(Lane lane, Try attempt);
  void give_back(Lane lane, Try attempt);

  FlowWindow& window(Lane lane) { return windows_[index(lane)]; }
  const FlowWindow& window(Lane lane) const { return windows_[index(lane)]; }

  int in_flight() const { return in_flight_; }
  /// Of those that give way, and of the others.
  int yielding() const;
  int urgent() const { return in_flight_ - yielding(); }

  /// Nodes are at it.
  void give_way(bool needed) { gives_way_ = needed; }
  static bool yields(Lane lane) { return lane == Lane::PodWrite || lane == Lane::Event; }

 private:
  static std::size_t index(Lane lane) { return static_cast<std::size_t>(lane); }
  int first(Lane lane) const { return under_way_[0][index(lane)]; }
  int again(Lane lane) const { return under_way_[1][index(lane)]; }
  int own_places(Lane lane, Try attempt) const;

  const int most_;
  int in_flight_ = 0;
  bool gives_way_ = false;
  std::array<std::array<int, lane_count>, 2> under_way_{};  ///< by try, by lane
  std::array<FlowWindow, lane_count> windows_;
};

/// What would be sent at once, as of now. Whoever decides takes a place here for each request that
/// he decides on, so none of his decisions is old when it is sent. A value: taking changes nothing
/// but itself.
class Room {
 public:
  struct State {
    Capacity capacity;
    std::array<bool, lane_count> closed{};  ///< by a server's pause, or by those that wait already
    std::optional<double> tokens;           ///< of a rate; nothing: there is no limit
    std::optional<Lane> served_first;       ///< the lane that the next token is for
  };
  explicit Room(State state) : state_(std::move(state)) {}
  /// Room for everything, for those that know no limits.
  static Room unlimited();

  /// One more of that lane. False: not now.
  bool take(Lane lane, Try attempt = Try::First);

  /// Somebody was told to wait.
  bool refused() const { return refused_; }
  /// Somebody of that lane was, for lack of a token.
  bool lacked_token(Lane lane) const { return lacked_token_[static_cast<std::size_t>(lane)]; }

 private:
  bool has_token(Lane lane) const;

  State state_;
  bool refused_ = false;
  std::array<bool, lane_count> lacked_token_{};
};

}  // namespace nlc::client
