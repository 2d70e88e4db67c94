#include "client/limits/room.h"

#include <limits>

namespace nlc::client {
namespace {

/// Multiples of it do not overflow.
constexpr int no_limit = std::numeric_limits<int>::max() / 16;

}  // namespace

Room Room::unlimited() { return Room({.capacity = Capacity(no_limit)}); }

Room Room::of(std::size_t places) {
  return Room(
      {.capacity = Capacity(no_limit), .tokens = Tokens{.left = static_cast<double>(places)}});
}

bool Room::may_take(RequestPriority priority, Try attempt) const {
  return !state_.closed.of(priority, attempt) && state_.capacity.has_place(priority, attempt) &&
         has_token({priority, attempt});
}

bool Room::take(RequestPriority priority, Try attempt, Share share) {
  const RequestKind kind{priority, attempt};
  const bool place =
      !state_.closed.of(priority, attempt) && state_.capacity.has_place(priority, attempt, share);
  if (!place || !has_token(kind)) {
    refused_ = true;
    lacked_token_.of(kind) = lacked_token_.of(kind) || place;
    return false;
  }
  state_.capacity.take(priority, attempt);
  if (state_.tokens) state_.tokens->take(kind);
  return true;
}

}  // namespace nlc::client
