#include "controller/zones/token_bucket.h"

#include <algorithm>
#include <cassert>

namespace nlc::controller {
namespace {

// Waits are whole nanoseconds, so a token that is due may be short of one by rounding.
constexpr double rounding = 1e-6;

// Waits that no process lives to see; beyond, the clock would overflow.
constexpr double longest_wait_seconds = 1e9;

}  // namespace

TokenBucket::TokenBucket(double tokens_per_second, Instant now)
    : rate_(tokens_per_second), tokens_(1), counted_(now) {
  assert(tokens_per_second >= 0);
}

double TokenBucket::tokens_at(Instant now) const {
  if (rate_ == 0) return 0;
  const double seconds = std::chrono::duration<double>(now - counted_).count();
  const double tokens = tokens_ + seconds * rate_;
  return tokens >= 1 - rounding ? 1 : tokens;
}

/// A write seen from elsewhere may take one that is not there yet: none is owed then.
void TokenBucket::take(Instant now) {
  tokens_ = std::max(tokens_at(now) - 1, 0.0);
  counted_ = now;
}

void TokenBucket::put_back(Instant now) {
  tokens_ = std::min(tokens_at(now) + 1, 1.0);
  counted_ = now;
}

void TokenBucket::set_rate(double tokens_per_second, Instant now) {
  assert(tokens_per_second >= 0);
  if (tokens_per_second == rate_) return;
  tokens_ = has_token(now) ? 1 : 0;
  counted_ = now;
  rate_ = tokens_per_second;
}

Duration TokenBucket::time_for(double tokens) const {
  const double seconds = std::clamp(tokens / rate_, 0.0, longest_wait_seconds);
  return std::chrono::ceil<Duration>(std::chrono::duration<double>(seconds));
}

std::optional<Instant> TokenBucket::next_token() const {
  if (rate_ == 0) return std::nullopt;
  return counted_ + time_for(1 - tokens_);
}

std::optional<Instant> TokenBucket::next_token_after(std::size_t taken, Instant now) const {
  const std::optional<Instant> next = next_token();
  if (!next) return std::nullopt;
  return std::max(*next, now) + time_for(static_cast<double>(taken));
}

}  // namespace nlc::controller
