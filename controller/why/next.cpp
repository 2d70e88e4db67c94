#include <algorithm>

#include "controller/why/leaving.h"
#include "controller/why/obstacles.h"
#include "controller/why/timeouts.h"
#include "controller/why/turns.h"
#include "controller/why/wording.h"

namespace nlc::controller::why {
namespace {

constexpr std::size_t steps_max = 5;
/// So many pods are asked about: the first may be held, and others not.
constexpr std::size_t pods_max = 20;

/// Evictions that come, and what holds them.
struct Evictions {
  std::vector<Step> steps;
  std::vector<Obstacle> held;
  bool all_held = true;  ///< by something whose end nobody knows

  void add(Coming coming) {
    all_held = all_held && !coming.step.in;
    steps.push_back(std::move(coming.step));
    why::add(std::move(coming.held), held);
  }
};

/// The first of each zone's queue.
void add_turns(const Insight& insight, Evictions& evictions) {
  for (const auto& [key, zone] : insight.decisions.nodes().zones().all()) {
    if (zone.queue.empty() || zone.evictions.rate() <= 0) continue;
    const std::string place =
        ", the first of " + std::to_string(zone.queue.size()) + " in zone " + zone_name(key);
    evictions.add(first_turn(zone, place, insight));
  }
}

/// Each as its own answer has it.
void add_evictions(const PendingWrites& pending, const Insight& insight, Evictions& evictions) {
  pending.each_upcoming(pods_max, [&](Slot slot, Instant) {
    if (!insight.view.pods.holds(slot)) return;
    std::optional<Leaving> leaving = leaving_of(slot, insight);
    if (!leaving) return;
    const std::string pod = "pod " + insight.view.pods.at(slot).key();
    Step step = leaving->step;
    if (leaving->how == Leaving::How::Accepted) {
      step.what = "if the deletion of " + pod + " still does not show, it is asked for again";
    } else {
      step = {.what = pod + " is evicted" + leaving->unless,
              .in = leaving->deadline ? until(*leaving->deadline, insight) : Duration{0}};
      wait_for(leaving->held, step);
    }
    evictions.add({.step = std::move(step), .held = std::move(leaving->held)});
  });
}

void add_marks(const Insight& insight, std::vector<Step>& steps) {
  const auto visit = [&](Slot slot, Instant when) {
    if (!insight.view.pods.holds(slot)) return;
    const api::Pod pod = insight.view.pods.at(slot);
    const std::vector<Obstacle> held = marking_obstacles(pod.node_name, insight);
    steps.push_back(
        {.what = "pod " + pod.key() + " is marked NotReady", .in = until(when, insight)});
    wait_for(held, steps.back());
  };
  insight.decisions.pod_readiness().pending().each_upcoming(steps_max, visit);
}

/// Of all nodes that could be judged, the one that is the first. Whose grace is over is asked
/// about, unless nobody is judged for now.
void add_grace(const Insight& insight, std::vector<Step>& steps) {
  if (!insight.decisions.judges_nodes()) return;
  if (insight.server.availability().blind(insight.at.now)) return;
  const NodeHealth& health = insight.decisions.nodes().health();
  const bool nobody_yet = insight.server.gap_unsettled(insight.at.now);
  std::optional<std::pair<Instant, Slot>> first;
  insight.view.nodes.each_slot([&](Slot slot) {
    const NodeSummary& known = health.summary(slot);
    const bool judged = known.ready == api::ConditionStatus::Unknown;
    if (judged || !(nobody_yet || health.heartbeats().in_grace(slot, insight.at.now))) return;
    if (insight.decisions.operator_holds().pauses().pauses_all(slot)) return;
    const std::pair<Instant, Slot> end{judged_at(slot, insight), slot};
    first = std::min(first.value_or(end), end);
  });
  if (!first) return;
  steps.push_back({.what = "if node " + std::string(insight.view.nodes.name_at(first->second)) +
                           " stays silent, its Lease is read",
                   .in = until(first->first, insight),
                   .waits = false});
  if (!judgement_obstacles(insight).empty()) steps.back().what += unless_held;
}

void add_retries(const Insight& insight, std::vector<Step>& steps) {
  const std::optional<Instant> retry = insight.decisions.nodes().repairs().writes().next_retry();
  if (!retry) return;
  steps.push_back({.what = "a node is looked at again that could not be written, or gathers with "
                           "others",
                   .in = until(*retry, insight)});
  std::vector<Obstacle> held = judgement_obstacles(insight);
  add_standby(insight, held);
  wait_for(held, steps.back());
}

std::string summary(const Insight& insight) {
  std::size_t waiting = 0;
  for (const auto& [key, zone] : insight.decisions.nodes().zones().all()) {
    waiting += zone.queue.size();
  }
  return counted(insight.view.nodes.size(), "node") + " in " +
         counted(insight.decisions.nodes().zones().all().size(), "zone") + "; in the queues " +
         std::string(awaited(insight)) + ": " + counted(waiting, "node") +
         "; timers of evictions: " +
         std::to_string(insight.decisions.taint_eviction().pending().waiting());
}

/// Words of the operator's that cannot be read, where others of his count and hold nobody.
std::string trouble_of_policy(const Insight& insight) {
  const std::string trouble = insight.decisions.operator_holds().in_force().trouble();
  return trouble.empty() ? trouble : "the operator's ConfigMap: " + trouble;
}

}  // namespace

Answer explain_next(const Question& question, const Insight& insight) {
  Answer answer{.about = question};
  add_standby(insight, answer.held);
  const PodDue of_no_node{.since = insight.at.now};
  add(holds_beside_doubts(of_no_node, insight), answer.held);
  add(eviction_obstacles(insight), answer.held);
  answer.is = summary(insight);
  const bool told = std::ranges::any_of(
      answer.held, [](const Obstacle& held) { return held.kind == "policy_unread"; });
  if (!told) answer.rule = trouble_of_policy(insight);
  Evictions evictions;
  add_turns(insight, evictions);
  if (std::optional<Coming> timeout = first_timeout(nullptr, insight)) {
    evictions.add(*std::move(timeout));
  }
  add_evictions(insight.decisions.taint_eviction().pending(), insight, evictions);
  add_evictions(insight.decisions.timeout_eviction().pending(), insight, evictions);
  if (!evictions.steps.empty() && evictions.all_held) {
    add(std::move(evictions.held), answer.held);
  }
  answer.state = !insight.leading ? "standby" : answer.held.empty() ? "at_work" : "held";
  answer.next = std::move(evictions.steps);
  add_marks(insight, answer.next);
  add_grace(insight, answer.next);
  add_retries(insight, answer.next);
  std::ranges::stable_sort(answer.next, {},
                           [](const Step& step) { return step.in.value_or(Duration::max()); });
  if (answer.next.size() > steps_max) answer.next.resize(steps_max);
  if (answer.next.empty()) answer.next.push_back({.what = "nothing"});
  add_past(insight, {}, answer);
  return answer;
}

}  // namespace nlc::controller::why
