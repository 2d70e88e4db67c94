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
         has_token(priority);
}

bool Room::take(RequestPriority priority, Try attempt, Share share) {
  const auto at = static_cast<std::size_t>(priority);
  const bool place =
      !state_.closed.of(priority, attempt) && state_.capacity.has_place(priority, attempt, share);
  if (!place || !has_token(priority)) {
    refused_ = true;
    lacked_token_[at] = lacked_token_[at] || place;
    return false;
  }
  state_.capacity.take(priority, attempt);
  if (state_.tokens) state_.tokens->take(priority);
  return true;
}

}  // namespace nlc::client
