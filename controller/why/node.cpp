#include <algorithm>

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

/// Kubelets renew their leases every ten seconds.
constexpr Duration quiet_after = std::chrono::seconds(15);

/// A node that is there, with all that is looked up of it.
struct Seen {
  Slot slot;
  api::Node node;
  const Insight& insight;
  const NodeSummary& known;
  const NodeHeartbeats& heartbeats;

  Instant now() const { return insight.at.now; }
  AvailableTime available() const { return insight.server.availability().at(now()); }
  const Policy& policy() const { return insight.decisions.policy(); }
  const NodeRepair& repairs() const { return insight.decisions.nodes().repairs(); }
  bool tainted() const { return has_managed_no_execute(node); }
  bool waits() const { return repairs().queue().waits(slot); }
  bool is_unknown() const { return known.ready == api::ConditionStatus::Unknown; }
  /// The node has never said anything of itself.
  bool starts() const { return !heartbeats.last(slot).has_ready; }
  /// The operator wants nothing to be done about it.
  bool is_left_alone() const {
    return insight.decisions.operator_holds().pauses().pauses_all(slot);
  }
  std::string grace_flag() const {
    return starts() ? "--node-startup-grace-period" : "--node-monitor-grace-period";
  }
};

std::string ready_text(const Seen& seen, const std::string& since = {}) {
  const api::NodeCondition* ready = seen.node.condition(api::condition::ready);
  if (ready == nullptr) return "it has no Ready condition";
  std::string text = "Ready is " + std::string(name_of(ready->status));
  text += since;
  if (!ready->reason.empty()) text += " (" + ready->reason + ")";
  return text;
}

bool is_others_no_execute(const api::Taint& taint) {
  return taint.effect == api::effect::no_execute && !is_managed_no_execute(taint);
}

/// Of either effect; it leaves when the node is Ready again.
bool stands_for_not_ready(const api::Taint& taint) {
  return is_managed(taint) && (taint.key == taint::not_ready || taint.key == taint::unreachable);
}

/// Those of its taints that are such.
std::string names_of_taints(const api::Node& node, bool (*is_such)(const api::Taint&)) {
  std::string text;
  for (const api::Taint& taint : node.taints) {
    if (!is_such(taint)) continue;
    if (!text.empty()) text += ", ";
    text += taint.key + ":" + taint.effect;
  }
  return text;
}

/// Those that are taken off once it is well; without taint manager NoExecute is not.
std::string taints_that_go(const Seen& seen) {
  if (seen.insight.decisions.policy().evict_by_taints) {
    return names_of_taints(seen.node, stands_for_not_ready);
  }
  return names_of_taints(seen.node, [](const api::Taint& taint) {
    return stands_for_not_ready(taint) && taint.effect != api::effect::no_execute;
  });
}

// --- what it is ---------------------------------------------------------------------------------

void tell_left_alone(Answer& answer) {
  answer.next.push_back({.what = "it is not marked Unknown while it is paused"});
}

/// What comes next for a node that stays silent.
void tell_end_of_grace(const Seen& seen, bool is_doubted, Answer& answer) {
  Step judged{
      .what = "if no heartbeat comes, its Lease is read by quorum, and it is marked Unknown",
      .waits = false};
  // While nothing proves that the server takes writes no grace runs.
  const ApiAvailability& availability = seen.insight.server.availability();
  if (!availability.blind(seen.now())) {
    const Instant ends = availability.reaches(seen.heartbeats.grace_ends(seen.slot));
    const Instant when = judged_at(seen.slot, seen.insight);
    if (when > ends) add(unwatched_obstacles(seen.insight), answer.held);
    judged.in = until(when, seen.insight);
    if (is_doubted) judged.what += unless_held;
  }
  answer.next.push_back(std::move(judged));
}

void tell_alive(const Seen& seen, Answer& answer) {
  const bool quiet = answer.heard->ago > quiet_after;
  const bool ready = seen.known.ready == api::ConditionStatus::True;
  const std::string leaving = ready ? taints_that_go(seen) : "";
  answer.state = !leaving.empty() ? "recovering"
                 : quiet          ? "within_grace"
                 : ready          ? "healthy"
                                  : "starting";
  answer.is = ready_text(seen);
  if (quiet) answer.is += ", and it has been silent for " + in_words(answer.heard->ago);
  if (!leaving.empty()) answer.is += ", and it has " + leaving + " yet";
  answer.rule =
      "a node is judged once its heartbeats have stood still for longer than " + seen.grace_flag();
  if (!leaving.empty()) {
    answer.next.push_back({.what = "the taints " + leaving + " are taken off", .in = Duration{0}});
  }
  std::vector<Obstacle> doubts = judgement_obstacles(seen.insight);
  const bool is_doubted = !doubts.empty();
  add(std::move(doubts), answer.held);
  if (seen.is_left_alone()) return tell_left_alone(answer);
  tell_end_of_grace(seen, is_doubted, answer);
}

