#include <string>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"
#include "sim/rules/rules.h"

namespace nlc::sim::rules {
namespace {

/// All pods are read each time; what is late stays late.
constexpr Duration looks_apart = std::chrono::seconds(30);

}  // namespace

void Rules::judge_deadlines() {
  if (inputs_.peace_begins == Instant::max() || !inputs_.judges_nodes || broken()) return;
  if (came_back_unseen_) return;
  const Instant now = clock_.now();
  if (now < std::max(inputs_.peace_begins + inputs_.marked_within, deadlines_due_)) return;
  deadlines_due_ = now + looks_apart;
  for (const auto& [name, seen] : nodes_) {
    if (!is_overdue(seen, now)) continue;
    judge_overdue(seen, now);
    // Where pods are to stay Ready while no node is the reference model judges them at the end.
    if (!inputs_.holds_pods_ready) judge_pods_of(name);
  }
}

bool Rules::is_overdue(const NodeSeen& seen, Instant now) const {
  if (seen.gone_since || seen.paused_since || never_reported(seen.node)) return false;
  const std::optional<Instant> heard = silence_.last_heartbeat(seen.node.name);
  return heard && now - std::max(*heard, inputs_.peace_begins) >= inputs_.marked_within;
}

void Rules::judge_overdue(const NodeSeen& seen, Instant now) {
  const std::string& name = seen.node.name;
  const std::string what = "node " + name + ", silent for " +
                           go_duration(now - *silence_.last_heartbeat(name)) + ", in a time of " +
                           go_duration(now - inputs_.peace_begins) + " without trouble, ";
  if (!is_unknown(seen.node)) {
    breach_.note("in time", what + "is not Unknown");
  } else if (!has_unreachable(seen.node, "NoSchedule")) {
    breach_.note("in time", what + "lacks unreachable:NoSchedule");
  }
}

void Rules::judge_pods_of(const std::string& node) {
  storage_.visit_pods_of(node, [&](const ObjectRef& object) {
    const auto pod = decoded<api::Pod>(object);
    if (!pod || pod->finished || pod->deleting || !is_ready(*pod)) return true;
    breach_.note("in time", "pod " + pod->key() + " is still Ready on " + node + ", which is dead");
    return true;
  });
}

}  // namespace nlc::sim::rules
