#pragma once

#include <string>

#include "sim/apiserver/registry/storage.h"
#include "sim/rules/first_breach.h"
#include "sim/rules/node_seen.h"
#include "sim/rules/rule_inputs.h"
#include "sim/rules/silence.h"

namespace nlc::sim::rules {

/// The rule `in time`: what should have been done by now.
class DeadlineRules {
 public:
  struct Env {
    const Storage& storage;
    const RuleInputs& inputs;
    const NodesSeen& nodes;
    const Silence& silence;
    FirstBreach& breach;
  };
  explicit DeadlineRules(const Env& env) : env_(env) {}

  void judge(Instant now);

 private:
  bool is_overdue(const NodeSeen& seen, Instant now) const;
  void judge_overdue(const NodeSeen& seen, Instant now);
  void judge_pods_of(const std::string& node);

  const Env env_;
  Instant due_ = Instant::min();  ///< to be looked at
};

}  // namespace nlc::sim::rules
