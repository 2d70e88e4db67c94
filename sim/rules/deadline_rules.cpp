#include "sim/rules/deadline_rules.h"

#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {
namespace {

/// All pods are read each time; what is late stays late.
constexpr Duration looks_apart = std::chrono::seconds(30);

}  // namespace

void DeadlineRules::judge(Instant now) {
  const RuleInputs& inputs = env_.inputs;
  if (inputs.peace_begins == Instant::max() || !inputs.judges_nodes) return;
  if (now < std::max(inputs.peace_begins + inputs.marked_within, due_)) return;
  due_ = now + looks_apart;
  for (const auto& [name, seen] : env_.nodes) {
    if (!is_overdue(seen, now)) continue;
    judge_overdue(seen, now);
    // Where pods are to stay Ready while no node is the reference model judges them at the end.
    if (!inputs.holds_pods_ready) judge_pods_of(name);
  }
}

bool DeadlineRules::is_overdue(const NodeSeen& seen, Instant now) const {
  if (seen.gone_since || seen.paused_since || never_reported(seen.node)) return false;
  const std::optional<Instant> heard = env_.silence.last_heartbeat(seen.node.name);
  return heard && now - std::max(*heard, env_.inputs.peace_begins) >= env_.inputs.marked_within;
}

void DeadlineRules::judge_overdue(const NodeSeen& seen, Instant now) {
  const std::string& name = seen.node.name;
  const std::string what =
      "node " + name + ", silent for " + go_duration(now - *env_.silence.last_heartbeat(name)) +
      ", in a time of " + go_duration(now - env_.inputs.peace_begins) + " without trouble, ";
  if (!is_unknown(seen.node)) {
    env_.breach.note("in time", what + "is not Unknown");
  } else if (!has_unreachable(seen.node, "NoSchedule")) {
    env_.breach.note("in time", what + "lacks unreachable:NoSchedule");
  }
}

void DeadlineRules::judge_pods_of(const std::string& node) {
  env_.storage.visit_pods_of(node, [&](const ObjectRef& object) {
    const auto pod = decoded<api::Pod>(object);
    if (!pod || pod->finished || pod->deleting || !is_ready(*pod)) return true;
    env_.breach.note("in time",
                     "pod " + pod->key() + " is still Ready on " + node + ", which is dead");
    return true;
  });
}

}  // namespace nlc::sim::rules
