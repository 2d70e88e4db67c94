#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>

#include "runtime/time.h"
#include "sim/rules/asked.h"
#include "sim/rules/first_breach.h"
#include "sim/rules/rule_inputs.h"

namespace nlc::sim::rules {

/// The rules `requests` and `uid`: whatever goes wrong, nobody asks without end, and who changes a
/// node or a pod says which one of that name.
class RequestRules {
 public:
  RequestRules(const RuleInputs& inputs, FirstBreach& breach) : inputs_(inputs), breach_(breach) {}

  /// In the order of time. There have been so many nodes and pods at once.
  void judge(const Asked& request, std::size_t nodes_and_pods);

 private:
  void judge_repetition(const Asked& request);
  void judge_total(const Asked& request, std::size_t nodes_and_pods);
  void judge_uid(const Asked& request);

  const RuleInputs& inputs_;
  FirstBreach& breach_;
  using Times = std::deque<Instant>;  ///< of the last ten seconds
  std::map<std::string, Times> sent_;
  std::map<std::string, Times> sent_in_all_;  ///< by replica
};

}  // namespace nlc::sim::rules
