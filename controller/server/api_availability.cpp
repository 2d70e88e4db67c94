#include "controller/server/api_availability.h"

#include <algorithm>
#include <utility>

#include "runtime/planted.h"

namespace nlc::controller {

void ApiAvailability::prove(Instant now) {
  const bool gap = blind(now);
  if (gap) closed_gaps_ += now - last_proof_;
  if (std::exchange(doubted_, false) || gap) resumed_ = now;
  last_proof_ = std::max(last_proof_, now);
}

std::optional<Instant> ApiAvailability::settles_at() const {
  if (doubted_ || !resumed_) return std::nullopt;
  if (planted("no-settling-after-outage")) return *resumed_;
  return *resumed_ + settling;
}

Duration ApiAvailability::blind_time(Instant now) const {
  if (planted("outage-is-silence")) return Duration{0};
  return closed_gaps_ + (blind(now) ? now - last_proof_ : Duration{0});
}

AvailableTime ApiAvailability::at(Instant now) const {
  return AvailableTime{now.time_since_epoch() - blind_time(now)};
}

}  // namespace nlc::controller
