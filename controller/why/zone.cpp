#include <algorithm>

#include "controller/why/parts.h"

namespace nlc::controller::why {
namespace {

/// The zones that a name may mean: all of it, or either of its halves.
std::vector<const Zone*> zones_named(const std::string& name, const Insight& insight) {
  std::vector<const Zone*> partly;
  for (const auto& [key, zone] : insight.decisions.nodes().zones().all()) {
    const std::string known = zone_name(key);
    if (known == name) return {&zone};
    const std::size_t slash = known.find('/');
    if (slash == std::string::npos) continue;
    if (known.substr(0, slash) == name || known.substr(slash + 1) == name) partly.push_back(&zone);
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

std::string zone_in_words(const Zone& zone) {
  std::string is = std::to_string(zone.count.ready) + " of " + std::to_string(zone.count.size()) +
                   " nodes are ready; " + counted(zone.queue.size(), "node") +
                   " in the queue for a NoExecute taint, at " +
                   rate_in_words(zone.evictions.rate());
  if (zone.members > zone.count.size()) {
    is += " (" + std::to_string(zone.members - zone.count.size()) + " are not counted)";
  }
  return is;
}

Step next_of(const Zone& zone, const Insight& insight) {
  if (zone.queue.empty()) return {.what = "nothing: nobody waits", .in = {}};
  Step step{.what = "node " + std::string(insight.view.nodes.name_at(zone.queue.begin()->second)) +
                    " gets its NoExecute taint" +
                    (zone.evictions.rate() > 0 ? "" : ", once the zone's state is another"),
            .in = {}};
  if (const auto token = zone.evictions.next_token()) step.in = until(*token, insight);
  return step;
}

}  // namespace

Answer explain_zone(const Question& question, const Insight& insight) {
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
  answer.is = zone_in_words(zone);
  answer.rule = zone_rule(zone, insight);
  answer.settings = zone_settings(insight);
  add_standby(insight, answer.held);
  for (Obstacle& obstacle : zone_pause_obstacles(answer.zone->name, insight)) {
    answer.held.push_back(std::move(obstacle));
  }
  for (Obstacle& obstacle : judgement_obstacles(insight)) {
    answer.held.push_back(std::move(obstacle));
  }
  if (zone.evictions.rate() <= 0) {
    answer.held.push_back(
        {.kind = "zone_stopped", .what = "at this state the zone lets nobody go", .ends_in = {}});
  }
  answer.next.push_back(next_of(zone, insight));
  return answer;
}

}  // namespace nlc::controller::why
