#include "controller/why/obstacles.h"

#include <algorithm>
#include <cstdlib>

#include "controller/why/wording.h"
#include "runtime/utf8.h"

namespace nlc::controller::why {
namespace {

/// Of an operator's own words.
constexpr std::size_t shown_max = 200;

/// By the name that its metric and its log lines have.
void add_hold(metrics::Hold reason, const Insight& insight, std::vector<Obstacle>& held) {
  const std::optional<JudgementHolds::Progress> hold =
      insight.holds.progress(reason, insight.at.now);
  if (!hold) return;
  held.push_back({.kind = std::string(metrics::name_of(reason)),
                  .what = std::string(metrics::name_of(reason)) + " for " +
                          in_words(hold->held_for) + ": " + hold->detail});
}

Obstacle full_disruption() {
  return {.kind = "full_disruption",
          .what = "no zone has a ready node: the fault is more likely the network's"};
}

}  // namespace

Duration until(Instant when, const Insight& insight) {
  return std::max(when - insight.at.now, Duration{0});
}

void add(std::vector<Obstacle> more, std::vector<Obstacle>& held) {
  for (Obstacle& obstacle : more) {
    const bool there = std::ranges::any_of(held, [&](const Obstacle& known) {
      return known.kind == obstacle.kind && known.what == obstacle.what;
    });
    if (!there) held.push_back(std::move(obstacle));
  }
}

void add_standby(const Insight& insight, std::vector<Obstacle>& held) {
  if (insight.observing) {
    held.push_back(
        {.kind = "observing", .what = "this replica observes: what it decides is left to others"});
  }
  if (insight.leading) return;
  held.push_back(
      {.kind = "standby", .what = "this replica does not lead: it remembers, and writes nothing"});
}

std::vector<Obstacle> judgement_obstacles(const Insight& insight) {
  std::vector<Obstacle> held;
  add_hold(metrics::Hold::ServerPaused, insight, held);
  add_hold(metrics::Hold::VersionRewound, insight, held);
  const Instant now = insight.at.now;
  if (held.empty() && insight.decisions.judges_nodes() &&
      insight.server.availability().blind(now)) {
    held.push_back({.kind = "server_paused",
                    .what = "server_paused: nothing has proved for " +
                            in_words(now - insight.server.availability().last_proof()) +
                            " that the API server takes writes"});
  }
  return held;
}

std::vector<Obstacle> unwatched_obstacles(const Insight& insight) {
  const auto settles = insight.server.gap_settles_at(insight.at.now);
  if (!settles) return {};
  return {
      {.kind = "leases_unwatched",
       .what = "no watch of leases was open for a while: what was renewed then may have been lost",
       .ends_in = until(*settles, insight)}};
}

Instant judged_at(Slot node, const Insight& insight) {
  const NodeHeartbeats& heartbeats = insight.decisions.nodes().health().heartbeats();
  const Instant ends = insight.server.availability().reaches(heartbeats.grace_ends(node));
  return std::max(ends, insight.server.gap_settles_at(insight.at.now).value_or(ends));
}

std::vector<Obstacle> marking_obstacles(const Insight& insight) {
  std::vector<Obstacle> held;
  add_standby(insight, held);
  add(judgement_obstacles(insight), held);
  const bool stay_ready = insight.decisions.policy().hold_pods_ready_in_full_disruption;
  if (stay_ready && insight.decisions.nodes().zones().all_disrupted()) {
    held.push_back(full_disruption());
  }
  return held;
}

namespace {

std::string_view unsettled_by(const ApiServerHealth& server, Instant now) {
  if (server.was_away(now)) return "the API server was away a moment ago";
  if (server.awaits_stream(now)) {
    return "a watch is closed, and the API server may be back from a backup";
  }
  return server.may_be_restored(now) ? "the API server may have been restored"
                                     : "nodes were not ready a moment ago";
}

/// Why nothing is done for what is known of nodes.
std::vector<Obstacle> present_obstacles(const Insight& insight, bool unsettled,
                                        std::optional<Instant> settles) {
  std::vector<Obstacle> held = judgement_obstacles(insight);
  if (!held.empty() || !unsettled) return held;
  Obstacle obstacle{.kind = "settling",
                    .what = std::string(unsettled_by(insight.server, insight.at.now)) +
                            ": nodes may not have said yet how they are"};
  if (settles) obstacle.ends_in = until(*settles, insight);
  return {std::move(obstacle)};
}

}  // namespace

std::vector<Obstacle> life_obstacles(Instant lives, LastHeard::By heard, const Insight& insight) {
  if (lives <= insight.at.now) return {};
  Obstacle life{
      .kind = "lives_again",
      .what = heard == LastHeard::By::Nothing
                  ? "the node's status came for the first time, which counts as a heartbeat"
                  : "a heartbeat came since it was marked Unknown"};
  if (insight.server.availability().foresees(insight.at.now)) {
    life.ends_in = until(lives, insight);
  } else {
    life.what += ", and whether another did is not known";
  }
  return {std::move(life)};
}

std::vector<Obstacle> eviction_obstacles(const Insight& insight) {
  const Instant now = insight.at.now;
  std::vector<Obstacle> held =
      present_obstacles(insight, insight.server.unsettled(now), insight.server.settles_at(now));
  if (insight.decisions.nodes().zones().all_disrupted()) {
    held.push_back(full_disruption());
  }
  return held;
}

namespace {

Obstacle policy_unread(const std::string& why) {
  return {.kind = "policy_unread",
          .what = "the operator's ConfigMap: " + (why.empty() ? "it is read first" : why)};
}

Obstacle paused(const std::string& by, const Insight& insight) {
  const PolicyInForce& policy = insight.decisions.operator_holds().in_force();
  const std::string trouble = policy.trouble();
  if (!policy.known()) return policy_unread(trouble.empty() ? by : trouble);
  return {.kind = "paused", .what = "paused by " + shortened(by, shown_max)};
}

}  // namespace

std::vector<Obstacle> doubts_of_nodes(const Insight& insight) {
  std::vector<Obstacle> held =
      insight.decisions.policy().evict_by_taints
          ? present_obstacles(insight, insight.server.was_away(insight.at.now),
                              insight.server.was_away_until(insight.at.now))
          : eviction_obstacles(insight);
  const PolicyInForce& policy = insight.decisions.operator_holds().in_force();
  if (held.empty() && policy.is_unsure()) held.push_back(policy_unread(policy.trouble()));
  return held;
}

void add_policy_read(const Insight& insight, std::vector<Obstacle>& held) {
  const PolicyInForce& policy = insight.decisions.operator_holds().in_force();
  if (held.empty() && !policy.confirmed(insight.at.now)) held.push_back(policy_unread({}));
}

std::vector<Obstacle> pause_obstacles(Slot node, const Insight& insight) {
  const Pauses& pauses = insight.decisions.operator_holds().pauses();
  if (pauses.of(node) == Pause::None) return {};
  return {paused(pauses.paused_by(node), insight)};
}

std::vector<Obstacle> zone_pause_obstacles(const std::string& zone, const Insight& insight) {
  const std::string by = insight.decisions.operator_holds().pauses().zone_paused_by(zone);
  if (by.empty()) return {};
  return {paused(by, insight)};
}

Obstacle zone_disrupted() {
  return {.kind = "zone_disrupted",
          .what = "its zone is disrupted, and hold-evictions-in-disruption is true"};
}

std::vector<Obstacle> hold_obstacles(const PodDue& pod, const Insight& insight) {
  using By = OperatorHolds::Held::By;
  const OperatorHolds& holds = insight.decisions.operator_holds();
  const auto held = holds.held_by(pod, insight.at.now);
  if (!held) return {};
  // Whose turn that is only they know who wait.
  const std::string next_turn =
      held->until ? ", the next in " + in_words(until(*held->until, insight)) : std::string();
  switch (held->by) {
    case By::Pause:
      return {paused(holds.paused_by(pod), insight)};
    case By::Disruption:
      return {zone_disrupted()};
    case By::PolicyUnread:
      return {policy_unread(holds.in_force().trouble())};
    case By::NodesTurn:
      return {{.kind = "zone_pace",
               .what = "what was held leaves node by node, at the rate of its zone" + next_turn}};
    case By::PodsTurn:
      return {{.kind = "pod_pace",
               .what = "as many pods leave in a second as the operator's ConfigMap allows" +
                       next_turn}};
  }
  std::abort();  // unreachable: the switch is exhaustive
}

std::vector<Obstacle> holds_beside_doubts(const PodDue& pod, const Insight& insight) {
  std::vector<Obstacle> held = hold_obstacles(pod, insight);
  if (eviction_obstacles(insight).empty()) return held;
  std::erase_if(held, [](const Obstacle& hold) { return hold.kind == "policy_unread"; });
  return held;
}

}  // namespace nlc::controller::why