void tell_silent(const Seen& seen, Answer& answer) {
  const bool sure =
      seen.insight.decisions.nodes().health().is_silent_for_sure(seen.slot, seen.now());
  answer.state = sure ? "silent" : "suspected";
  answer.is = ready_text(seen) + ", but it has been silent for " + in_words(answer.heard->ago);
  answer.rule = "silent for longer than " + seen.grace_flag() +
                (sure ? ", and a quorum read showed its Lease unmoved"
                      : "; before it is judged a quorum read has to show its Lease unmoved");
  Coming marking = marking_of(seen.slot, "its", seen.insight);
  if (!seen.is_left_alone()) return add(std::move(marking), answer);
  add(std::move(marking.held), answer.held);
  tell_left_alone(answer);
}

// --- what becomes of a node that is not ready ---------------------------------------------------

/// As the first of its pods says it.
void tell_first_pod(LeavingPods pods, const Insight& insight, Answer& answer) {
  Leaving& first = pods.first->leaving;
  using How = Leaving::How;
  const std::string name = insight.view.pods.at(pods.first->slot).key();
  const bool on_its_way = first.how == How::UnderWay || first.how == How::Accepted;
  Step step{.what = counted(pods.leaving, "pod") + " of its " +
                    std::to_string(pods.leaving + pods.staying) + " leave, " + name + " first" +
                    first.unless,
            .in = first.deadline ? until(*first.deadline, insight) : Duration{0}};
  if (on_its_way) step = {.what = "pod " + name + ": " + first.step.what, .in = first.step.in};
  wait_for(first.held, step);
  add({.step = std::move(step), .held = std::move(first.held)}, answer);
}

void tell_pods(const Seen& seen, Answer& answer) {
  LeavingPods pods = leaving_pods(seen.node.name, seen.insight);
  if (pods.first) return tell_first_pod(std::move(pods), seen.insight, answer);
  const bool taints = seen.policy().evict_by_taints;
  answer.next.push_back({.what = pods.staying == 0
                                     ? "nothing: it has no pods"
                                     : "nothing: its " + std::to_string(pods.staying) + " pods " +
                                           (taints ? "tolerate its taints, or are leaving"
                                                   : "are leaving, or are left alone")});
}

/// For taints of others, or of a node that is gone, pods leave whatever is known of it.
void tell_pods_that_leave(const std::string& node, const Insight& insight, Answer& answer) {
  LeavingPods pods = leaving_pods(node, insight);
  // What is about to be taken off makes nobody leave.
  const bool recovers = answer.state == "recovering";
  if (!pods.first || (recovers && pods.first->leaving.conditional)) return;
  const std::optional<Slot> slot = insight.view.nodes.slot_of(node);
  const std::string others =
      slot ? names_of_taints(insight.view.nodes.at(*slot), is_others_no_execute) : std::string();
  if (!others.empty()) answer.is += ", and others gave it " + others;
  // What holds them holds nothing else of it.
  for (Step& step : answer.next) wait_for(answer.held, step);
  tell_first_pod(std::move(pods), insight, answer);
}

void tell_tainted(const Seen& seen, Answer& answer) {
  answer.state = "tainted";
  answer.is += ", and it has " + names_of_taints(seen.node, is_managed_no_execute);
  answer.rule = "pods leave when their tolerations of these taints run out";
  if (!seen.insight.decisions.evicts_by_taints()) return;
  tell_pods(seen, answer);
}

void tell_queued(const Seen& seen, Answer& answer) {
  const Zone& zone = *seen.known.zone;
  Turn turn = turn_of(seen.slot, seen.insight);
  answer.zone->place = turn.place;
  answer.state = "queued";
  answer.rule = zone_rule(zone, seen.insight);
  const std::string where = "place " + std::to_string(turn.place) + " of " +
                            std::to_string(zone.queue.size()) + " in the queue of zone " +
                            answer.zone->name;
  const bool is_due = turn.token_in && *turn.token_in <= Duration{0};
  answer.held.push_back(
      {.kind = turn.token_in ? "zone_queue" : "zone_stopped",
       .what = where + (turn.token_in ? ", at " + rate_in_words(zone.evictions.rate())
                                      : ", which is " + answer.zone->state + " and lets nobody go"),
       .ends_in = is_due ? std::nullopt : turn.token_in});
  const std::string key(outage_taint_key(seen.node));
  std::string what =
      seen.policy().evict_by_taints ? "it gets " + key + ":NoExecute" : "its pods begin to leave";
  if (!turn.token_in) what += ", once the state of its zone is another";
  add(std::move(turn).coming(std::move(what)), answer);
}

void tell_timeout(const Seen& seen, Answer& answer) {
  answer.rule = "its pods leave once it has not been ready for longer than --pod-eviction-timeout";
  if (seen.repairs().timeouts().is_evicting(seen.slot)) {
    answer.state = "evicting";
    tell_pods(seen, answer);
  } else if (std::optional<Coming> timeout = timeout_of(seen.slot, "it", seen.insight)) {
    add(*std::move(timeout), answer);
    if (waits_unless_paused(seen.slot, seen.insight)) answer.state = "paused";
  }
}

