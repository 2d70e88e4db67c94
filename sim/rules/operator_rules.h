#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/rules/first_breach.h"
#include "sim/rules/node_seen.h"
#include "sim/rules/operator_policy.h"
#include "sim/rules/rule_inputs.h"

namespace nlc::sim::rules {

/// The rules `paused` and `pods' pace`: since when the operator asks for what.
class OperatorRules {
 public:
  OperatorRules(const RuleInputs& inputs, FirstBreach& breach) : inputs_(inputs), breach_(breach) {}

  /// The policy as it now stands; null: there is none. `follow` each node afterwards.
  void read(const api::ConfigMap* config, Instant at);
  void follow(NodeSeen& seen, Instant at);

  /// `what` was done to a node or one of its pods. Before a pod leaves for a taint that stands for
  /// the node's health the node is read, and nothing is written to it in an older version.
  void judge_pause(const NodeSeen& seen, const std::string& what, Instant at);
  /// The same where nobody need have read the node: what is said of it alone does not count.
  void judge_pause_of_all(const std::string& what, Instant at);
  /// `what` was done to a pod of that node, whose zone has been disrupted since then.
  void judge_hold(const NodeSeen& seen, const std::string& what,
                  std::optional<Instant> disrupted_since, Instant at);
  /// A pod of that node was deleted.
  void judge_pods_pace(const NodeSeen& seen, Instant at);

  /// Evictions of that node were paused at some time, or held wherever there was disruption.
  bool was_paused(const std::string& node) const { return ever_paused_.contains(node); }

 private:
  /// A node is known by its uid, too.
  struct Place {
    std::string uid;
    std::string zone;
    bool operator==(const Place&) const = default;
  };

  void judge_paused_since(Instant since, const std::string& what, Instant at);
  void judge_pace(double pods_per_second, const std::string& where, Instant at);
  /// Nothing where not everybody need count that node in the same zone.
  std::optional<std::string> sure_zone(const NodeSeen& seen) const;

  const RuleInputs& inputs_;
  FirstBreach& breach_;
  OperatorPolicy policy_;
  Instant policy_since_{};
  std::optional<Instant> all_paused_since_;
  std::optional<Instant> held_since_;                   ///< in disruption
  std::map<std::string, std::vector<Instant>> left_;    ///< pods since then, by zone; "": of all
  std::map<std::string, std::optional<Place>> places_;  ///< of nodes; nothing: it had two
  std::set<std::string> ever_paused_;
};

}  // namespace nlc::sim::rules
