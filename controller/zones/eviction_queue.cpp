#include "controller/zones/eviction_queue.h"

#include <algorithm>

#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// A write that was applied although its answer did not say so is seen on the watch within so long.
constexpr Duration shows_within = std::chrono::seconds(1);

}  // namespace

void EvictionQueue::enqueue(Slot slot, Zone& zone, AvailableTime since, Instant gathers_until) {
  const auto [place, is_new] =
      places_.try_emplace(slot, Place{&zone, Waiting{since, slot}, gathers_until});
  if (is_new) zone.queue.insert(place->second.waiting);
}

void EvictionQueue::dequeue(Slot slot) {
  const auto place = places_.find(slot);
  if (place == places_.end()) return;
  place->second.zone->queue.erase(place->second.waiting);
  places_.erase(place);
}

void EvictionQueue::spend(Slot slot, Zone& zone, Instant now) {
  const auto [token, is_new] = tokens_.try_emplace(slot, Token{.zone = zone.key, .taken = now});
  if (is_new && !planted("eviction-without-token")) zone.evictions.take(now);
  token->second.in_flight = true;
  dequeue(slot);
}

bool EvictionQueue::has_spent(Slot slot) const {
  const auto token = tokens_.find(slot);
  return token != tokens_.end() && token->second.in_flight;
}

void EvictionQueue::use(Slot slot) {
  const auto used = tokens_.extract(slot);
  if (!used.empty()) refilled_by(used.mapped().taken, used.mapped().zone);
}

/// What had been taken before that was: the token that came in its place has been used.
void EvictionQueue::refilled_by(Instant taken, const std::string& zone) {
  for (auto& [slot, token] : tokens_) {
    if (token.zone == zone && token.taken < taken) token.refilled = true;
  }
}

void EvictionQueue::give_back(Slot slot, Zone& zone, Instant now) {
  const auto spent = tokens_.extract(slot);
  if (spent.empty() || spent.mapped().zone != zone.key) return;
  const bool alone = std::ranges::none_of(
      tokens_, [&zone](const auto& other) { return other.second.zone == zone.key; });
  if ((alone && !spent.mapped().refilled) || planted("tokens-add-up")) zone.evictions.put_back(now);
}

void EvictionQueue::refused(Slot slot, Zone& zone, Fault fault, Instant now) {
  if (!has_spent(slot)) return;  // it was another write
  if (!may_have_been_applied(fault) || planted("unclear-token-given-back")) {
    return give_back(slot, zone, now);
  }
  Token& token = tokens_.at(slot);
  token.in_flight = false;
  token.shows_until = now + shows_within;
}

void EvictionQueue::read(Slot slot, Zone& zone, Instant now) {
  if (is_unclear(slot)) give_back(slot, zone, now);
}

bool EvictionQueue::seen(Slot slot, Zone& zone, Instant now) {
  const bool ours = tokens_.contains(slot);
  if (ours) {
    use(slot);
  } else {
    zone.evictions.take(now);
    refilled_by(now, zone.key);
  }
  return ours;
}

void EvictionQueue::changed(Slot slot, Zone& zone, Instant now) {
  if (!has_spent(slot)) give_back(slot, zone, now);
}

void EvictionQueue::forget(Slot slot) {
  dequeue(slot);
  tokens_.erase(slot);
}

}  // namespace nlc::controller
