#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"
#include "sim/rules/rules.h"

namespace nlc::sim::rules {

void Rules::note_deleted_pods() {
  storage_.visit_history(core_resource("pods"), version_, [&](const HistoryEvent& event) {
    if (event.change != Change::Deleted) return;
    if (const auto pod = decoded<api::Pod>(event.object)) deleted_pods_[pod->uid] = pod->key();
  });
}

void Rules::read_pods(Author author) {
  if (inputs_.restored_behind) note_deleted_pods();
  if (author != Author::Controller) return;
  storage_.visit_history(core_resource("pods"), version_, [&](const HistoryEvent& event) {
    last_write_ = event.at;
    if (event.change == Change::Added) {
      return breach_.note("others", "the controller made pod " + event.object->key);
    }
    const auto before = decoded<api::Pod>(event.previous);
    const auto after = decoded<api::Pod>(event.object);
    if (!before || !after || before->deleting) return;
    if (!inputs_.judges_nodes && before->ready != after->ready) {
      return breach_.note("only watching", "the controller marked pod " + event.object->key);
    }
    const bool deleted = event.change == Change::Deleted || after->deleting;
    if (deleted) return judge_deletion(*before, event.at);
    if (!inputs_.pod_timeout || !after->lost || before->lost) return;
    const auto node = nodes_.find(before->node_name);
    if (node == nodes_.end()) return;
    judge_turn("pod " + before->key() + " was called lost", node->second, event.at);
  });
}

void Rules::judge_deletion(const api::Pod& pod, Instant at) {
  if (!inputs_.evicts_pods) {
    return breach_.note("only watching", "the controller deleted pod " + pod.key());
  }
  const auto found = nodes_.find(pod.node_name);
  if (found == nodes_.end()) {
    return breach_.note("tolerations", "pod " + pod.key() + " of " + pod.node_name +
                                           " was deleted, and there is no such node");
  }
  NodeSeen& seen = found->second;
  const std::string zone = zone_of(seen.node);
  zones_.left(zone, at);
  operator_.judge_pods_pace(seen, at);
  operator_.judge_hold(seen, "pod " + pod.key() + " was deleted", zones_.disrupted_since(zone), at);
  if (inputs_.pod_timeout) return judge_by_timeout(pod, seen, at);
  judge_by_taints(pod, seen, at);
}

void Rules::judge_by_timeout(const api::Pod& pod, NodeSeen& seen, Instant at) {
  const std::string what = "pod " + pod.key() + " was deleted";
  operator_.judge_pause(seen, what, true, at);
  judge_ready(what, seen, at);
  judge_turn(what, seen, at);
  judge_leaving(seen, at);
}

/// Of the first pod that is called lost, or deleted: its node has taken its turn.
void Rules::judge_turn(const std::string& what, NodeSeen& seen, Instant at) {
  if (seen.ready_since || std::exchange(seen.evicted, true)) return;
  const Duration stood = at - seen.not_ready_since.value_or(at);
  const std::string& node = seen.node.name;
  if (!silence_.has_been(node, *inputs_.pod_timeout, at) &&
      stood + exact_enough < *inputs_.pod_timeout) {
    return breach_.note("timeouts", what + ", and its node " + node + " has not been Ready for " +
                                        go_duration(stood) + " alone");
  }
  zones_.judge_disruption(what, at);
}

/// Of the first pod that is deleted: one that is called lost may be refused its deletion.
void Rules::judge_leaving(NodeSeen& seen, Instant at) {
  if (seen.ready_since || std::exchange(seen.left, true)) return;
  const bool held = operator_.was_paused(seen.node.name);
  zones_.judge_pace(zone_of(seen.node), at, held ? rate_of_held(inputs_) : 0);
}

void Rules::judge_ready(const std::string& what, const NodeSeen& seen, Instant at) {
  if (!seen.ready_since || at - *seen.ready_since <= under_way) return;
  breach_.note("ready", what + ", and its node " + seen.node.name + " has been Ready for " +
                            go_duration(at - *seen.ready_since));
}

void Rules::judge_by_taints(const api::Pod& pod, NodeSeen& seen, Instant at) {
  const std::string what = "pod " + pod.key() + " was deleted";
  const bool others_stand = has_no_execute_of_others(seen.node);
  const bool others_stood = seen.with_others && at - seen.with_others->until <= under_way;
  const bool only_ours = !others_stand && !others_stood;
  operator_.judge_pause(seen, what, only_ours, at);
  if (only_ours) {
    judge_ready(what, seen, at);
    zones_.judge_disruption(what, at);
  }
  const bool for_others =
      others_stood && tolerated_for(pod, seen.with_others->taints) != Duration::max();
  if (for_others && !others_stand) return;
  const bool stood_lately = seen.no_execute_until && at - *seen.no_execute_until <= under_way;
  if (!seen.no_execute_since) {
    if (stood_lately) return;
    return breach_.note("tolerations",
                        what + ", and its node " + pod.node_name + " has no NoExecute taint");
  }
  const Duration stays = tolerated_for(pod, seen.node.taints);
  // A deletion that hung may land when the taint that it was for went and is there again.
  const Instant since = *seen.no_execute_since;
  const Duration stood = at - (stood_lately ? seen.no_execute_before.value_or(since) : since);
  // Timestamps of the API are whole seconds, cut off.
  if (stays == Duration::max() || stood + std::chrono::seconds(1) < stays) {
    breach_.note("tolerations",
                 what + " " + go_duration(stood) + " after its node " + pod.node_name +
                     " was tainted, and tolerates " +
                     (stays == Duration::max() ? "that for ever" : go_duration(stays)));
  }
  if (only_ours) judge_early(what, seen, at);
}

/// Whether its node says right after an outage that it is Ready, which it could not say before, is
/// known when it does.
void Rules::judge_early(const std::string& what, NodeSeen& seen, Instant at) {
  const std::optional<RuleInputs::Outage> of_server = silence_.just_ended(at);
  const std::optional<RuleInputs::Outage> outage = of_server ? of_server : zones_.just_ended(at);
  if (!outage || seen.gone_since) return;
  // Whose kubelet said something else since then could say it.
  if (!seen.not_ready_since || *seen.not_ready_since > outage->from) return;
  const std::string_view end =
      of_server ? " after the server came back" : " after the first node was Ready again";
  seen.early = {.until = outage->until + kubelets_look,
                .what = what + " " + go_duration(at - outage->until) + std::string(end) +
                        ", and then its node " + seen.node.name + " said that it is Ready"};
}

}  // namespace nlc::sim::rules
