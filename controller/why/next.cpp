#include <algorithm>

#include "controller/why/parts.h"

namespace nlc::controller::why {
namespace {

constexpr std::size_t steps_max = 5;

/// The first of each zone's queue.
void add_tokens(const Insight& insight, std::vector<Step>& steps) {
  for (const auto& [key, zone] : insight.decisions.nodes().zones().all()) {
    if (zone.queue.empty()) continue;
    const std::optional<Instant> token = zone.evictions.next_token();
    if (!token || zone.evictions.rate() <= 0) continue;
    steps.push_back({.what = "node " +
                             std::string(insight.view.nodes.name_at(zone.queue.begin()->second)) +
                             " gets its NoExecute taint, the first of " +
                             std::to_string(zone.queue.size()) + " in zone " + zone_name(key),
                     .in = until(*token, insight)});
  }
}

void add_pods(const PendingWrites& pending, const std::string& what, const Insight& insight,
              std::vector<Step>& steps) {
  pending.each_upcoming(steps_max, [&](Slot slot, Instant when) {
    if (!insight.view.pods.holds(slot)) return;
    steps.push_back(
        {.what = "pod " + insight.view.pods.at(slot).key() + what, .in = until(when, insight)});
  });
}

/// Of all nodes that could be judged, the one whose grace ends first.
void add_grace(const Insight& insight, std::vector<Step>& steps) {
  if (!insight.decisions.judges_nodes()) return;
  const ApiAvailability& availability = insight.server.availability();
  if (availability.blind(insight.at.now)) return;
  const NodeHealth& health = insight.decisions.nodes().health();
  std::optional<std::pair<AvailableTime, Slot>> first;
  insight.view.nodes.each_slot([&](Slot slot) {
    const NodeSummary& known = health.summary(slot);
    const bool judged = known.ready == api::ConditionStatus::Unknown;
    if (judged || !health.heartbeats().in_grace(slot, insight.at.now)) return;
    if (insight.decisions.eviction_holds().pauses().pauses_all(slot)) return;
    const std::pair<AvailableTime, Slot> end{health.heartbeats().grace_ends(slot), slot};
    first = std::min(first.value_or(end), end);
  });
  if (!first) return;
  steps.push_back({.what = "if node " + std::string(insight.view.nodes.name_at(first->second)) +
                           " stays silent, its Lease is read",
                   .in = until(availability.reaches(first->first), insight),
                   .waits = false});
}

void add_retries(const Insight& insight, std::vector<Step>& steps) {
  const std::optional<Instant> retry = insight.decisions.nodes().repairs().writes().next_retry();
  if (!retry) return;
  steps.push_back({.what = "a node is looked at again that could not be written, or gathers with "
                           "others",
                   .in = until(*retry, insight)});
}

std::string summary(const Insight& insight) {
  std::size_t waiting = 0;
  for (const auto& [key, zone] : insight.decisions.nodes().zones().all()) {
    waiting += zone.queue.size();
  }
  return counted(insight.view.nodes.size(), "node") + " in " +
         counted(insight.decisions.nodes().zones().all().size(), "zone") +
         "; in the queues for a " + "NoExecute taint: " + counted(waiting, "node") +
         "; timers of evictions: " +
         std::to_string(insight.decisions.taint_eviction().pending().waiting());
}

}  // namespace

Answer explain_next(const Question& question, const Insight& insight) {
  Answer answer{.about = question};
  add_standby(insight, answer.held);
  const PodDue of_no_node{.node = {}, .since = insight.at.now};
  for (Obstacle& obstacle : holds_beside_doubts(of_no_node, insight)) {
    answer.held.push_back(std::move(obstacle));
  }
  for (Obstacle& obstacle : eviction_obstacles(insight)) answer.held.push_back(std::move(obstacle));
  answer.state = !insight.leading ? "standby" : answer.held.empty() ? "at_work" : "held";
  answer.is = summary(insight);
  add_tokens(insight, answer.next);
  const std::string evicted = insight.decisions.eviction_holds().lets_wait()
                                  ? " is evicted, if it is its turn then"
                                  : " is evicted";
  add_pods(insight.decisions.taint_eviction().pending(), evicted, insight, answer.next);
  add_pods(insight.decisions.timeout_eviction().pending(), evicted, insight, answer.next);
  add_pods(insight.decisions.pod_readiness().pending(), " is marked NotReady", insight,
           answer.next);
  add_grace(insight, answer.next);
  add_retries(insight, answer.next);
  std::ranges::stable_sort(answer.next, {},
                           [](const Step& step) { return step.in.value_or(Duration::max()); });
  if (answer.next.size() > steps_max) answer.next.resize(steps_max);
  if (answer.next.empty()) answer.next.push_back({.what = "nothing", .in = {}});
  add_past(insight, {}, answer);
  return answer;
}

}  // namespace nlc::controller::why
