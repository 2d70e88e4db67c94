#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/rules/first_breach.h"
#include "sim/rules/node_facts.h"
#include "sim/rules/node_seen.h"
#include "sim/rules/rule_inputs.h"
#include "sim/rules/silence.h"

namespace nlc::sim::rules {

/// Nodes of a zone that count for it, by what they say of themselves.
struct ZoneCount {
  std::size_t ready = 0;
  std::size_t others = 0;

  void add(bool is_ready) { ++(is_ready ? ready : others); }
  std::size_t all() const { return ready + others; }
};

/// Of all nodes, by which a full disruption is told.
struct ClusterCount {
  std::map<std::string, ZoneCount> zones;  ///< of all nodes, also where none counts
  ZoneCount counting;
  ZoneCount excluded;

  void add(const api::Node& node, bool is_ready) {
    ZoneCount& zone = zones[zone_of(node)];
    if (counts(node)) zone.add(is_ready);
    (counts(node) ? counting : excluded).add(is_ready);
  }
  bool any_ready() const { return (counting.all() > 0 ? counting : excluded).ready > 0; }
  /// What was before goes on, and whoever begins then does not know it.
  bool none_counts() const { return counting.all() == 0 && excluded.ready == 0; }
};

/// How many nodes of such a zone are given NoExecute taints a second while any node is Ready.
double rate_of(const ZoneCount& zone, const RuleInputs& inputs);
/// At what rate nodes that a pause held let their pods go where their zone's is 0 (docs/pause.md).
inline double rate_of_held(const RuleInputs& inputs) {
  return inputs.eviction_rate > 0 ? inputs.eviction_rate : 0.1;
}

/// The rules `pace` and `disruption`: how many nodes of each zone are Ready, and who was given up
/// in it when.
class ZoneRules {
 public:
  ZoneRules(const RuleInputs& inputs, const NodesSeen& nodes, const Silence& silence,
            FirstBreach& breach)
      : inputs_(inputs), nodes_(nodes), silence_(silence), breach_(breach) {}

  /// Some node may have changed.
  void count(Instant at);
  /// A replica leads for the first time: what it grants first is not paced by those before it.
  void take_over(Instant at);

  /// A node of that zone was given up: by a NoExecute taint, or by its timeout. `slowest`: it may
  /// be at that rate at least, whatever the zone's is.
  void judge_pace(const std::string& zone, Instant at, double slowest = 0);
  /// `what` was done, which nothing in full disruption may be.
  void judge_disruption(const std::string& what, Instant at);

  /// The time in which no node was Ready, for longer than a moment, and which has just ended.
  std::optional<RuleInputs::Outage> just_ended(Instant at) const;

  /// Partly or fully: since when that zone is, by those of its nodes that count for it.
  std::optional<Instant> disrupted_since(const std::string& zone) const;

  void left(const std::string& zone, Instant at) { zones_[zone].last_left = at; }
  /// When a node of that zone was last given a NoExecute taint.
  std::optional<Instant> last_granted(const std::string& zone) const;
  /// When a pod of that zone was last deleted.
  std::optional<Instant> last_left(const std::string& zone) const;

 private:
  struct Grant {
    Instant at;
    double believed_rate;  ///< of those that were silent then
  };
  struct Zone {
    ZoneCount count;
    std::optional<Instant> disrupted_since;
    std::optional<Instant> partial_since;
    std::optional<Instant> partial_until;  ///< the last time that is over
    std::vector<Grant> grants;
    std::optional<Instant> last_left;
  };

  void count_nodes();
  void follow_full_disruption(Instant at);
  void follow_disruption(Zone& zone, Instant at) const;
  const Zone& known(const std::string& zone) const;
  /// What was seen of a node that is gone; null: it is not.
  const NodeSeen* gone(const std::string& node) const;
  std::size_t silent_in(const std::string& zone, Instant at) const;
  double earned(std::span<const Grant> grants, double rate_of_now, Instant at) const;
  double rate(const Zone& zone, Instant from, Instant at) const;
  double believed_rate(const std::string& zone, std::size_t silent, Instant from, Instant at) const;
  std::optional<Instant> none_believed_ready_since(Instant at) const;

  const RuleInputs& inputs_;
  const NodesSeen& nodes_;
  const Silence& silence_;
  FirstBreach& breach_;
  std::map<std::string, Zone> zones_;
  bool any_ready_ = false;
  bool any_counts_ = false;
  std::optional<Instant> none_ready_since_;
  std::optional<RuleInputs::Outage> none_ready_;  ///< the last time that is over
  std::vector<Instant> takeovers_;
};

}  // namespace nlc::sim::rules
