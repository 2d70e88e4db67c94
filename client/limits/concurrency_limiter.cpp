#include "client/limits/concurrency_limiter.h"

#include <algorithm>

namespace nlc::client {
namespace {

constexpr int too_many_requests = 429;

bool is_throttled(const Result<Response>& answer) {
  return answer && answer->status == too_many_requests;
}

}  // namespace

bool ConcurrencyLimiter::is_trouble(Instant sent, Instant now, const Result<Response>& answer) {
  if (now - sent > slow) return true;
  if (answer) return is_throttled(answer) || answer->status >= 500;
  return answer.error().fault == Fault::Timeout || answer.error().fault == Fault::Unavailable;
}

int ConcurrencyLimiter::size(Instant now) const {
  const bool long_ago = shrunk_ != Instant::min() && now - shrunk_ >= remembered;
  return long_ago ? bounds_.most : size_;
}

void ConcurrencyLimiter::answered(Instant sent, Instant now, const Result<Response>& answer,
                                  Try attempt) {
  if (!is_trouble(sent, now, answer)) return note_good(sent, now);
  const bool others_do_well = last_good_ != Instant::min() && now - last_good_ < vouched;
  if (last_good_sent_ > sent || (attempt == Try::Again && others_do_well)) return;
  if (is_throttled(answer)) {
    const Duration pause = std::min(answer->retry_after.value_or(Duration{0}), bounds_.pause_max);
    pause_ends_ = std::max(pause_ends_, now + pause);
  }
  if (sent <= shrunk_) return;  // tells of the same trouble
  size_ = std::max(bounds_.least, size(now) / 2);
  shrunk_ = now;
  good_ = 0;
}

/// Fast up to half of all that is allowed, and then by one for every round.
void ConcurrencyLimiter::note_good(Instant sent, Instant now) {
  last_good_ = now;
  last_good_sent_ = std::max(last_good_sent_, sent);
  if (sent <= shrunk_ || size_ == bounds_.most) return;
  if (++good_ < size_ && size_ >= bounds_.most / 2) return;
  ++size_;
  good_ = 0;
}

}  // namespace nlc::client
