#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"
#include "sim/rules/rules.h"

namespace nlc::sim::rules {
namespace {

/// Kubelets look every ten seconds at what the server says of their nodes.
constexpr Duration kubelets_look = std::chrono::seconds(10);
/// All connections are cut by a restore: whoever connects again sees it.
constexpr Duration restore_noticed = std::chrono::seconds(3);

}  // namespace

void Rules::read_pods(Author author) {
  if (author != Author::Controller) return;
  storage_.visit_history(core_resource("pods"), version_, [&](const HistoryEvent& event) {
    last_write_ = event.at;
    if (event.change == Change::Added) {
      return break_rule("others", "the controller made pod " + event.object->key);
    }
    const auto before = decoded<api::Pod>(event.previous);
    const auto after = decoded<api::Pod>(event.object);
    if (!before || !after || before->deleting) return;
    if (!terms_.judges_nodes && before->ready != after->ready) {
      return break_rule("only watching", "the controller marked pod " + event.object->key);
    }
    if (event.change == Change::Deleted || after->deleting) judge_deletion(*before, event.at);
  });
}

void Rules::judge_deletion(const api::Pod& pod, Instant at) {
  if (!terms_.evicts_pods) {
    return break_rule("only watching", "the controller deleted pod " + pod.key());
  }
  const auto found = nodes_.find(pod.node_name);
  if (found == nodes_.end()) {
    return break_rule("tolerations", "pod " + pod.key() + " of " + pod.node_name +
                                         " was deleted, and there is no such node");
  }
  NodeSeen& seen = found->second;
  zones_[zone_of(seen.node)].last_left = at;
  judge_pods_pace(at);
  if (terms_.pod_timeout) return judge_by_timeout(pod, seen, at);
  judge_by_taints(pod, seen, at);
}

void Rules::judge_by_timeout(const api::Pod& pod, NodeSeen& seen, Instant at) {
  judge_pause(seen, "pod " + pod.key() + " was deleted", true, at);
  if (seen.ready_since && at - *seen.ready_since > under_way) {
    return break_rule("ready", "pod " + pod.key() + " was deleted, and its node " + pod.node_name +
                                   " has been Ready for " + go_duration(at - *seen.ready_since));
  }
  if (seen.ready_since || std::exchange(seen.evicted, true)) return;
  const auto heard = heartbeats_.find(pod.node_name);
  const bool silent = heard == heartbeats_.end() || heard->second.perhaps_lost ||
                      open_time(heard->second, at) + exact_enough >= *terms_.pod_timeout;
  const Duration stood = at - seen.not_ready_since.value_or(at);
  if (!silent && stood + exact_enough < *terms_.pod_timeout) {
    return break_rule("timeouts", "pod " + pod.key() + " was deleted, and its node " +
                                      pod.node_name + " has not been Ready for " +
                                      go_duration(stood) + " alone");
  }
  if (none_ready_since_ && at - *none_ready_since_ > under_way) {
    return break_rule("disruption", "pod " + pod.key() +
                                        " was deleted while no node has been Ready for " +
                                        go_duration(at - *none_ready_since_));
  }
  judge_pace(zone_of(seen.node), at);
}

void Rules::judge_by_taints(const api::Pod& pod, NodeSeen& seen, Instant at) {
  const bool perhaps_for_others =
      seen.others_no_execute_until && at - *seen.others_no_execute_until <= under_way;
  const bool only_ours = !has_no_execute_of_others(seen.node) && !perhaps_for_others;
  judge_pause(seen, "pod " + pod.key() + " was deleted", only_ours, at);
  if (only_ours && seen.ready_since && at - *seen.ready_since > under_way) {
    return break_rule("ready", "pod " + pod.key() + " was deleted, and its node " + pod.node_name +
                                   " has been Ready for " + go_duration(at - *seen.ready_since));
  }
  if (only_ours && none_ready_since_ && at - *none_ready_since_ > under_way) {
    return break_rule("disruption", "pod " + pod.key() +
                                        " was deleted while no node has been Ready for " +
                                        go_duration(at - *none_ready_since_));
  }
  if (!seen.no_execute_since) {
    if (seen.no_execute_until && at - *seen.no_execute_until <= under_way) return;
    return break_rule("tolerations", "pod " + pod.key() + " was deleted, and its node " +
                                         pod.node_name + " has no NoExecute taint");
  }
  const Duration stays = tolerated_for(pod, seen.node);
  const Duration stood = at - *seen.no_execute_since;
  // Timestamps of the API are whole seconds, cut off.
  if (stays == Duration::max() || stood + std::chrono::seconds(1) < stays) {
    break_rule("tolerations",
               "pod " + pod.key() + " was deleted " + go_duration(stood) + " after its node " +
                   pod.node_name + " was tainted, and tolerates " +
                   (stays == Duration::max() ? "that for ever" : go_duration(stays)));
  }
  const std::optional<Instant> back = came_back(at);
  if (!only_ours || !back || seen.ready_since || seen.gone_since) return;
  seen.early = {.until = *back + kubelets_look,
                .what = "pod " + pod.key() + " was deleted " + go_duration(at - *back) +
                        " after the server came back, and then its node " + pod.node_name +
                        " said that it is Ready"};
}

/// When the server took heartbeats again, or another state took its place, as long as kubelets that
/// live have not all said how they are.
std::optional<Instant> Rules::came_back(Instant at) const {
  const auto lately = [at](Instant then, Duration noticed) {
    return at > then + noticed && at <= then + kubelets_look;
  };
  if (restored_ && lately(*restored_, restore_noticed)) return restored_;
  for (const Terms::Closed& closed : terms_.closed) {
    const bool noticed = closed.until - closed.from > terms_.blind_after + seen_late;
    if (noticed && !closed.for_leases_alone && lately(closed.until, exact_enough)) {
      return closed.until;
    }
  }
  return std::nullopt;
}

/// `by_node`: what is said of the node alone counts, too. Before a pod leaves for a taint that
/// stands for the node's health the node is read, and nothing is written to it in an older version.
void Rules::judge_pause(const NodeSeen& seen, const std::string& what, bool by_node, Instant at) {
  std::optional<Instant> since = all_paused_since_;
  if (by_node && !seen.gone_since)
    since = std::min(since.value_or(at), seen.paused_since.value_or(at));
  if (!since || at - *since <= under_way) return;
  break_rule("paused", what + ", though that has been paused for " + go_duration(at - *since));
}

/// One may be on its way when the pace is written; afterwards each waits for its token.
void Rules::judge_pods_pace(Instant at) {
  if (!limited_since_ || at - *limited_since_ <= under_way) return left_.clear();
  left_.push_back(at);
  for (std::size_t i = left_.size(); i-- > 0;) {
    const double span = std::chrono::duration<double>(at - left_[i] + arrival).count();
    const double most = 1 + word_.pods_per_second() * span;
    const auto count = static_cast<double>(left_.size() - i);
    if (count <= most + 0.001) continue;
    return break_rule("pods' pace", std::to_string(left_.size() - i) +
                                        " pods were deleted within " + go_duration(at - left_[i]));
  }
}

}  // namespace nlc::sim::rules
