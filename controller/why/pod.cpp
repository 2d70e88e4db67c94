#include <algorithm>
#include <array>

#include "controller/rules/conditions.h"
#include "controller/rules/taints.h"
#include "controller/why/leaving.h"
#include "controller/why/obstacles.h"
#include "controller/why/timeouts.h"
#include "controller/why/turns.h"
#include "controller/why/wording.h"
#include "runtime/go_duration.h"

namespace nlc::controller::why {
namespace {

struct SeenPod {
  Slot slot;
  api::Pod pod;
  const Insight& insight;

  Instant now() const { return insight.at.now; }
  const Decisions& decisions() const { return insight.decisions; }
  std::string object() const { return History::of_pod(pod.key()); }
};

/// The taint whose toleration runs out first, and how long it is tolerated.
void tell_taint_rule(const SeenPod& seen, Answer& answer) {
  const TaintEviction& eviction = seen.decisions().taint_eviction();
  const TaintEviction::Timer& timer = *eviction.timer_of(seen.slot);
  const std::vector<SeenTaint>* taints = eviction.taints().of(seen.pod.node_name);
  if (taints == nullptr) {
    answer.rule = "its node is gone: what was counting when it went still counts";
    return;
  }
  const Instant came = timer.came.value_or(Instant::min());
  const SeenTaint* first = nullptr;
  std::optional<Instant> first_end;
  for (const SeenTaint& taint : *taints) {
    const std::array<SeenTaint, 1> alone{taint};
    const auto end = eviction_deadline(seen.pod.tolerations, alone, came, eviction.comparisons());
    if (!end || (first_end && *first_end <= *end)) continue;
    first = &taint;
    first_end = end;
  }
  if (first == nullptr) return;
  const Duration tolerated = *first_end - std::max(first->since, came);
  answer.since = seen.now() - (*timer.deadline - tolerated);
  answer.rule =
      "node " + seen.pod.node_name + " has " + first->taint.key + ":NoExecute, which the pod ";
  if (tolerated <= Duration{0}) {
    answer.rule += "does not tolerate";
    return;
  }
  const std::string length = tolerated < ten_years ? go_duration(tolerated) : in_words(tolerated);
  answer.rule += "tolerates for " + length + "; that counts for " + in_words(*answer.since);
}

/// The pod is due, or on its way out, or its time runs.
void tell_leaving(const SeenPod& seen, Leaving leaving, Answer& answer) {
  using How = Leaving::How;
  answer.state = leaving.how == How::Counting   ? "counting"
                 : leaving.how == How::Due      ? "due"
                 : leaving.how == How::UnderWay ? "evicting"
                                                : "accepted";
  answer.is = leaving.how == How::Counting
                  ? "it may stay on node " + seen.pod.node_name + " for another " +
                        in_words(*leaving.deadline - seen.now())
              : leaving.how == How::Due      ? "it is to leave node " + seen.pod.node_name
              : leaving.how == How::UnderWay ? "its eviction is under way"
                                             : "its deletion was accepted and does not show yet";
  add({.step = std::move(leaving.step), .held = std::move(leaving.held)}, answer);
}

/// What the pod's node waits for, and where.
std::string queue_words(const SeenPod& seen) {
  const bool taints = seen.decisions().policy().evict_by_taints;
  return std::string(taints ? "for a NoExecute taint " : "") + "in the queue of its zone";
}

void tell_queued_node(Slot node, const SeenPod& seen, Answer& answer) {
  const std::string name = "node " + seen.pod.node_name;
  Turn turn = turn_of(node, seen.insight);
  answer.rule = "its node waits " + queue_words(seen);
  std::string what = seen.decisions().policy().evict_by_taints
                         ? name + " gets its taint, and what the pod tolerates counts from then"
                         : name + " has its turn, and its pods begin to leave";
  if (!turn.token_in) what += ", once the state of its zone is another";
  add(std::move(turn).coming(std::move(what)), answer);
}

/// But for the pause the node would wait in the queue of its zone.
void tell_paused_node(Slot node, const SeenPod& seen, Answer& answer) {
  answer.rule = "its node would wait " + queue_words(seen) + ", if evictions were not paused";
  add(pause_obstacles(node, seen.insight), answer.held);
  answer.next.push_back(
      {.what = "node " + seen.pod.node_name + " takes its place in the queue of its zone",
       .in = Duration{0}});
}

void tell_silent_node(Slot node, const SeenPod& seen, Answer& answer) {
  const std::string name = "node " + seen.pod.node_name;
  if (!seen.decisions().operator_holds().pauses().pauses_all(node)) {
    answer.rule = "its node is silent, and waits to be marked Unknown";
    return add(marking_of(node, name + "'s", seen.insight), answer);
  }
  answer.rule = "its node is silent, and would be marked Unknown if it were not paused";
  add(pause_obstacles(node, seen.insight), answer.held);
  answer.next.push_back({.what = "nothing, while " + name + " is paused"});
}

/// The pod's node is about to be marked Unknown, to get a taint, or its turn, or would but for a
/// pause. False: it is not.
bool tell_waiting_node(const SeenPod& seen, Answer& answer) {
  if (!seen.decisions().judges_nodes()) return false;
  const std::optional<Slot> node = seen.insight.view.nodes.slot_of(seen.pod.node_name);
  const bool is_spared = !seen.decisions().policy().evict_by_taints && seen.pod.daemon;
  if (!node || is_spared) return false;
  if (seen.decisions().nodes().repairs().queue().waits(*node)) {
    tell_queued_node(*node, seen, answer);
  } else if (waits_unless_paused(*node, seen.insight)) {
    tell_paused_node(*node, seen, answer);
  } else if (const auto timeout = timeout_of(*node, "node " + seen.pod.node_name, seen.insight)) {
    add(*timeout, answer);
  } else if (is_unmarked(*node, seen.insight)) {
    tell_silent_node(*node, seen, answer);
  } else {
    return false;
  }
  return true;
}

/// By which taint it would leave its node, where that has none that counts.
std::string_view untainted_words(const SeenPod& seen) {
  const std::optional<api::Node> node = seen.insight.view.nodes.find(seen.pod.node_name);
  if (!node) {
    return seen.pod.node_name.empty()
               ? "it has no node whose taints would count"
               : "there is no such node; its pods are left to the garbage collection of pods";
  }
  const bool is_tainted = std::ranges::any_of(node->taints, is_managed_no_execute);
  return is_tainted ? "its node is Ready, so the NoExecute taint that says it is not does not count"
                    : "its node has no NoExecute taint by which it would leave";
}

void tell_staying(const SeenPod& seen, Answer& answer) {
  answer.state = "stays";
  answer.is = "it stays on node " + seen.pod.node_name;
  if (seen.pod.node_name.empty()) answer.is = "it is bound to no node yet";
  if (!seen.decisions().evicts_by_taints()) {
    answer.rule = "taint-eviction-controller is switched off by --controllers: another evicts pods";
  } else {
    const auto* taints = seen.decisions().taint_eviction().taints().of(seen.pod.node_name);
    answer.rule = taints == nullptr ? untainted_words(seen)
                                    : "it tolerates all NoExecute taints of its node for ever";
    if (taints == nullptr && tell_waiting_node(seen, answer)) return;
  }
  answer.next.push_back({.what = "nothing"});
}

void tell_timeout_rule(const SeenPod& seen, Answer& answer) {
  answer.settings.emplace_back("pod-eviction-timeout",
                               go_duration(seen.decisions().policy().pod_eviction_timeout));
  answer.rule = "pods leave a node that has not been ready for longer than --pod-eviction-timeout";
}

void tell_lost(const SeenPod& seen, Answer& answer) {
  tell_timeout_rule(seen, answer);
  answer.state = "stays";
  answer.is = "it stays on node " + seen.pod.node_name;
  if (tell_waiting_node(seen, answer)) return;
  answer.next.push_back({.what = "nothing before its node's pods are evicted"});
}

/// Services are told of it apart from its eviction.
void tell_readiness(const SeenPod& seen, Answer& answer) {
  const auto write = seen.decisions().pod_readiness().pending().progress(seen.slot, seen.now());
  if (!write || !write->wanted) return;
  const std::optional<Slot> node = seen.insight.view.nodes.slot_of(seen.pod.node_name);
  if (node && seen.decisions().operator_holds().pauses().pauses_all(*node)) return;
  std::vector<Obstacle> held = marking_obstacles(seen.pod.node_name, seen.insight);
  if (write->failed && write->retry_at) {
    held.push_back({.kind = "back_off",
                    .what = last_words(seen.insight, seen.object(), Action::MarkPodNotReady),
                    .ends_in = until(*write->retry_at, seen.insight)});
  }
  Step step{.what = "it is marked NotReady, for its node is silent", .in = Duration{0}};
  wait_for(held, step);
  answer.next.insert(answer.next.begin(), std::move(step));
  add(std::move(held), answer.held);
}

Answer no_such_pod(const Question& question, const Insight& insight) {
  Answer answer{.about = question, .known = false};
  answer.state = "absent";
  answer.is = "there is no such pod";
  add_past(insight, History::of_pod(question.name), answer);
  const auto deleted = std::ranges::find_if(answer.past, [](const Past& past) {
    return past.action == Action::DeletePod && past.outcome == Outcome::Taken;
  });
  if (deleted != answer.past.end()) {
    answer.state = "deleted";
    answer.is += " any more: this controller had it deleted " + in_words(deleted->ago) + " ago";
  } else if (!answer.past.empty()) {
    answer.is += " any more; nothing is known of why it went";
  }
  const std::size_t slash = question.name.find('/');
  const std::string space = question.name.substr(0, slash);
  const std::string name = slash == std::string::npos ? space : question.name.substr(slash + 1);
  const auto& pods = insight.view.pods;
  const std::vector<std::string> inside = near_names(name, [&](const auto& visit) {
    pods.each_slot([&](Slot slot) {
      if (pods.namespace_at(slot) == space) visit(pods.name_at(slot));
    });
  });
  for (const std::string& near : inside) answer.near.push_back(space + "/" + near);
  pods.each_slot([&](Slot slot) {
    if (answer.near.size() >= 5 || pods.name_at(slot) != name) return;
    answer.near.push_back(std::string(pods.namespace_at(slot)) + "/" + name);
  });
  return answer;
}

}  // namespace

Answer explain_pod(const Question& question, const Insight& insight) {
  const std::optional<Slot> slot = insight.view.pods.slot_of(question.name);
  if (!slot) return no_such_pod(question, insight);
  Answer answer{.about = question};
  const SeenPod seen{.slot = *slot, .pod = insight.view.pods.at(*slot), .insight = insight};
  add_past(insight, seen.object(), answer);
  const std::optional<Slot> node = insight.view.nodes.slot_of(seen.pod.node_name);
  if (node && insight.decisions.judges_nodes()) answer.heard = last_heard(*node, insight);
  add_standby(insight, answer.held);
  const bool by_taints = insight.decisions.policy().evict_by_taints;
  std::optional<Leaving> leaving = leaving_of(*slot, insight);
  if (seen.pod.finished || seen.pod.deleting) {
    answer.state = seen.pod.finished ? "finished" : "terminating";
    answer.is = seen.pod.finished ? "it has finished" : "it is being deleted";
    answer.rule = "pods that have finished, or go already, are left alone";
    answer.next.push_back({.what = "nothing"});
  } else if (leaving) {
    by_taints ? tell_taint_rule(seen, answer) : tell_timeout_rule(seen, answer);
    tell_leaving(seen, *std::move(leaving), answer);
  } else if (by_taints) {
    tell_staying(seen, answer);
  } else {
    tell_lost(seen, answer);
  }
  tell_readiness(seen, answer);
  return answer;
}

}  // namespace nlc::controller::why
