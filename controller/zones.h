#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "controller/policy.h"
#include "controller/sight.h"
#include "controller/token_bucket.h"
#include "controller/view.h"
#include "controller/zone.h"
#include "metrics/metrics.h"

namespace nlc::controller {

/// Who waits for a NoExecute taint: first silent, first tainted (against D-NX-9).
using Waiting = std::pair<Sighted, Slot>;

struct Zone {
  std::string key;
  ZoneState state = ZoneState::Initial;
  ZoneCount count;
  bool present = false;  ///< some node, counted or excluded, belongs to it in this look
  TokenBucket evictions;
  std::set<Waiting> queue;
  metrics::ZoneMetrics metrics;

  /// A zone that has not been counted yet may turn out to be disrupted.
  bool may_evict(Instant now) const {
    return state != ZoneState::Initial && evictions.has_token(now);
  }
};

/// All zones of the cluster with their states, rates and queues (behaviour.md §6).
///
/// A look counts every node once, between `begin_look` and `settle`; states and rates follow the
/// counts at once, before anything is taken from a queue, so a stop takes effect before queueing
/// (against D-ZD-13). Zones are walked in the order of their keys.
class Zones {
 public:
  Zones(const Policy& policy, metrics::Metrics& metrics) : policy_(policy), metrics_(metrics) {}

  /// The zone of that key; a new one begins with the normal rate. The reference holds until the
  /// zone vanishes in a `settle` that did not see it.
  Zone& of(const std::string& key, Instant now);

  void begin_look();
  void count(Zone& zone, bool excluded, bool ready);

  enum class Turn { None, EnteredFullDisruption, LeftFullDisruption };
  struct Change {
    const Zone* zone;
    ZoneState before;
  };
  /// Applies the counts. `changes` gathers the zones whose state is another now.
  Turn settle(Instant now, std::vector<Change>& changes);

  /// Every counted zone is fully disrupted: the fault is more likely ours or the network's than the
  /// nodes'. Evictions stand still.
  bool all_disrupted() const { return all_disrupted_; }

  std::map<std::string, Zone>& all() { return zones_; }
  const std::map<std::string, Zone>& all() const { return zones_; }

  /// The earliest moment at which some queue could go on.
  std::optional<Instant> next_eviction() const;

 private:
  void publish(const Zone& zone) const;
  void set_rates(Instant now);

  const Policy& policy_;
  metrics::Metrics& metrics_;
  std::map<std::string, Zone> zones_;
  bool all_disrupted_ = false;
};

}  // namespace nlc::controller
