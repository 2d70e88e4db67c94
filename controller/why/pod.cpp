#include <algorithm>
#include <array>

#include "controller/rules/conditions.h"
#include "controller/rules/taints.h"
#include "controller/why/parts.h"
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
void tell_rule(const SeenPod& seen, const TaintEviction::Due& due, Answer& answer) {
  const TaintEviction& eviction = seen.decisions().taint_eviction();
  const std::vector<SeenTaint>* taints = eviction.taints().of(seen.pod.node_name);
  if (taints == nullptr) {
    answer.rule = "its node is gone: what was counting when it went still counts";
    return;
  }
  const Instant came = due.came.value_or(Instant::min());
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
  answer.since = seen.now() - (*due.deadline - tolerated);
  answer.rule =
      "node " + seen.pod.node_name + " has " + first->taint.key + ":NoExecute, which the pod ";
  answer.rule += tolerated <= Duration{0} ? "does not tolerate"
                                          : "tolerates for " + go_duration(tolerated) +
                                                "; that counts for " + in_words(*answer.since);
}

/// It does not leave unless its node, as the server has it then, agrees.
bool is_conditional(const SeenPod& seen, const TaintEviction::Due& due) {
  return !due.unconditional || std::max(seen.now(), *due.deadline) < *due.unconditional;
}

/// What keeps a pod, whatever it leaves for. False: nothing does.
bool add_holds(const SeenPod& seen, std::optional<Instant> since, bool conditional,
               Answer& answer) {
  const PodDue pod{.node = seen.pod.node_name, .since = since.value_or(Instant::min())};
  std::vector<Obstacle> holds =
      conditional ? holds_beside_doubts(pod, seen.insight) : hold_obstacles(pod, seen.insight);
  for (Obstacle& obstacle : holds) answer.held.push_back(std::move(obstacle));
  return !holds.empty();
}

/// What keeps a pod that is due, or will be, for what is known of its node.
void add_pod_obstacles(const SeenPod& seen, Answer& answer) {
  for (Obstacle& obstacle : eviction_obstacles(seen.insight)) {
    answer.held.push_back(std::move(obstacle));
  }
  const auto read = seen.decisions().node_reads().progress(seen.pod.node_name, seen.now());
  if (!read || (!read->failed && !read->in_flight)) return;
  Obstacle unread{.kind = read->failed ? "node_unread" : "node_read",
                  .what = "node " + seen.pod.node_name + " is read first",
                  .ends_in = {}};
  if (read->failed)
    unread.what += ", and that fails: " + seen.decisions().node_reads().last_failure();
  if (read->retry_at) unread.ends_in = until(*read->retry_at, seen.insight);
  answer.held.push_back(std::move(unread));
}

void add_refusal(const SeenPod& seen, const PendingWrites::Progress& write, Action action,
                 Answer& answer) {
  if (!write.failed || !write.retry_at) return;
  answer.held.push_back({.kind = "back_off",
                         .what = last_words(seen.insight, seen.object(), action),
                         .ends_in = until(*write.retry_at, seen.insight)});
}

Action last_step(const SeenPod& seen) {
  const PastAction* marked =
      seen.insight.history.last_refusal(seen.object(), Action::MarkForDeletion);
  const PastAction* deleted = seen.insight.history.last_refusal(seen.object(), Action::DeletePod);
  return deleted == nullptr && marked != nullptr ? Action::MarkForDeletion : Action::DeletePod;
}

/// It is due, or on its way out.
void tell_leaving(const SeenPod& seen, const PendingWrites::Progress& write,
                  std::optional<Instant> since, bool conditional, Answer& answer) {
  if (write.in_flight) {
    answer.state = "evicting";
    answer.is = "its eviction is under way";
    answer.next.push_back({.what = "the API server answers", .in = {}});
    return;
  }
  if (write.accepted) {
    answer.state = "accepted";
    answer.is = "its deletion was accepted and does not show yet";
    answer.next.push_back({.what = "if it still does not show, it is asked for again",
                           .in = until(write.due, seen.insight)});
    return;
  }
  answer.state = "due";
  answer.is = "it is to leave node " + seen.pod.node_name;
  add_holds(seen, since, conditional, answer);
  if (conditional) add_pod_obstacles(seen, answer);
  add_refusal(seen, write, last_step(seen), answer);
  answer.next.push_back({.what = "it is deleted", .in = Duration{0}});
}

