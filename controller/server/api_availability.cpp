#include "controller/server/api_availability.h"

#include <utility>

#include "controller/server/standstill.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

Instant settled_after(Instant ended) {
  return planted("no-settling-after-outage") ? ended : ended + settling;
}

}  // namespace

/// The server took a write at some time between these. In doubt it took none before: the whole gap
/// is blind; and none after.
void ApiAvailability::prove_between(Instant earliest, Instant latest) {
  if (earliest < last_proof_) return;
  const bool gap = blind(latest);
  if (gap) {
    closed_gaps_ += open_gap(latest);
    gaps_closed_until_ = std::max(gaps_closed_until_, latest);
  }
  if (std::exchange(doubted_, false) || gap) gap_ended_ = latest;
  last_proof_ = earliest;
}

/// A process that stood still may read what has waited before it notices.
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
  return closed_gaps_ + (blind(now) ? open_gap(now) : Duration{0});
}

AvailableTime ApiAvailability::at(Instant now) const {
  return AvailableTime{now.time_since_epoch() - blind_time(now)};
}

}  // namespace nlc::controller
