#pragma once

#include <cassert>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "controller/attempt.h"
#include "controller/decision.h"
#include "controller/view.h"

namespace nlc::controller {

/// Wishes about objects, one each, in the order in which they may be tried. What is due costs only
/// itself, however many wait for their answers or their back-off.
///
/// A wish is waiting for its moment, in flight, or at rest: fulfilled, and kept so that it is not
/// made again before its effect is seen.
class WishList {
 public:
  bool contains(Slot slot) const { return wishes_.contains(slot); }
  std::size_t size() const { return wishes_.size(); }
  /// Neither on its way nor at rest.
  std::size_t waiting() const { return agenda_.size(); }

  /// May be tried at once; one that is there already stays as it is.
  void add(Slot slot) {
    const auto [wish, added] = wishes_.try_emplace(slot);
    if (added) schedule(slot, wish->second, Instant::min());
  }

  void drop(Slot slot) {
    const auto wish = wishes_.find(slot);
    if (wish == wishes_.end()) return;
    unschedule(slot, wish->second);
    wishes_.erase(wish);
  }

  /// Asks `begin` about each that may be tried now: true sends it on its way, false drops it. The
  /// second argument: it has been tried before.
  template <typename Begin>
  void each_due(Instant now, Begin begin) {
    while (!agenda_.empty() && agenda_.begin()->first <= now) {
      const Slot slot = agenda_.begin()->second;
      Wish& wish = wishes_.at(slot);
      unschedule(slot, wish);
      if (!begin(slot, wish.tried)) {
        wishes_.erase(slot);
        continue;
      }
      wish.attempt.begin();
      wish.tried = true;
    }
  }

  bool in_flight(Slot slot) const {
    const auto wish = wishes_.find(slot);
    return wish != wishes_.end() && wish->second.attempt.in_flight();
  }

  /// The slot of a pod whose answer is waited for: of that very pod, not of one that took its name.
  std::optional<Slot> in_flight(const PodRef& pod, const informer::Store<api::Pod>& pods) const {
    const std::optional<Slot> slot = pods.slot_of(pod.key());
    if (!slot || !in_flight(*slot) || !pods.has_uid(*slot, pod.uid)) return std::nullopt;
    return slot;
  }

  /// Of one in flight: it is looked at again at once.
  void answered(Slot slot) {
    Wish& wish = wishes_.at(slot);
    wish.attempt.succeeded();
    schedule(slot, wish, Instant::min());
  }

  /// Of one in flight; the live object has been read.
  void met_conflict(Slot slot, Instant now, Random& random) {
    Wish& wish = wishes_.at(slot);
    wish.attempt.met_conflict(now, random);
    schedule(slot, wish, wish.attempt.retry_at(now).value_or(Instant::min()));
  }

  /// Of one in flight: fulfilled.
  void rest(Slot slot) { wishes_.at(slot).attempt.succeeded(); }

  /// Of one in flight; `floor` is a server's Retry-After.
  void failed(Slot slot, Instant now, Random& random, std::optional<Duration> floor) {
    Wish& wish = wishes_.at(slot);
    wish.attempt.failed(now, random, floor);
    schedule(slot, wish, wish.attempt.retry_at(now).value_or(now));
  }

  /// When the next one comes that may not be tried yet.
  std::optional<Instant> next_after(Instant now) const {
    const auto next = agenda_.upper_bound({now, ~Slot{0}});
    if (next == agenda_.end()) return std::nullopt;
    return next->first;
  }

 private:
  struct Wish {
    Attempt attempt;
    std::optional<Instant> due;  ///< its place in the agenda
    bool tried = false;
  };

  void schedule(Slot slot, Wish& wish, Instant due) {
    assert(!wish.due);
    wish.due = due;
    agenda_.emplace(due, slot);
  }

  void unschedule(Slot slot, Wish& wish) {
    if (wish.due) agenda_.erase({*wish.due, slot});
    wish.due.reset();
  }

  std::map<Slot, Wish> wishes_;
  std::set<std::pair<Instant, Slot>> agenda_;
};

}  // namespace nlc::controller
