#pragma once

#include <string>

#include "sim/apiserver/registry/storage.h"
#include "sim/rules/first_breach.h"
#include "sim/rules/node_seen.h"
#include "sim/rules/operator_rules.h"
#include "sim/rules/rule_inputs.h"
#include "sim/rules/silence.h"
#include "sim/rules/zone_rules.h"

namespace nlc::sim::rules {

/// The rules `ready`, `tolerations` and `timeouts`: which pods may be deleted, and when.
class PodRules {
 public:
  struct Env {
    const RuleInputs& inputs;
    NodesSeen& nodes;
    const Silence& silence;
    ZoneRules& zones;
    OperatorRules& policy;
    FirstBreach& breach;
  };
  explicit PodRules(const Env& env) : env_(env) {}

  /// The controller wrote that to a pod.
  void judge(const HistoryEvent& event);

 private:
  void judge_deletion(const api::Pod& pod, Instant at);
  void judge_by_taints(const api::Pod& pod, const std::string& what, NodeSeen& seen, Instant at);
  void judge_tolerations(const api::Pod& pod, const std::string& what, const NodeSeen& seen,
                         Instant at);
  void judge_by_timeout(const std::string& what, NodeSeen& seen, Instant at);
  void judge_turn(const std::string& what, NodeSeen& seen, Instant at);
  void judge_leaving(NodeSeen& seen, Instant at);
  void judge_ready(const std::string& what, const NodeSeen& seen, Instant at);
  void note_if_early(const std::string& what, NodeSeen& seen, Instant at);

  const Env env_;
};

}  // namespace nlc::sim::rules