void tell_timer(const SeenPod& seen, const TaintEviction::Due& due, Answer& answer) {
  tell_rule(seen, due, answer);
  const auto write = seen.decisions().taint_eviction().pending().progress(seen.slot, seen.now());
  const bool conditional = is_conditional(seen, due);
  if (write && (write->in_flight || write->accepted || *due.deadline <= seen.now())) {
    return tell_leaving(seen, *write, due.deadline, conditional, answer);
  }
  answer.state = "counting";
  answer.is = "it may stay on node " + seen.pod.node_name + " for another " +
              in_words(*due.deadline - seen.now());
  const bool held = add_holds(seen, due.deadline, conditional, answer);
  if (conditional) add_pod_obstacles(seen, answer);
  answer.next.push_back(
      {.what = std::string("it is deleted") + (held ? ", unless that is held then" : "") +
               (conditional
                    ? ", if node " + seen.pod.node_name + ", read by quorum, still has the taint"
                    : ""),
       .in = until(*due.deadline, seen.insight)});
}

bool waits_for_taint(const SeenPod& seen) {
  if (!seen.decisions().judges_nodes()) return false;
  const std::optional<Slot> node = seen.insight.view.nodes.slot_of(seen.pod.node_name);
  return node && seen.decisions().nodes().repairs().queue().waits(*node);
}

void tell_staying(const SeenPod& seen, Answer& answer) {
  answer.state = "stays";
  answer.is = "it stays on node " + seen.pod.node_name;
  if (seen.pod.node_name.empty()) answer.is = "it is bound to no node yet";
  if (!seen.decisions().evicts_by_taints()) {
    answer.rule = "taint-eviction-controller is switched off by --controllers: another evicts pods";
  } else {
    const auto* taints = seen.decisions().taint_eviction().taints().of(seen.pod.node_name);
    answer.rule = taints == nullptr ? "its node has no NoExecute taint by which it would leave"
                                    : "it tolerates all NoExecute taints of its node for ever";
    if (taints == nullptr && waits_for_taint(seen)) {
      answer.rule = "its node waits for a NoExecute taint in the queue of its zone";
      answer.next.push_back({.what = "node " + seen.pod.node_name +
                                     " gets its taint, and what the pod tolerates counts from then",
                             .in = {}});
      return;
    }
  }
  answer.next.push_back({.what = "nothing", .in = {}});
}

void tell_lost(const SeenPod& seen, Answer& answer) {
  answer.settings.emplace_back("pod-eviction-timeout",
                               go_duration(seen.decisions().policy().pod_eviction_timeout));
  answer.rule = "pods leave a node that has not been ready for longer than --pod-eviction-timeout";
  const auto write = seen.decisions().timeout_eviction().pending().progress(seen.slot, seen.now());
  if (write && write->wanted) return tell_leaving(seen, *write, {}, true, answer);
  answer.state = "stays";
  answer.is = "it stays on node " + seen.pod.node_name;
  answer.next.push_back({.what = "nothing before its node's pods are evicted", .in = {}});
}

/// Services are told of it apart from its eviction.
void tell_readiness(const SeenPod& seen, Answer& answer) {
  const auto write = seen.decisions().pod_readiness().pending().progress(seen.slot, seen.now());
  if (!write || !write->wanted) return;
  const std::optional<Slot> node = seen.insight.view.nodes.slot_of(seen.pod.node_name);
  if (node && seen.decisions().eviction_holds().pauses().pauses_all(*node)) return;
  answer.next.insert(answer.next.begin(),
                     {.what = "it is marked NotReady, for its node is silent",
                      .in = write->retry_at ? until(*write->retry_at, seen.insight) : Duration{0}});
  add_refusal(seen, *write, Action::MarkPodNotReady, answer);
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
    answer.is += " any more; it went without a deletion of ours";
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
  const auto due = insight.decisions.taint_eviction().due_of(*slot);
  if (seen.pod.finished || seen.pod.deleting) {
    answer.state = seen.pod.finished ? "finished" : "terminating";
    answer.is = seen.pod.finished ? "it has finished" : "it is being deleted";
    answer.rule = "pods that have finished, or go already, are left alone";
    answer.next.push_back({.what = "nothing", .in = {}});
  } else if (due && due->deadline) {
    tell_timer(seen, *due, answer);
  } else if (insight.decisions.policy().evict_by_taints) {
    tell_staying(seen, answer);
  } else {
    tell_lost(seen, answer);
  }
  tell_readiness(seen, answer);
  return answer;
}

}  // namespace nlc::controller::why
