#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controller/options/policy.h"
#include "controller/rules/view.h"
#include "controller/server/api_availability.h"
#include "controller/zones/token_bucket.h"
#include "controller/zones/zone.h"

namespace nlc::controller {

/// Who waits for a NoExecute taint: first silent, first tainted (against D-NX-9).
using Waiting = std::pair<AvailableTime, Slot>;

struct Zone {
  std::string key;
  ZoneState state = ZoneState::Initial;
  ZoneCount count;
  int members = 0;  ///< nodes that belong to it, those excluded from the count too
  int ready = 0;    ///< of those
  TokenBucket evictions;
  std::set<Waiting> queue;
  std::optional<Instant> recovered = {};  ///< it ceased to be disrupted then, for the last time

  bool is_disrupted() const {
    return state == ZoneState::PartialDisruption || state == ZoneState::FullDisruption;
  }
  /// A zone that has not been counted yet may turn out to be disrupted.
  bool may_evict(Instant now) const {
    return state != ZoneState::Initial && evictions.has_token(now);
  }
};

/// All zones of the cluster with their states, rates and queues (spec/zones.md).
///
/// Counts follow every change of a node at once; states and rates follow the counts with `settle`,
/// which comes before anything is taken from a queue, so a stop takes effect before the first token
/// (against D-ZD-13). Zones are walked in the order of their keys.
class Zones {
 public:
  explicit Zones(const Policy& policy) : policy_(policy) {}

  /// The zone of that key; a new one begins with the normal rate, and without a token where it has
  /// vanished a moment after it had spent its last. The reference holds until a `settle` finds it
  /// without members.
  Zone& of(const std::string& key, Instant now);

  /// What a node adds to its zone.
  struct Member {
    bool excluded = false;  ///< from the count
    bool ready = false;
  };
  void join(Zone& zone, Member member);
  void leave(Zone& zone, Member member);

  enum class Transition { None, EnteredFullDisruption, LeftFullDisruption };
  struct Change {
    const Zone* zone;
    ZoneState before;
  };
  /// Some count has changed since states were settled.
  bool unsettled() const { return unsettled_; }
  /// Applies the counts. `changes` gathers the zones whose state is another now.
  Transition settle(Instant now, std::vector<Change>& changes);

  /// Every counted zone is fully disrupted: the fault is more likely ours or the network's than the
  /// nodes'. Evictions stand still.
  bool all_disrupted() const { return all_disrupted_; }

  std::map<std::string, Zone>& all() { return zones_; }
  const std::map<std::string, Zone>& all() const { return zones_; }

  /// When some zone whose queue waits for a token gets one.
  std::optional<Instant> next_token(Instant now) const;

 private:
  void add(Zone& zone, Member member, int count);
  void drop_empty(Instant now);
  void set_rates(Instant now);

  const Policy& policy_;
  std::map<std::string, Zone> zones_;
  std::map<std::string, TokenBucket> spent_;  ///< of zones that have vanished, until they are full
  bool all_disrupted_ = false;
  bool unsettled_ = false;
};

}  // namespace nlc::controller
