#pragma once

#include <array>
#include <cstddef>
#include <optional>

#include "client/transport.h"
#include "runtime/time.h"

namespace nlc::client {

/// What a rate allows at one moment.
struct Tokens {
  double left = 0;
  /// The priority that the next token is for, having waited too long; nothing when there is none.
  std::optional<RequestPriority> served_first = {};

  bool has_one_for(RequestPriority priority) const {
    const bool another_first = served_first && *served_first != priority;
    return left >= (another_first ? 2 : 1);
  }
  void take(RequestPriority priority) {
    left -= 1;
    if (served_first == priority) served_first.reset();
  }
};

/// A token bucket: so many requests a second, with a burst. Priorities are served by priority, but
/// one that has waited for a token for a second goes first, so that none starves.
///
/// Pure.
class RequestRate {
 public:
  /// `per_second` 0: no limit.
  RequestRate(double per_second, int burst, Instant now);

  /// Nothing: there is no limit.
  std::optional<Tokens> tokens(Instant now) const;
  /// Whether that priority may have a token now.
  bool has_token(RequestPriority priority, Instant now) const;
  void take(RequestPriority priority, Instant now);

  /// That priority waits for a token, or does not any more.
  void waits(RequestPriority priority, Instant now);
  void waits_no_more(RequestPriority priority) { waiting_since_[index(priority)].reset(); }

  /// When there will be a whole token.
  Instant next_token(Instant now) const;

 private:
  bool limits() const { return per_second_ > 0; }
  double tokens_left(Instant now) const;
  std::optional<RequestPriority> served_first(Instant now) const;
  static std::size_t index(RequestPriority priority) { return static_cast<std::size_t>(priority); }

  const double per_second_;
  const double burst_;
  double tokens_;
  Instant counted_;
  std::array<std::optional<Instant>, priority_count> waiting_since_;
};

}  // namespace nlc::client
