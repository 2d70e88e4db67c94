#include "controller/server/api_availability.h"

#include <algorithm>
#include <utility>

#include "controller/server/standstill.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

Instant settled_after(Instant ended) {
  return planted("no-settling-after-outage") ? ended : ended + settling;
}

}  // namespace

void ApiAvailability::prove(Instant when) {
  if (when < last_proof_) return;
  const bool gap = blind(when);
  if (gap) closed_gaps_ += when - last_proof_;
  if (std::exchange(doubted_, false) || gap) gap_ended_ = when;
  last_proof_ = when;
}

/// A process that stood still may read what has waited before it notices.
void ApiAvailability::heartbeat_seen(Instant now) { prove(shown_until(now)); }

Instant ApiAvailability::shown_until(Instant now) const {
  const Instant until = shown_until_.value_or(now);
  const bool at_once = shown_ == Shown::AtOnce && now <= until + Standstill::noticed_from;
  return at_once ? now : std::min(now, until);
}

std::optional<Instant> ApiAvailability::settles_at() const {
  const std::optional<Instant> ended = std::max(gap_ended_, resumed_);
  if (doubted_ || !ended) return std::nullopt;
  return settled_after(*ended);
}

std::optional<Instant> ApiAvailability::settles_after_gap() const {
  if (doubted_ || !gap_ended_) return std::nullopt;
  return settled_after(*gap_ended_);
}

AvailableTime ApiAvailability::at_latest(Instant now) const {
  ApiAvailability proven = *this;
  proven.heartbeat_seen(now);
  return proven.at(now);
}

Duration ApiAvailability::blind_time(Instant now) const {
  if (planted("outage-is-silence")) return Duration{0};
  return closed_gaps_ + (blind(now) ? now - last_proof_ : Duration{0});
}

AvailableTime ApiAvailability::at(Instant now) const {
  return AvailableTime{now.time_since_epoch() - blind_time(now)};
}

}  // namespace nlc::controller
