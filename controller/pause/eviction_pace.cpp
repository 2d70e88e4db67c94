#include "controller/pause/eviction_pace.h"

#include <algorithm>

#include "runtime/planted.h"

namespace nlc::controller {
namespace {

constexpr std::array steps{EvictionStep::Mark, EvictionStep::Delete};

}  // namespace

Instant PacedLine::ask_again(Instant now) {
  const std::optional<Instant> token = next_token();
  const Instant last = now + recheck_max;
  if (!token || *token >= last) return last;
  const std::chrono::duration<double> between(1 / rate());
  last_ = std::max(*token, last_ + std::chrono::ceil<Duration>(between));
  if (last_ > last) last_ = *token;
  return last_;
}

void PacedSteps::take_all(Instant now) {
  for (const EvictionStep step : steps) of(step).take(now);
}

void PacedSteps::set_rate(double tokens_per_second, Instant now) {
  for (const EvictionStep step : steps) of(step).set_rate(tokens_per_second, now);
}

void EvictionPace::set_limits(Limits limits, Instant now) {
  limits_ = limits;
  if (limits.pods_per_second == 0) return all_.reset();
  if (all_) return;
  all_.emplace(limits.pods_per_second, now);
  if (now < slow_until_) all_->take_all(now);
}

/// Whoever led before may have let one go just now.
void EvictionPace::take_over(Instant now) {
  slow_until_ = now + slow_start;
  if (all_) all_->take_all(now);
  for (auto& [key, zone] : zones_) {
    if (zone.nodes) zone.nodes->take_all(now);
    if (zone.pods) zone.pods->take_all(now);
  }
}

bool EvictionPace::awaits_turn(const Place& place, Instant since, EvictionStep step) const {
  if (!place.node) return false;
  std::optional<Instant> until = place.held_until;
  if (const auto held = held_.find(*place.node); held != held_.end()) {
    until = std::max(until, std::optional(held->second));
  }
  if (!until || since > *until) return false;
  const auto turns = turns_.find(*place.node);
  return turns == turns_.end() || turns->second[static_cast<std::size_t>(step)] < *until;
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
    if (took_over) zone.nodes->take_all(since);
  }
  zone.nodes->set_rate(place.nodes_per_second, now);
  const double limit = zone_limit(place, now);
  const bool is_new = !zone.pods;
  if (limit == 0) zone.pods.reset();
  if (limit > 0 && is_new) zone.pods.emplace(limit, now);
  if (!zone.pods) return zone;
  zone.pods->set_rate(limit, now);
  const bool recovers = std::exchange(zone.recovered, place.recovered) != place.recovered;
  if (is_slow(place, now) && (is_new || recovers)) zone.pods->take_all(now);
  return zone;
}

const EvictionPace::Zone* EvictionPace::known(const Place& place) const {
  const auto found = zones_.find(place.zone);
  return found == zones_.end() ? nullptr : &found->second;
}

EvictionPace::Wait EvictionPace::ask(const Place& place, Instant since, EvictionStep step,
                                     Instant now) {
  if (!may_delay() && !place.held_until) return Wait::Not;
  follow(place, now);
  return current_wait(place, since, step, now);
}

EvictionPace::Wait EvictionPace::current_wait(const Place& place, Instant since,
                                              Instant now) const {
  const Wait mark = current_wait(place, since, EvictionStep::Mark, now);
  return mark != Wait::Not ? mark : current_wait(place, since, EvictionStep::Delete, now);
}

EvictionPace::Wait EvictionPace::current_wait(const Place& place, Instant since, EvictionStep step,
                                              Instant now) const {
  const Zone* zone = known(place);
  const auto lacks = [&](const std::optional<PacedSteps>& lines) {
    return lines && !lines->of(step).has_token(now);
  };
  const bool deletes = step == EvictionStep::Delete;
  const bool others_turn = deletes && place.turns != nullptr && !place.turns->has_token(now);
  if (awaits_turn(place, since, step) && zone != nullptr && (lacks(zone->nodes) || others_turn)) {
    return Wait::NodesTurn;
  }
  if (planted("pace-overlooked")) return Wait::Not;
  const bool pods = lacks(all_) || (zone != nullptr && lacks(zone->pods));
  return pods ? Wait::PodsTurn : Wait::Not;
}

std::optional<Instant> EvictionPace::until(const Place& place, Wait wait) const {
  const Zone* zone = known(place);
  if (wait == Wait::Not || zone == nullptr) return std::nullopt;
  std::optional<Instant> until;
  const auto include = [&until](const std::optional<PacedSteps>& lines) {
    if (!lines) return;
    for (const EvictionStep step : steps) until = std::max(until, lines->of(step).next_token());
  };
  if (wait == Wait::NodesTurn) {
    include(zone->nodes);
    return place.turns == nullptr ? until : std::max(until, place.turns->next_token());
  }
  include(all_);
  include(zone->pods);
  return until;
}

Instant EvictionPace::ask_again(const Place& place, EvictionStep step, Wait wait, Instant now) {
  Zone& zone = zones_[place.zone];
  if (wait == Wait::NodesTurn) {
    const Instant again = zone.nodes->of(step).ask_again(now);
    if (place.turns == nullptr || step == EvictionStep::Mark) return again;
    const Instant last = now + PacedLine::recheck_max;
    return std::clamp(place.turns->next_token().value_or(last), again, std::max(again, last));
  }
  const bool of_all = all_ && !all_->of(step).has_token(now);
  return of_all ? all_->of(step).ask_again(now) : zone.pods->of(step).ask_again(now);
}

void EvictionPace::requested(const Place& place, Instant since, EvictionStep step, Instant now) {
  const auto found = zones_.find(place.zone);
  const auto take = [&](std::optional<PacedSteps>& lines) {
    if (lines) lines->of(step).take(now);
  };
  if (awaits_turn(place, since, step)) {
    if (found != zones_.end()) take(found->second.nodes);
    if (place.turns != nullptr && step == EvictionStep::Delete) place.turns->take(now);
    turns_.try_emplace(*place.node, Turns{Instant::min(), Instant::min()})
        .first->second[static_cast<std::size_t>(step)] = now;
  }
  take(all_);
  if (found != zones_.end()) take(found->second.pods);
}

}  // namespace nlc::controller
