#include "sim/rules/pod_rules.h"

#include <utility>

#include "runtime/go_duration.h"
#include "sim/rules/node_facts.h"

namespace nlc::sim::rules {

void PodRules::judge(const HistoryEvent& event) {
  if (event.change == Change::Added) {
    return env_.breach.note("others", "the controller made pod " + event.object->key);
  }
  const auto before = decoded<api::Pod>(event.previous);
  const auto after = decoded<api::Pod>(event.object);
  if (!before || !after || before->deleting) return;
  if (!env_.inputs.judges_nodes && before->ready != after->ready) {
    return env_.breach.note("only watching", "the controller marked pod " + event.object->key);
  }
  const bool deleted = event.change == Change::Deleted || after->deleting;
  if (deleted) return judge_deletion(*before, event.at);
  if (!env_.inputs.pod_timeout || !after->lost || before->lost) return;
  const auto node = env_.nodes.find(before->node_name);
  if (node == env_.nodes.end()) return;
  judge_turn("pod " + before->key() + " was called lost", node->second, event.at);
}

void PodRules::judge_deletion(const api::Pod& pod, Instant at) {
  if (!env_.inputs.evicts_pods) {
    return env_.breach.note("only watching", "the controller deleted pod " + pod.key());
  }
  const std::string what = "pod " + pod.key() + " was deleted";
  const auto found = env_.nodes.find(pod.node_name);
  if (found == env_.nodes.end()) {
    return env_.breach.note("tolerations", "pod " + pod.key() + " of " + pod.node_name +
                                               " was deleted, and there is no such node");
  }
  NodeSeen& seen = found->second;
  const std::string zone = zone_of(seen.node);
  env_.zones.left(zone, at);
  env_.policy.judge_pods_pace(seen, at);
  env_.policy.judge_hold(seen, what, env_.zones.disrupted_since(zone), at);
  if (env_.inputs.pod_timeout) return judge_by_timeout(what, seen, at);
  judge_by_taints(pod, what, seen, at);
}

void PodRules::judge_by_timeout(const std::string& what, NodeSeen& seen, Instant at) {
  env_.policy.judge_pause(seen, what, at);
  judge_ready(what, seen, at);
  judge_turn(what, seen, at);
  judge_leaving(seen, at);
}

/// Of the first pod that is called lost, or deleted: its node has taken its turn.
void PodRules::judge_turn(const std::string& what, NodeSeen& seen, Instant at) {
  if (seen.ready_since || std::exchange(seen.evicted, true)) return;
  const Duration stood = at - seen.not_ready_since.value_or(at);
  const std::string& node = seen.node.name;
  if (!env_.silence.has_been(node, *env_.inputs.pod_timeout, at) &&
      stood + exact_enough < *env_.inputs.pod_timeout) {
    return env_.breach.note("timeouts", what + ", and its node " + node +
                                            " has not been Ready for " + go_duration(stood) +
                                            " alone");
  }
  env_.zones.judge_disruption(what, at);
}

/// Of the first pod that is deleted: one that is called lost may be refused its deletion.
void PodRules::judge_leaving(NodeSeen& seen, Instant at) {
  if (seen.ready_since || std::exchange(seen.left, true)) return;
  const bool held = env_.policy.was_paused(seen.node.name);
  env_.zones.judge_pace(zone_of(seen.node), at, held ? rate_of_held(env_.inputs) : 0);
}

void PodRules::judge_ready(const std::string& what, const NodeSeen& seen, Instant at) {
  if (!seen.ready_since || was_lately(seen.ready_since, at)) return;
  env_.breach.note("ready", what + ", and its node " + seen.node.name + " has been Ready for " +
                                go_duration(at - *seen.ready_since));
}

void PodRules::judge_by_taints(const api::Pod& pod, const std::string& what, NodeSeen& seen,
                               Instant at) {
  const bool others_stand = has_no_execute_of_others(seen.node);
  const bool others_stood = seen.with_others && was_lately(seen.with_others->until, at);
  if (others_stand || others_stood) {
    env_.policy.judge_pause_of_all(what, at);
  } else {
    env_.policy.judge_pause(seen, what, at);
    judge_ready(what, seen, at);
    env_.zones.judge_disruption(what, at);
    note_if_early(what, seen, at);
  }
  const bool for_others_that_went = others_stood && !others_stand &&
                                    tolerated_for(pod, seen.with_others->taints) != Duration::max();
  if (!for_others_that_went) judge_tolerations(pod, what, seen, at);
}

void PodRules::judge_tolerations(const api::Pod& pod, const std::string& what, const NodeSeen& seen,
                                 Instant at) {
  const bool stood_lately = was_lately(seen.no_execute_until, at);
  if (!seen.no_execute_since) {
    if (stood_lately) return;
    return env_.breach.note("tolerations",
                            what + ", and its node " + pod.node_name + " has no NoExecute taint");
  }
  // A deletion that hung may land when the taint that it was for went and is there again.
  const Instant since = *seen.no_execute_since;
  const Duration stood = at - (stood_lately ? seen.no_execute_before.value_or(since) : since);
  const Duration stays = tolerated_for(pod, seen.node.taints);
  const bool for_ever = stays == Duration::max();
  // Timestamps of the API are whole seconds, cut off.
  if (!for_ever && stood + std::chrono::seconds(1) >= stays) return;
  env_.breach.note("tolerations", what + " " + go_duration(stood) + " after its node " +
                                      pod.node_name + " was tainted, and tolerates " +
                                      (for_ever ? "that for ever" : go_duration(stays)));
}

/// Whether its node says right after an outage that it is Ready, which it could not say before, is
/// known when it does.
void PodRules::note_if_early(const std::string& what, NodeSeen& seen, Instant at) {
  const std::optional<RuleInputs::Outage> of_server = env_.silence.just_ended(at);
  const std::optional<RuleInputs::Outage> outage =
      of_server ? of_server : env_.zones.just_ended(at);
  if (!seen.no_execute_since || !outage || seen.gone_since) return;
  // Whose kubelet said something else since then could say it.
  if (!seen.not_ready_since || *seen.not_ready_since > outage->from) return;
  const std::string_view end =
      of_server ? " after the server came back" : " after the first node was Ready again";
  seen.early = {.until = outage->until + kubelets_look,
                .what = what + " " + go_duration(at - outage->until) + std::string(end) +
                        ", and then its node " + seen.node.name + " said that it is Ready"};
}

}  // namespace nlc::sim::rules
