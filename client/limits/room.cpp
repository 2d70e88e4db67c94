#include "client/limits/room.h"

#include <limits>

namespace nlc::client {
namespace {

/// Multiples of it do not overflow.
constexpr int no_limit = std::numeric_limits<int>::max() / 16;

}  // namespace

Room Room::unlimited() { return Room({.capacity = Capacity(no_limit)}); }

/// A burst, in a time that stands still.
Room Room::of(std::size_t places) {
  constexpr double any_rate = 1;
  return Room({.capacity = Capacity(no_limit),
               .rate = RequestRate(any_rate, static_cast<int>(places), Instant{})});
}

bool Room::may_take(RequestKind kind) const {
  return has_place(kind, Share::First) && has_token(kind);
}

bool Room::take(RequestKind kind, Share share) {
  const bool place = has_place(kind, share);
  if (!place || !has_token(kind)) {
    refused_ = true;
    lacked_token_.of(kind) = lacked_token_.of(kind) || place;
    return false;
  }
  state_.capacity.take(kind);
  state_.rate.take(kind, state_.now);
  return true;
}

}  // namespace nlc::client
