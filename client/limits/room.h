#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <utility>

#include "client/limits/by_priority.h"
#include "client/limits/concurrency_limiter.h"
#include "client/limits/request_rate.h"
#include "client/transport.h"
#include "runtime/time.h"

namespace nlc::client {

/// Requests that are likely to hang together (the pods of one node) share places: whether one asks
/// for the first place of its group, or for one more.
enum class Share { First, More };

/// Limits how many requests are in flight: `most` in all, and of each priority and try as many as
/// its `ConcurrencyLimiter` allows. A few places are reserved for each priority, for first tries
/// and for repeated requests apart, and repeated ones take at most half of all places: no kind of
/// request has to wait because of what another kind does.
///
/// Nor because of requests that hang. One that is overdue (`Flights`) gives up its place and goes
/// on waiting for its answer outside of the limit: of a priority up to 4 · `most` first tries and
/// `most` / 2 repeated ones, in all up to 8 · `most`; of events none. A first try that fails
/// becomes a repeated one, so no more hanging first tries can pile up than there are objects. The
/// last eighth of what a priority may have in flight is kept for requests that are the first of
/// their group (`Share`).
///
/// An answer to a first try is evidence about the server: trouble shrinks both windows of its
/// priority, the one of first tries to a half at most, for other requests wait behind it. Trouble
/// with a repeated request shrinks the window of repeated ones alone.
///
/// The priorities of pods, events and reviews keep to their reserved places while first tries about
/// nodes are in flight, because these would be answered late by a busy server. Of events a few are
/// in flight at any time. Pure.
class Capacity {
 public:
  explicit Capacity(int most);

  /// What follows is as of now, when so many are overdue.
  void look(Instant now, const ByPriority<int>& overdue);

  bool has_place(RequestPriority priority, Try attempt, Share share = Share::First) const;
  void take(RequestPriority priority, Try attempt);
  void give_back(RequestPriority priority, Try attempt);

  void answered(RequestPriority priority, Try attempt, Instant sent,
                const Result<Response>& answer);
  /// Nothing of that kind is to be sent before this, because the server asked for a pause.
  Instant pause_ends(RequestPriority priority, Try attempt) const {
    return windows_.of(priority, attempt).pause_ends();
  }

  int in_flight() const { return sum(under_way_); }
  /// First tries in flight, not overdue, of priorities that do not yield.
  int urgent() const;

  /// Whether priorities that yield keep to their reserved places.
  void give_way(bool needed) { gives_way_ = needed; }
  static bool yields(RequestPriority priority) {
    return priority == RequestPriority::PodWrite || priority == RequestPriority::Event ||
           priority == RequestPriority::Review;
  }

 private:
  static int sum(const ByPriority<int>& counts);
  int in_places(RequestPriority priority, Try attempt) const {
    return under_way_.of(priority, attempt) - aside_.of(priority, attempt);
  }
  bool is_crowded(RequestPriority priority, Try attempt) const;
  int own_places(RequestPriority priority) const;
  bool is_content(RequestPriority priority, int places) const;
  int room_aside(RequestPriority priority, Try attempt) const;

  const int most_;
  bool gives_way_ = false;
  Instant now_ = Instant::min();
  ByPriority<int> under_way_;  ///< in flight
  ByPriority<int> aside_;      ///< those of them that gave up their places
  ByPriority<ConcurrencyLimiter> windows_;
};

/// What could be sent at once, as of now. A decision takes a place here for its request, so that no
/// decision waits in a queue and is out of date when it is sent. A value: `take` changes this copy
/// alone.
class Room {
 public:
  struct State {
    Capacity capacity;
    ByPriority<bool> closed{};     ///< by a server's pause, or by those that wait already
    std::optional<Tokens> tokens;  ///< of a rate; nothing: there is no limit
  };
  explicit Room(State state) : state_(std::move(state)) {}
  /// Room for everything, for those that know no limits.
  static Room unlimited();
  /// Room for so many, of whatever priority.
  static Room of(std::size_t places);

  /// One more of that priority. False: not now.
  bool take(RequestPriority priority, Try attempt = Try::First, Share share = Share::First);
  /// Whether one that asks for its first place would get it.
  bool may_take(RequestPriority priority, Try attempt) const;

  /// Somebody was told to wait.
  bool refused() const { return refused_; }
  /// Somebody of that priority was, for lack of a token.
  bool lacked_token(RequestPriority priority) const {
    return lacked_token_[static_cast<std::size_t>(priority)];
  }

 private:
  bool has_token(RequestPriority priority) const {
    return !state_.tokens || state_.tokens->has_one_for(priority);
  }

  State state_;
  bool refused_ = false;
  std::array<bool, priority_count> lacked_token_{};
};

}  // namespace nlc::client
