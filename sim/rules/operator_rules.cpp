#include "sim/rules/operator_rules.h"

#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/rules/rule_inputs.h"

namespace nlc::sim::rules {

void OperatorRules::read(const api::ConfigMap* config, Instant at) {
  if (config == nullptr) {
    policy_ = OperatorPolicy();
  } else {
    policy_.read(*config);
  }
  keep_since(all_paused_since_, policy_.pauses_everything(), at);
  // Whatever pace was before is no measure for this one.
  limited_since_.reset();
  if (policy_.pods_per_second() > 0) limited_since_ = at;
}

void OperatorRules::follow(NodeSeen& seen, Instant at) {
  keep_since(seen.paused_since, policy_.pauses(seen.node), at);
  if (seen.paused_since) ever_paused_.insert(seen.node.name);
}

void OperatorRules::judge_pause(const NodeSeen& seen, const std::string& what, bool by_node,
                                Instant at) {
  std::optional<Instant> since = all_paused_since_;
  if (by_node && !seen.gone_since)
    since = std::min(since.value_or(at), seen.paused_since.value_or(at));
  if (!since || at - *since <= under_way) return;
  breach_.note("paused", what + ", though that has been paused for " + go_duration(at - *since));
}

/// One may be on its way when the pace is written; afterwards each waits for its token.
void OperatorRules::judge_pods_pace(Instant at) {
  if (!limited_since_ || at - *limited_since_ <= under_way) return left_.clear();
  left_.push_back(at);
  for (std::size_t i = left_.size(); i-- > 0;) {
    const double span = std::chrono::duration<double>(at - left_[i] + arrival).count();
    const double most = 1 + policy_.pods_per_second() * span;
    const auto count = static_cast<double>(left_.size() - i);
    if (count <= most + 0.001) continue;
    return breach_.note("pods' pace", std::to_string(left_.size() - i) +
                                          " pods were deleted within " +
                                          go_duration(at - left_[i]));
  }
}

}  // namespace nlc::sim::rules
