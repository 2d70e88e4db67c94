#include "controller/pause/eviction_pace.h"

#include <algorithm>

#include "runtime/planted.h"

namespace nlc::controller {

Instant PacedLine::ask_again(Instant now) {
  const std::optional<Instant> token = bucket_.next_token();
  const Instant last = now + recheck_max;
  if (!token || *token >= last) return last;
  const std::chrono::duration<double> between(1 / bucket_.rate());
  last_ = std::max(*token, last_ + std::chrono::ceil<Duration>(between));
  if (last_ > last) last_ = *token;
  return last_;
}

void EvictionPace::set_limits(Limits limits, Instant now) {
  limits_ = limits;
  if (limits.pods_per_second == 0) return all_.reset();
  if (all_) return;
  all_.emplace(limits.pods_per_second, now);
  if (now < slow_until_) all_->take(now);
}

/// Whoever led before may have let one go just now.
void EvictionPace::take_over(Instant now) {
  slow_until_ = now + slow_start;
  if (all_) all_->take(now);
  for (auto& [key, zone] : zones_) {
    if (zone.nodes) zone.nodes->take(now);
    if (zone.pods) zone.pods->take(now);
  }
}

bool EvictionPace::was_held(const Place& place, Instant since) const {
  if (!place.node) return false;
  const auto held = held_.find(*place.node);
  return held != held_.end() && since <= held->second;
}

bool EvictionPace::is_slow(const Place& place, Instant now) const {
  return now < slow_until_ || (place.recovered && now < *place.recovered + slow_start);
}

/// While its zone begins slowly, what is allowed in all is what is allowed in the zone.
double EvictionPace::zone_limit(const Place& place, Instant now) const {
  const bool slow = is_slow(place, now);
  const double limit = limits_.pods_per_second_and_zone;
  if (slow) return slow_share * (limit > 0 ? limit : limits_.pods_per_second);
  return limit;
}

EvictionPace::Zone& EvictionPace::follow(const Place& place, Instant now) {
  if (all_) all_->set_rate((now < slow_until_ ? slow_share : 1) * limits_.pods_per_second, now);
  Zone& zone = zones_[place.zone];
  if (!zone.nodes) {
    const bool took_over = now < slow_until_;
    const Instant since = took_over ? slow_until_ - slow_start : now;
    zone.nodes.emplace(place.nodes_per_second, since);
    if (took_over) zone.nodes->take(since);
  }
  zone.nodes->set_rate(place.nodes_per_second, now);
  const double limit = zone_limit(place, now);
  const bool is_new = !zone.pods;
  if (limit == 0) zone.pods.reset();
  if (limit > 0 && is_new) zone.pods.emplace(limit, now);
  if (!zone.pods) return zone;
  zone.pods->set_rate(limit, now);
  const bool recovers = std::exchange(zone.recovered, place.recovered) != place.recovered;
  if (is_slow(place, now) && (is_new || recovers)) zone.pods->take(now);
  return zone;
}

const EvictionPace::Zone* EvictionPace::known(const Place& place) const {
  const auto found = zones_.find(place.zone);
  return found == zones_.end() ? nullptr : &found->second;
}

EvictionPace::Wait EvictionPace::asks(const Place& place, Instant since, bool counts, Instant now) {
  if (!lets_wait()) return Wait::Not;
  follow(place, now);
  return waits(place, since, counts, now);
}

EvictionPace::Wait EvictionPace::waits(const Place& place, Instant since, bool counts,
                                       Instant now) const {
  const Zone* zone = known(place);
  const auto lacks = [now](const std::optional<PacedLine>& line) {
    return line && !line->has_token(now);
  };
  const bool others_turn = place.turns != nullptr && !place.turns->has_token(now);
  if (was_held(place, since) && zone != nullptr && (lacks(zone->nodes) || others_turn)) {
    return Wait::NodesTurn;
  }
  if (planted("pace-overlooked")) return Wait::Not;
  if (counts && (lacks(all_) || (zone != nullptr && lacks(zone->pods)))) return Wait::PodsTurn;
  return Wait::Not;
}

std::optional<Instant> EvictionPace::until(const Place& place, Wait wait) const {
  const Zone* zone = known(place);
  if (wait == Wait::Not || zone == nullptr) return std::nullopt;
  if (wait == Wait::NodesTurn) {
    const std::optional<Instant> token = zone->nodes->next_token();
    return place.turns == nullptr ? token : std::max(token, place.turns->next_token());
  }
  std::optional<Instant> until;
  for (const std::optional<PacedLine>* line : {&all_, &zone->pods}) {
    if (*line) until = std::max(until, (*line)->next_token());
  }
  return until;
}

Instant EvictionPace::ask_again(const Place& place, Wait wait, Instant now) {
  Zone& zone = zones_[place.zone];
  if (wait == Wait::NodesTurn) {
    const Instant again = zone.nodes->ask_again(now);
    if (place.turns == nullptr) return again;
    const Instant last = now + PacedLine::recheck_max;
    return std::clamp(place.turns->next_token().value_or(last), again, std::max(again, last));
  }
  const bool of_all = all_ && !all_->has_token(now);
  return of_all ? all_->ask_again(now) : zone.pods->ask_again(now);
}

void EvictionPace::leaves(const Place& place, Instant since, bool counts, Instant now) {
  const auto found = zones_.find(place.zone);
  if (was_held(place, since)) {
    if (found != zones_.end() && found->second.nodes) found->second.nodes->take(now);
    if (place.turns != nullptr) place.turns->take(now);
    held_.erase(*place.node);
  }
  if (!counts) return;
  if (all_) all_->take(now);
  if (found != zones_.end() && found->second.pods) found->second.pods->take(now);
}

}  // namespace nlc::controller
