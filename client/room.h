#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "client/flights.h"
#include "client/flow_window.h"
#include "client/transport.h"
#include "runtime/time.h"

namespace nlc::client {

/// Requests that may well hang together share room: they ask for their first place, or for one more
/// beside those that they have.
enum class Share { First, More };

/// How many requests of each lane are on their way, and whether one more may be: in all so many at
/// most, of each lane as many as its window allows. Beyond that each lane always has a few places
/// of its own, and so have requests that failed before, which take no more than half of their
/// lane's places: nobody waits for what others' requests do.
///
/// Nor for those that hang, be they hundreds: one that is overdue gives its place to the next and
/// waits for its answer aside, where there is room for four times as many first tries of a lane as
/// there are places, for half as many that failed before, and in all for eight times as many. What
/// fails stops being a first try, so only so many as there are objects can pile up; what is
/// repeated for ever cannot. Events never step aside. Of all that, the last eighth is for those of
/// whose kind nothing is on its way.
///
/// A first try tells of the server and shrinks both windows of its lane, though the one of first
/// tries never below a half: an innocent one waits behind them. What failed before shrinks only
/// its own.
///
/// The lanes of pods and events keep to their own places while first tries of nodes are at it, for
/// a server that is busy with them answers everybody late. Pure.
class Capacity {
 public:
  explicit Capacity(int most);

  /// What follows is as of now, when so many are overdue.
  void look(Instant now, const LaneCounts& overdue);

  bool has_place(Lane lane, Try attempt, Share share = Share::First) const;
  void take(Lane lane, Try attempt);
  void give_back(Lane lane, Try attempt);

  void answered(Lane lane, Try attempt, Instant sent, const Result<Response>& answer);
  /// By the server's wish nothing of that kind is to be sent before this.
  Instant pause_ends(Lane lane, Try attempt) const { return window(lane, attempt).pause_ends(); }

  int in_flight() const { return sum(under_way_); }
  /// First tries that have places and do not give way.
  int urgent() const;

  /// Nodes are at it.
  void give_way(bool needed) { gives_way_ = needed; }
  static bool yields(Lane lane) { return lane == Lane::PodWrite || lane == Lane::Event; }

 private:
  using Windows = std::array<std::array<FlowWindow, lane_count>, try_count>;

  template <typename Table>
  static auto& at(Table& table, Lane lane, Try attempt) {
    return table[static_cast<std::size_t>(attempt)][static_cast<std::size_t>(lane)];
  }
  static int sum(const LaneCounts& counts);
  const FlowWindow& window(Lane lane, Try attempt) const { return at(windows_, lane, attempt); }
  int in_places(Lane lane, Try attempt) const {
    return at(under_way_, lane, attempt) - at(aside_, lane, attempt);
  }
  bool is_crowded(Lane lane, Try attempt) const;
  int own_places(Lane lane) const;
  int room_aside(Lane lane, Try attempt) const;

  const int most_;
  bool gives_way_ = false;
  Instant now_ = Instant::min();
  LaneCounts under_way_{};  ///< all
  LaneCounts aside_{};      ///< those of them without a place
  Windows windows_;
};

/// What would be sent at once, as of now. Whoever decides takes a place here for each request that
/// he decides on, so none of his decisions is old when it is sent. A value: taking changes nothing
/// but itself.
class Room {
 public:
  struct State {
    Capacity capacity;
    /// By a server's pause, or by those that wait already; by try, by lane.
    std::array<std::array<bool, lane_count>, try_count> closed{};
    std::optional<double> tokens;      ///< of a rate; nothing: there is no limit
    std::optional<Lane> served_first;  ///< the lane that the next token is for
  };
  explicit Room(State state) : state_(std::move(state)) {}
  /// Room for everything, for those that know no limits.
  static Room unlimited();

  /// One more of that lane. False: not now.
  bool take(Lane lane, Try attempt = Try::First, Share share = Share::First);
  /// Whether one that asks for its first place would get it.
  bool may_take(Lane lane, Try attempt) const;

  /// Somebody was told to wait.
  bool refused() const { return refused_; }
  /// Somebody of that lane was, for lack of a token.
  bool lacked_token(Lane lane) const { return lacked_token_[static_cast<std::size_t>(lane)]; }

 private:
  bool has_token(Lane lane) const;
  bool is_closed(Lane lane, Try attempt) const;

  State state_;
  bool refused_ = false;
  std::array<bool, lane_count> lacked_token_{};
};

}  // namespace nlc::client
