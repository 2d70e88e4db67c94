#pragma once

#include <string>
#include <vector>

#include "controller/insight.h"
#include "controller/why/answer.h"

/// Private to this folder: what holds back that a node is judged, marked or given its turn, and
/// that a pod leaves.
namespace nlc::controller::why {

/// The time until then, no less than nothing.
Duration until(Instant when, const Insight& insight);

/// Adds those that are not there yet.
void add(std::vector<Obstacle> more, std::vector<Obstacle>& held);

/// Why no silent node is judged at all.
std::vector<Obstacle> judgement_obstacles(const Insight& insight);
/// Why none is for now, though the server can be believed: whoever lives may not have been heard.
std::vector<Obstacle> unwatched_obstacles(const Insight& insight);
/// When a node that stays silent is judged, unless the server is in doubt.
Instant judged_at(Slot node, const Insight& insight);
/// Why no node gets its turn, in whatever zone.
std::vector<Obstacle> doubts_of_nodes(const Insight& insight);
/// A node that is Unknown lives until then: a heartbeat came, or what counts as one where none was
/// `heard`.
std::vector<Obstacle> life_obstacles(Instant lives, LastHeard::By heard, const Insight& insight);
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

}  // namespace nlc::controller::why
