#pragma once

#include <cstddef>
#include <utility>

#include "client/limits/capacity.h"
#include "client/limits/request_kind.h"
#include "client/limits/request_rate.h"
#include "client/transport.h"

namespace nlc::client {

/// What could be sent at once, as of now. A decision takes a place here for its request, so that no
/// decision waits in a queue and is out of date when it is sent. A value: `take` changes this copy
/// alone.
class Room {
 public:
  struct State {
    Capacity capacity;
    RequestRate rate = RequestRate::unlimited();
    Instant now{};
    ByKind<bool> closed{};  ///< by a server's pause, or by those that wait already
  };
  explicit Room(State state) : state_(std::move(state)) {}
  /// Room for everything, for those that know no limits.
  static Room unlimited();
  /// Room for so many, of whatever priority.
  static Room of(std::size_t places);

  /// One more of that kind. False: not now.
  bool take(RequestKind kind, Share share = Share::First);
  /// Whether one that asks for its first place would get it.
  bool may_take(RequestKind kind) const;

  /// Somebody was told to wait.
  bool refused() const { return refused_; }
  /// Somebody with such a request was, for lack of a token.
  bool lacked_token(RequestKind kind) const { return lacked_token_.of(kind); }

 private:
  bool has_place(RequestKind kind, Share share) const {
    return !state_.closed.of(kind) && state_.capacity.has_place(kind, share);
  }
  bool has_token(RequestKind kind) const { return state_.rate.has_token(kind, state_.now); }

  State state_;
  bool refused_ = false;
  ByKind<bool> lacked_token_{};
};

}  // namespace nlc::client
