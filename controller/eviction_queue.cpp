#include "controller/eviction_queue.h"

namespace nlc::controller {

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
  zone.evictions.take(now);
  spent_.insert(slot);
  dequeue(slot);
}

void EvictionQueue::give_back(Slot slot, Zone& zone, Instant now) {
  if (spent_.erase(slot) > 0) zone.evictions.put_back(now);
}

void EvictionQueue::refused(Slot slot, Zone& zone, Fault fault, Instant now) {
  unclear_.erase(slot);
  if (has_spent(slot) && may_have_been_applied(fault)) unclear_.insert(slot);
  give_back(slot, zone, now);
}

bool EvictionQueue::seen(Slot slot, Zone& zone, Instant now) {
  const bool spent = has_spent(slot);
  if (!spent) zone.evictions.take(now);
  return spent || unclear_.erase(slot) > 0;
}

void EvictionQueue::forget(Slot slot, Zone& zone, Instant now) {
  dequeue(slot);
  give_back(slot, zone, now);
  unclear_.erase(slot);
}

}  // namespace nlc::controller
