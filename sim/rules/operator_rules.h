#pragma once

#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/rules/first_breach.h"
#include "sim/rules/node_seen.h"
#include "sim/rules/operator_policy.h"

namespace nlc::sim::rules {

/// The rules `paused` and `pods' pace`: since when the operator asks for what.
class OperatorRules {
 public:
  explicit OperatorRules(FirstBreach& breach) : breach_(breach) {}

  /// The policy as it now stands; null: there is none. `follow` each node afterwards.
  void read(const api::ConfigMap* config, Instant at);
  void follow(NodeSeen& seen, Instant at);

  /// `what` was done to a node or one of its pods. `by_node`: what is said of the node alone
  /// counts, too. Before a pod leaves for a taint that stands for the node's health the node is
  /// read, and nothing is written to it in an older version.
  void judge_pause(const NodeSeen& seen, const std::string& what, bool by_node, Instant at);
  /// A pod was deleted.
  void judge_pods_pace(Instant at);

  /// Evictions of that node were paused at some time.
  bool was_paused(const std::string& node) const { return ever_paused_.contains(node); }

 private:
  FirstBreach& breach_;
  OperatorPolicy policy_;
  std::optional<Instant> all_paused_since_;
  std::optional<Instant> limited_since_;  ///< to this pace, or a smaller one before it
  std::vector<Instant> left_;             ///< pods, since then
  std::set<std::string> ever_paused_;
};

}  // namespace nlc::sim::rules
