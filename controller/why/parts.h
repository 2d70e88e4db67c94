#pragma once

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "controller/insight.h"
#include "controller/why/answer.h"

/// Private to this folder and `live`: what answers of several kinds have in common.
namespace nlc::controller::why {

Answer explain_node(const Question& question, const Insight& insight);
Answer explain_pod(const Question& question, const Insight& insight);
Answer explain_zone(const Question& question, const Insight& insight);
Answer explain_next(const Question& question, const Insight& insight);

/// As flags have it, the longest time that is told in hours.
inline constexpr Duration ten_years = std::chrono::hours(87'600);
/// "1m12s", "3.2s", "ten years or more": exact enough to be read.
std::string in_words(Duration duration);
/// "1 pod", "2 pods".
std::string counted(std::size_t count, const std::string& one);
/// "0.1 nodes/s".
std::string rate_in_words(double nodes_per_second);
/// What the history calls by `object`, as people write it.
std::string shown(const std::string& object);
/// The time until then, no less than nothing.
Duration until(Instant when, const Insight& insight);

/// Behind what comes at its time, if nothing that holds it now goes on until then.
inline constexpr std::string_view unless_held = ", unless that is held then";

/// Why a zone evicts at that pace, by the flags that say so.
std::string zone_rule(const Zone& zone, const Insight& insight);
std::vector<Setting> zone_settings(const Insight& insight);
ZonePace pace_of(const Zone& zone);
nlohmann::ordered_json json_of(const ZonePace& zone);

/// What comes next, and what holds it back.
struct Coming {
  Step step;
  std::vector<Obstacle> held;
};
/// Those that are not there yet.
void add(std::vector<Obstacle> more, std::vector<Obstacle>& held);
void add(Coming coming, Answer& answer);
/// When all of that is over it comes, no sooner: what is due and held by something whose end nobody
/// knows has no time.
void wait_for(const std::vector<Obstacle>& held, Step& step);
/// The same of a step whose time runs for nobody while something holds it.
void stand_behind(const std::vector<Obstacle>& held, Step& step);

/// Why no silent node is judged at all.
std::vector<Obstacle> judgement_obstacles(const Insight& insight);
/// Why none is for now, though the server can be believed: whoever lives may not have been heard.
std::vector<Obstacle> unwatched_obstacles(const Insight& insight);
/// When a node that stays silent is judged, unless the server is in doubt.
Instant judged_at(Slot node, const Insight& insight);
/// Why no node gets its turn, in whatever zone.
std::vector<Obstacle> doubts_of_nodes(const Insight& insight);
/// A node that is Unknown lives until then: a heartbeat came.
std::vector<Obstacle> life_obstacles(Instant lives, const Insight& insight);
/// Why no pod leaves for what is known of its node.
std::vector<Obstacle> eviction_obstacles(const Insight& insight);
/// Why no pod is marked NotReady.
std::vector<Obstacle> marking_obstacles(const Insight& insight);
/// Why that pod, which is due or will be, does not leave whatever it leaves for.
std::vector<Obstacle> hold_obstacles(const PodDue& pod, const Insight& insight);
/// The same beside `eviction_obstacles`: while the server is in doubt it is no news that the
/// operator's ConfigMap cannot be read either.
std::vector<Obstacle> holds_beside_doubts(const PodDue& pod, const Insight& insight);
/// The same of a node, for which less or more is paused.
std::vector<Obstacle> pause_obstacles(Slot node, const Insight& insight);
/// Whom nothing else holds goes once the operator's ConfigMap has been read, unless that was done a
/// moment ago.
void add_policy_read(const Insight& insight, std::vector<Obstacle>& held);
/// Nobody leaves a zone that is disrupted.
Obstacle zone_disrupted();
/// The same of a whole zone, by its name.
std::vector<Obstacle> zone_pause_obstacles(const std::string& zone, const Insight& insight);
/// Nothing is written by who does not lead.
void add_standby(const Insight& insight, std::vector<Obstacle>& held);

/// "refused: …" with the server's last words, as far as they are remembered.
std::string last_words(const Insight& insight, const std::string& object, Action action);
void add_past(const Insight& insight, const std::string& object, Answer& answer);

LastHeard last_heard(Slot node, const Insight& insight);

/// Those of all names that are most like `name`, the best first. `each` calls its argument with
/// every name.
std::vector<std::string> near_names(
    std::string_view name,
    const std::function<void(const std::function<void(std::string_view)>&)>& each);

}  // namespace nlc::controller::why
