#pragma once

#include <map>
#include <string>

#include "controller/rules/view.h"
#include "controller/zones/zones.h"
#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Which nodes wait in the queues of their zones, and which have taken a token that is not used up
/// yet. A zone's tokens follow the taints that are seen, whoever wrote them: a standby's buckets
/// stand where the leader's do.
///
/// Pure, on one thread.
class EvictionQueue {
 public:
  /// A node waits from now on, unless it waits already. Its place is by `since`, when it fell
  /// silent, and it gets no token before `gathers_until`. The zone must outlive its wait.
  void enqueue(Slot slot, Zone& zone, AvailableTime since, Instant gathers_until);
  void dequeue(Slot slot);

  bool empty() const { return places_.empty(); }
  bool waits(Slot slot) const { return places_.contains(slot); }
  /// A node's place in the queue of its zone; null when it does not wait.
  const Waiting* waiting(Slot slot) const {
    const auto place = places_.find(slot);
    return place == places_.end() ? nullptr : &place->second.waiting;
  }
  /// Of one that waits.
  Instant gathers_until(Slot slot) const { return places_.at(slot).gathers_until; }

  /// A node takes a token of its zone and waits no more: a write that needs one is on its way.
  void spend(Slot slot, Zone& zone, Instant now);
  /// That write has not been answered.
  bool has_spent(Slot slot) const;
  /// The write was answered, but nobody knows whether it was applied.
  bool is_unclear(Slot slot) const { return tokens_.contains(slot) && !has_spent(slot); }
  /// Of one that is unclear: until then the watch may show whether it was applied.
  Instant shows_until(Slot slot) const { return tokens_.at(slot).shows_until; }
  /// The write was applied: the token is used up.
  void use(Slot slot);
  /// The write was not applied. The token goes back into the bucket, but not
  ///   - while other tokens of the zone are out, or when one that was taken later has been used:
  ///     the bucket has refilled meanwhile, and one node too many would be evicted;
  ///   - when the node has moved to another zone, which has given it no token.
  void give_back(Slot slot, Zone& zone, Instant now);
  /// The write was refused. If it may have been applied all the same, the token stays with the node
  /// until that is known, so that no other node takes it.
  void refused(Slot slot, Zone& zone, Fault fault, Instant now);
  /// The node was read. A write that is still unclear was not applied: its taint would be there.
  void read(Slot slot, Zone& zone, Instant now);

  /// A taint of ours is seen on the node for the first time. True: it was written here.
  bool seen(Slot slot, Zone& zone, Instant now);
  /// The node is seen without such a taint, in a newer version than its answered writes named: none
  /// of them can be applied any more.
  void changed(Slot slot, Zone& zone, Instant now);

  /// The node is gone, with its token.
  void forget(Slot slot);

 private:
  void refilled_by(Instant taken, const std::string& zone);

  struct Place {
    Zone* zone;
    Waiting waiting;
    Instant gathers_until;
  };
  std::map<Slot, Place> places_;
  /// One that was taken and is not used up.
  struct Token {
    std::string zone;  ///< from which it was taken
    Instant taken;
    bool in_flight = true;
    bool refilled = false;     ///< one that was taken later has been used
    Instant shows_until = {};  ///< when its write was answered and may have been applied
  };
  std::map<Slot, Token> tokens_;
};

}  // namespace nlc::controller
