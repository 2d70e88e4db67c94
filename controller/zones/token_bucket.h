#pragma once

#include <cstddef>
#include <optional>

#include "runtime/time.h"

namespace nlc::controller {

/// Permits that drip in at a rate and of which one at most is saved up. A rate of 0 never grants,
/// whatever the state before (against D-ZD-1, D-ZD-14).
class TokenBucket {
 public:
  TokenBucket(double tokens_per_second, Instant now);

  bool has_token(Instant now) const { return tokens_at(now) >= 1; }
  void take(Instant now);

  /// A taken token was not used after all.
  void put_back(Instant now);

  /// A bucket that had no token at this moment starts its new rate empty, so the first permit after
  /// a stop comes one whole interval later (spec/zones.md "Token bucket"). The same rate is no
  /// change.
  void set_rate(double tokens_per_second, Instant now);
  double rate() const { return rate_; }

  /// When there will be a token; nothing at rate 0.
  std::optional<Instant> next_token() const;
  /// When there is one for whoever waits behind so many others, if from now on each is taken as
  /// soon as it is there.
  std::optional<Instant> next_token_after(std::size_t taken, Instant now) const;

 private:
  double tokens_at(Instant now) const;
  Duration time_for(double tokens) const;

  double rate_;
  double tokens_;
  Instant counted_;
};

}  // namespace nlc::controller
