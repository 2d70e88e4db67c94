#include <algorithm>
#include <optional>

#include "controller/why/leaving.h"
#include "controller/why/obstacles.h"
#include "controller/why/timeouts.h"
#include "controller/why/turns.h"
#include "controller/why/wording.h"

namespace nlc::controller::why {
namespace {

/// The zones that a name may mean: all of it, or either of its halves.
std::vector<const Zone*> zones_named(const std::string& name, const Insight& insight) {
  const std::string asked = spelled_zone(name);
  std::vector<const Zone*> partly;
  for (const auto& [key, zone] : insight.decisions.nodes().zones().all()) {
    const std::string known = zone_name(key);
    if (known == asked) return {&zone};
    const std::size_t slash = known.find('/');
    if (slash == std::string::npos || asked == "-") continue;
    if (known.substr(0, slash) == asked || known.substr(slash + 1) == asked) {
      partly.push_back(&zone);
    }
  }
  return partly;
}

Answer no_such_zone(const Question& question, const std::vector<const Zone*>& meant,
                    const Insight& insight) {
  Answer answer{.about = question, .known = false};
  answer.state = meant.empty() ? "absent" : "ambiguous";
  answer.is = meant.empty() ? "there is no such zone"
                            : std::to_string(meant.size()) + " zones go by that name";
  for (const Zone* zone : meant) answer.near.push_back(zone_name(zone->key));
  if (!meant.empty()) return answer;
  const auto& zones = insight.decisions.nodes().zones().all();
  answer.near = near_names(question.name, [&](const auto& visit) {
    for (const auto& [key, zone] : zones) visit(zone_name(key));
  });
  for (auto zone = zones.begin(); zone != zones.end() && answer.near.empty(); ++zone) {
    answer.near.push_back(zone_name(zone->first));
  }
  return answer;
}

/// Nodes of a zone that are not in its queue yet, and would be.
struct Unqueued {
  std::size_t unmarked = 0;  ///< counted as not ready, and their conditions do not say so yet
  std::size_t nodes = 0;     ///< these, and those that wait for the end of a pause
  std::optional<Slot> first;
};

Unqueued unqueued_of(const Zone& zone, const Insight& insight) {
  const NodeHealth& health = insight.decisions.nodes().health();
  Unqueued found;
  insight.view.nodes.each_slot([&](Slot node) {
    const NodeSummary& known = health.summary(node);
    const bool ready = known.ready == api::ConditionStatus::True;
    if (known.zone != &zone || (ready && !known.silent)) return;
    if (ready && !known.excluded) ++found.unmarked;
    const bool waits =
        ready ? insight.decisions.policy().evict_by_taints : waits_unless_paused(node, insight);
    if (!waits) return;
    if (found.nodes++ == 0) found.first = node;
  });
  return found;
}

std::string ready_in_words(const Zone& zone, std::size_t unmarked) {
  const std::string counts =
      std::to_string(zone.count.ready) + " of " + std::to_string(zone.count.size()) + " nodes ";
  if (unmarked == 0) return counts + "are ready";
  return counts + "count as ready: " + std::to_string(unmarked) + (unmarked == 1 ? " is" : " are") +
         " silent and not marked Unknown";
}

std::string zone_in_words(const Zone& zone, std::size_t unmarked, const Insight& insight) {
  std::string is = ready_in_words(zone, unmarked) + "; " + counted(zone.queue.size(), "node") +
                   " in the queue " + std::string(awaited(insight)) + ", at " +
                   rate_in_words(zone.evictions.rate());
  if (zone.members > zone.count.size()) {
    is += " (" + std::to_string(zone.members - zone.count.size()) + " are not counted)";
  }
  return is;
}

/// What comes for all of them, and what keeps the first of them from it.
Coming unqueued_step(const Unqueued& unqueued, const Insight& insight) {
  Coming coming{.step = {.what = counted(unqueued.nodes, "node") +
                                 (unqueued.nodes == 1 ? " takes its place" : " take their places") +
                                 " in the queue",
                         .in = Duration{0}},
                .held = pause_obstacles(*unqueued.first, insight)};
  add(judgement_obstacles(insight), coming.held);
  add(write_obstacles(*unqueued.first, insight), coming.held);
  add_standby(insight, coming.held);
  wait_for(coming.held, coming.step);
  return coming;
}

/// The first of its nodes in the queue, those that are not there yet, and what was held of pods.
void tell_next(const Zone& zone, const Unqueued& unqueued, const Insight& insight, Answer& answer) {
  if (!zone.queue.empty()) add(first_turn(zone, {}, insight), answer);
  if (unqueued.first) add(unqueued_step(unqueued, insight), answer);
  if (std::optional<Coming> timeout = first_timeout(&zone, insight)) {
    add(*std::move(timeout), answer);
  }
  if (std::optional<LeavingPod> pod = held_pod_of(zone, insight)) {
    const api::Pod seen = insight.view.pods.at(pod->slot);
    Step step{.what = "pod " + seen.key() + " of node " + seen.node_name + " is deleted",
              .in = Duration{0}};
    wait_for(pod->leaving.held, step);
    add({.step = std::move(step), .held = std::move(pod->leaving.held)}, answer);
  }
  if (answer.next.empty()) answer.next.push_back({.what = "nothing: nobody waits"});
}

Answer not_judged(const Question& question) {
  Answer answer{.about = question};
  answer.state = "not_judged";
  answer.is = "zones are not counted here, for nodes are not judged";
  answer.rule = "--controllers switches node-lifecycle-controller off";
  return answer;
}

}  // namespace

Answer explain_zone(const Question& question, const Insight& insight) {
  if (!insight.decisions.judges_nodes()) return not_judged(question);
  const std::vector<const Zone*> meant = zones_named(question.name, insight);
  if (meant.size() != 1) return no_such_zone(question, meant, insight);
  const Zone& zone = *meant.front();
  Answer answer{.about = question};
  answer.about.name = zone_name(zone.key);
  add_past(insight, History::of_zone(zone.key), answer);
  const auto changed = std::ranges::find_if(
      answer.past, [](const Past& past) { return past.action == Action::ZoneChanged; });
  if (changed != answer.past.end()) answer.since = changed->ago;
  answer.zone = pace_of(zone);
  answer.state = answer.zone->state;
  const Unqueued unqueued = unqueued_of(zone, insight);
  answer.is = zone_in_words(zone, unqueued.unmarked, insight);
  answer.rule = zone_rule(zone, insight);
  answer.settings = zone_settings(insight);
  add_standby(insight, answer.held);
  add(zone_pause_obstacles(answer.zone->name, insight), answer.held);
  add(doubts_of_nodes(insight), answer.held);
  tell_next(zone, unqueued, insight, answer);
  if (zone.evictions.rate() <= 0) {
    answer.held.push_back(
        {.kind = "zone_stopped", .what = "at this state the zone lets nobody go"});
  }
  const bool in_disruption =
      insight.decisions.operator_holds().in_force().policy().hold_in_disruption &&
      zone.is_disrupted();
  if (in_disruption) add({zone_disrupted()}, answer.held);
  return answer;
}

}  // namespace nlc::controller::why
