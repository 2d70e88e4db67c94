#include "controller/zones/zones.h"

#include <algorithm>

#include "runtime/earlier.h"
#include "runtime/planted.h"

namespace nlc::controller {

Zone& Zones::of(const std::string& key, Instant now) {
  const auto found = zones_.find(key);
  if (found != zones_.end()) return found->second;
  const double rate = all_disrupted_ ? 0 : policy_.eviction_rate;
  Zone zone{.key = key, .evictions = TokenBucket(rate, now)};
  if (const auto spent = spent_.find(key); spent != spent_.end()) {
    zone.evictions = spent->second;
    zone.evictions.set_rate(rate, now);
    spent_.erase(spent);
  }
  return zones_.emplace(key, std::move(zone)).first->second;
}

void Zones::join(Zone& zone, Member member) { add(zone, member, 1); }

void Zones::leave(Zone& zone, Member member) { add(zone, member, -1); }

void Zones::add(Zone& zone, Member member, int count) {
  zone.members += count;
  if (member.ready) zone.ready += count;
  unsettled_ = true;
  if (member.excluded) return;
  (member.ready ? zone.count.ready : zone.count.not_ready) += count;
}

/// A zone vanishes with its last node. Its nodes may come back to it the next moment, as whoever
/// renames it may do: that gives them no other token.
void Zones::drop_empty(Instant now) {
  const auto is_over = [now](const TokenBucket& bucket) {
    return bucket.rate() == 0 || bucket.has_token(now);
  };
  std::erase_if(spent_, [&](const auto& entry) { return is_over(entry.second); });
  std::erase_if(zones_, [&](const auto& entry) {
    const auto& [key, zone] = entry;
    if (zone.members > 0) return false;
    if (!is_over(zone.evictions)) spent_.emplace(key, zone.evictions);
    return true;
  });
}

Zones::Transition Zones::settle(Instant now, std::vector<Change>& changes) {
  unsettled_ = false;
  drop_empty(now);
  int counted = 0;
  int disrupted = 0;
  bool any_ready = false;
  for (auto& [key, zone] : zones_) {
    const bool was_disrupted = zone.is_disrupted();
    const ZoneState before = std::exchange(zone.state, zone_state(zone.count, policy_));
    if (was_disrupted && !zone.is_disrupted()) zone.recovered = now;
    if (before != zone.state) changes.push_back({.zone = &zone, .before = before});
    any_ready = any_ready || zone.ready > 0;
    if (zone.count.size() == 0) continue;
    ++counted;
    if (zone.state == ZoneState::FullDisruption) ++disrupted;
  }
  const bool was = all_disrupted_;
  // Where the last node goes that counts, or ceases to count, a full disruption goes on: its pods
  // may still be due, and those of nodes that are excluded.
  const bool all = counted == 0 ? was && !any_ready : disrupted == counted;
  all_disrupted_ = all && !planted("evicts-in-full-disruption");
  set_rates(now);
  if (was == all_disrupted_) return Transition::None;
  return all_disrupted_ ? Transition::EnteredFullDisruption : Transition::LeftFullDisruption;
}

void Zones::set_rates(Instant now) {
  for (auto& [key, zone] : zones_) {
    const double rate = all_disrupted_ ? 0 : zone_rate(zone.state, zone.count, policy_);
    zone.evictions.set_rate(rate, now);
  }
}

std::optional<Instant> Zones::next_token(Instant now) const {
  std::optional<Instant> next;
  for (const auto& [key, zone] : zones_) {
    if (zone.queue.empty() || zone.evictions.has_token(now)) continue;
    next = earlier(next, zone.evictions.next_token());
  }
  return next;
}

}  // namespace nlc::controller
