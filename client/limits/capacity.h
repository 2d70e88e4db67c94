#pragma once

#include "client/limits/concurrency_limiter.h"
#include "client/limits/request_kind.h"
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

  /// What follows is as of `now`, when so many are overdue.
  void update(Instant now, const ByKind<int>& overdue);

  bool has_place(RequestKind kind, Share share = Share::First) const;
  void take(RequestKind kind) { ++in_flight_.of(kind); }
  void give_back(RequestKind kind);

  void answered(RequestKind kind, Instant sent, const Result<Response>& answer);
  /// Nothing of that kind is to be sent before this, because the server asked for a pause.
  Instant pause_ends(RequestKind kind) const { return windows_.of(kind).pause_ends(); }

  int in_flight() const { return sum(in_flight_); }
  /// First tries in flight, not overdue, of priorities that do not yield.
  int urgent() const;

  /// Whether priorities that yield keep to their reserved places.
  void set_yielding(bool yielding) { yielding_ = yielding; }
  static bool yields(RequestPriority priority) {
    return priority == RequestPriority::PodWrite || priority == RequestPriority::Event ||
           priority == RequestPriority::Review;
  }

 private:
  static int sum(const ByKind<int>& counts);
  int in_places(RequestKind kind) const { return in_flight_.of(kind) - aside_.of(kind); }
  bool is_crowded(RequestKind kind) const;
  int reserved_places(RequestPriority priority) const;
  /// Whether none of that priority needs more places than these.
  bool has_enough(RequestPriority priority, int places) const;
  int most_aside(RequestKind kind) const;

  const int most_;
  bool yielding_ = false;
  Instant now_ = Instant::min();
  ByKind<int> in_flight_;
  ByKind<int> aside_;  ///< those of them that gave up their places
  ByKind<ConcurrencyLimiter> windows_;
};

}  // namespace nlc::client