/// What was so before this process came it knows by the condition alone. Timeouts count from when
/// it came.
Duration not_ready_for(const Seen& seen) {
  const Duration seen_for = seen.available() - seen.known.ready_changed;
  const api::NodeCondition* ready = seen.node.condition(api::condition::ready);
  const bool is_older = !seen.known.saw_ready_change && seen.policy().evict_by_taints &&
                        ready != nullptr && ready->last_transition;
  return is_older ? std::max(seen_for, age_of(*ready->last_transition, seen.insight.at)) : seen_for;
}

void tell_not_ready(const Seen& seen, Answer& answer) {
  answer.state = seen.is_unknown() ? "unknown" : "not_ready";
  answer.since = not_ready_for(seen);
  answer.is = ready_text(seen, " for " + in_words(*answer.since));
  if (seen.waits()) return tell_queued(seen, answer);
  if (!seen.policy().evict_by_taints) return tell_timeout(seen, answer);
  if (seen.tainted()) return tell_tainted(seen, answer);
  answer.rule = "a node that is not ready waits for a NoExecute taint";
  const bool paused = waits_unless_paused(seen.slot, seen.insight);
  if (paused) answer.state = "paused";
  if (!paused && seen.repairs().writes().in_flight(seen.slot, NodePart::Spec)) {
    answer.next.push_back({.what = "the write of its taints is answered"});
    return;
  }
  answer.next.push_back({.what = "it takes its place in the queue of its zone", .in = Duration{0}});
}

// --- what holds it back -------------------------------------------------------------------------

void add_settings(const Seen& seen, Answer& answer) {
  if (seen.waits()) {
    answer.settings = zone_settings(seen.insight);
    return;
  }
  if (!seen.policy().evict_by_taints) {
    answer.settings.emplace_back("pod-eviction-timeout",
                                 go_duration(seen.policy().pod_eviction_timeout));
  }
  answer.settings.emplace_back(
      seen.grace_flag().substr(2),
      go_duration(seen.starts() ? seen.policy().startup_grace : seen.policy().monitor_grace));
  answer.settings.emplace_back("node-monitor-period", go_duration(seen.policy().monitor_period));
}

// --- names that are not there -------------------------------------------------------------------

Answer no_such_node(const Question& question, const Insight& insight) {
  Answer answer{.about = question, .known = false};
  answer.state = "absent";
  answer.is = "there is no such node";
  const std::size_t pods = insight.view.pods_by_node.with(question.name).size();
  if (pods > 0) answer.is += "; " + std::to_string(pods) + " pods are bound to that name";
  const std::optional<api::NodeLease> lease = insight.view.leases.find(question.name);
  if (lease) answer.is += "; its Lease is there yet";
  tell_pods_that_leave(question.name, insight, answer);
  add_past(insight, History::of_node(question.name), answer);
  if (!answer.past.empty()) answer.is += "; it was there, and this is what is remembered";
  answer.near = near_names(question.name, [&](const auto& visit) {
    insight.view.nodes.each_slot([&](Slot slot) { visit(insight.view.nodes.name_at(slot)); });
  });
  return answer;
}

void tell_judged(const Seen& seen, Answer& answer) {
  answer.heard = last_heard(seen.slot, seen.insight);
  answer.zone = pace_of(*seen.known.zone);
  add_standby(seen.insight, answer.held);
  add(pause_obstacles(seen.slot, seen.insight), answer.held);
  if (is_unmarked(seen.slot, seen.insight)) {
    tell_silent(seen, answer);
  } else if (seen.known.ready == api::ConditionStatus::True || seen.starts()) {
    tell_alive(seen, answer);
  } else {
    tell_not_ready(seen, answer);
  }
  add(write_obstacles(seen.slot, seen.insight), answer.held);
  const bool told = answer.state == "tainted" || answer.state == "evicting";
  if (!told) tell_pods_that_leave(seen.node.name, seen.insight, answer);
  add_settings(seen, answer);
  if (seen.insight.leading) return;
  for (Step& step : answer.next) step.what += " (by the leader)";
}

}  // namespace

Answer explain_node(const Question& question, const Insight& insight) {
  const std::optional<Slot> slot = insight.view.nodes.slot_of(question.name);
  if (!slot) return no_such_node(question, insight);
  Answer answer{.about = question};
  add_past(insight, History::of_node(question.name), answer);
  if (!insight.decisions.judges_nodes()) {
    answer.state = "not_judged";
    answer.is = "nodes are not judged here";
    answer.rule = "--controllers switches node-lifecycle-controller off";
    tell_pods_that_leave(question.name, insight, answer);
    return answer;
  }
  const NodeHealth& health = insight.decisions.nodes().health();
  const Seen seen{.slot = *slot,
                  .node = insight.view.nodes.at(*slot),
                  .insight = insight,
                  .known = health.summary(*slot),
                  .heartbeats = health.heartbeats()};
  tell_judged(seen, answer);
  return answer;
}

}  // namespace nlc::controller::why
