#include "sim/rules/operator_rules.h"

#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {

void OperatorRules::read(const api::ConfigMap* config, Instant at) {
  if (config == nullptr) {
    policy_ = OperatorPolicy();
  } else {
    policy_.read(*config);
  }
  keep_since(all_paused_since_, policy_.pauses_everything(), at);
  keep_since(held_since_, policy_.holds_in_disruption(), at);
  // Whatever pace was before is no measure for this one.
  policy_since_ = at;
  left_.clear();
}

void OperatorRules::follow(NodeSeen& seen, Instant at) {
  keep_since(seen.paused_since, policy_.pauses(seen.node), at);
  if (seen.paused_since || held_since_) ever_paused_.insert(seen.node.name);
  const Place place{.uid = seen.node.uid, .zone = zone_of(seen.node)};
  const auto known = places_.try_emplace(seen.node.name, place).first;
  if (known->second != place) known->second.reset();
}

std::optional<std::string> OperatorRules::sure_zone(const NodeSeen& seen) const {
  const auto place = places_.find(seen.node.name);
  if (seen.gone_since || place == places_.end() || !place->second) return std::nullopt;
  return place->second->zone;
}

void OperatorRules::judge_pause(const NodeSeen& seen, const std::string& what, Instant at) {
  if (seen.gone_since) return judge_pause_of_all(what, at);
  judge_paused_since(std::min(all_paused_since_.value_or(at), seen.paused_since.value_or(at)), what,
                     at);
}

void OperatorRules::judge_pause_of_all(const std::string& what, Instant at) {
  judge_paused_since(all_paused_since_.value_or(at), what, at);
}

void OperatorRules::judge_paused_since(Instant since, const std::string& what, Instant at) {
  if (was_lately(since, at)) return;
  breach_.note("paused", what + ", though that has been paused for " + go_duration(at - since));
}

/// Where nodes are not judged nobody knows of disruption (docs/pause.md).
void OperatorRules::judge_hold(const NodeSeen& seen, const std::string& what,
                               std::optional<Instant> disrupted_since, Instant at) {
  if (!held_since_ || !disrupted_since || !inputs_.judges_nodes) return;
  const Duration both = at - std::max(*held_since_, *disrupted_since);
  const std::optional<std::string> zone = sure_zone(seen);
  if (both <= under_way || !zone || covers(inputs_.nodes_in_doubt, at)) return;
  breach_.note("paused", what + ", though that is held while zone " + *zone +
                             " is disrupted, which it has been for " +
                             go_duration(at - *disrupted_since));
}

void OperatorRules::judge_pods_pace(const NodeSeen& seen, Instant at) {
  // One may be on its way when the pace is written; afterwards each waits for its token.
  if (at - policy_since_ <= under_way) return;
  judge_pace(policy_.pods_per_second(), "", at);
  if (const auto zone = sure_zone(seen)) {
    judge_pace(policy_.pods_per_second_and_zone(), *zone, at);
  }
}

void OperatorRules::judge_pace(double pods_per_second, const std::string& where, Instant at) {
  if (pods_per_second == 0) return;
  std::vector<Instant>& left = left_[where];
  left.push_back(at);
  for (std::size_t i = left.size(); i-- > 0;) {
    const double span = std::chrono::duration<double>(at - left[i] + arrival).count();
    const double most = 1 + pods_per_second * span;
    const auto count = static_cast<double>(left.size() - i);
    if (count <= most + 0.001) continue;
    return breach_.note("pods' pace", std::to_string(left.size() - i) + " pods " +
                                          (where.empty() ? "" : "of zone " + where + " ") +
                                          "were deleted within " + go_duration(at - left[i]));
  }
}

}  // namespace nlc::sim::rules
