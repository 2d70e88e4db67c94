#include "controller/why/parts.h"

#include <absl/strings/str_cat.h>
#include <algorithm>
#include <cstdlib>

#include "runtime/go_duration.h"
#include "runtime/utf8.h"

namespace nlc::controller::why {
namespace {

constexpr std::size_t near_max = 3;
constexpr std::size_t past_max = 10;
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

/// How much of two names is alike at both ends, as a share of the longer one.
double likeness(std::string_view left, std::string_view right) {
  const std::size_t shorter = std::min(left.size(), right.size());
  std::size_t head = 0;
  while (head < shorter && left[head] == right[head]) ++head;
  std::size_t tail = 0;
  while (tail < shorter - head && left[left.size() - 1 - tail] == right[right.size() - 1 - tail]) {
    ++tail;
  }
  const std::size_t longer = std::max(left.size(), right.size());
  return longer == 0 ? 0 : static_cast<double>(head + tail) / static_cast<double>(longer);
}

Obstacle full_disruption() {
  return {.kind = "full_disruption",
          .what = "no zone has a ready node: the fault is more likely the network's"};
}

/// `stops`: what is held by something whose end nobody knows has no time.
void delay(const std::vector<Obstacle>& held, bool stops, Step& step) {
  step.waits = false;
  if (!step.in) return;
  for (const Obstacle& obstacle : held) {
    if (!obstacle.ends_in && stops) step.in.reset();
    if (obstacle.ends_in && step.in) step.in = std::max(*step.in, *obstacle.ends_in);
  }
  if (!step.in) step.what += ", once nothing holds it back";
}

}  // namespace

std::string in_words(Duration duration) {
  using namespace std::chrono_literals;
  // Pods may tolerate a taint for any number of seconds, which nobody waits for.
  if (duration >= ten_years) return "ten years or more";
  if (duration < 10s)
    return go_duration(std::chrono::round<std::chrono::duration<int64_t, std::deci>>(duration));
  return go_duration(std::chrono::round<std::chrono::seconds>(duration));
}

std::string counted(std::size_t count, const std::string& one) {
  return std::to_string(count) + " " + one + (count == 1 ? "" : "s");
}

std::string rate_in_words(double nodes_per_second) {
  return absl::StrCat(nodes_per_second, " nodes/s");
}

std::string shown(const std::string& object) {
  const std::string zone = History::of_zone({});
  return object.starts_with(zone) ? zone + zone_name(object.substr(zone.size())) : object;
}

Duration until(Instant when, const Insight& insight) {
  return std::max(when - insight.at.now, Duration{0});
}

// --- zones --------------------------------------------------------------------------------------

ZonePace pace_of(const Zone& zone) {
  return {.name = zone_name(zone.key),
          .state = std::string(name_of(zone.state)),
          .ready = zone.count.ready,
          .not_ready = zone.count.not_ready,
          .nodes_per_second = zone.evictions.rate(),
          .waiting = zone.queue.size()};
}

std::string zone_rule(const Zone& zone, const Insight& insight) {
  if (insight.decisions.nodes().zones().all_disrupted()) {
    return "no zone has a ready node: the fault is more likely the network's, and nobody is "
           "evicted";
  }
  switch (zone.state) {
    case ZoneState::Initial:
      return "the zone has not been counted yet";
    case ZoneState::Normal:
      return "fewer than --unhealthy-zone-threshold of its nodes, or fewer than 3, are not ready: "
             "--node-eviction-rate";
    case ZoneState::FullDisruption:
      return "none of its nodes is ready, while other zones have some: --node-eviction-rate";
    case ZoneState::PartialDisruption:
      break;
  }
  const bool large = zone.count.size() > insight.decisions.policy().large_zone;
  return large ? "--unhealthy-zone-threshold of its nodes or more are not ready, and it is large: "
                 "--secondary-node-eviction-rate"
               : "--unhealthy-zone-threshold of its nodes or more are not ready, and it is no "
                 "larger than --large-cluster-size-threshold: nobody is evicted";
}

std::vector<Setting> zone_settings(const Insight& insight) {
  const Policy& policy = insight.decisions.policy();
  return {{"node-eviction-rate", absl::StrCat(policy.eviction_rate)},
          {"secondary-node-eviction-rate", absl::StrCat(policy.secondary_eviction_rate)},
          {"unhealthy-zone-threshold", absl::StrCat(policy.unhealthy_zone_threshold)},
          {"large-cluster-size-threshold", std::to_string(policy.large_zone)}};
}

// --- what holds back ----------------------------------------------------------------------------

void add(std::vector<Obstacle> more, std::vector<Obstacle>& held) {
  for (Obstacle& obstacle : more) {
    const bool there = std::ranges::any_of(held, [&](const Obstacle& known) {
      return known.kind == obstacle.kind && known.what == obstacle.what;
    });
    if (!there) held.push_back(std::move(obstacle));
  }
}

void add(Coming coming, Answer& answer) {
  answer.next.push_back(std::move(coming.step));
  add(std::move(coming.held), answer.held);
}

void wait_for(const std::vector<Obstacle>& held, Step& step) {
  if (step.waits) delay(held, step.in <= Duration{0}, step);
}

void stand_behind(const std::vector<Obstacle>& held, Step& step) { delay(held, true, step); }

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

std::vector<Obstacle> life_obstacles(Instant lives, const Insight& insight) {
  if (lives <= insight.at.now) return {};
  Obstacle life{.kind = "lives_again", .what = "a heartbeat came since it was marked Unknown"};
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
  const auto held = holds.why(pod, insight.at.now);
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

// --- nodes --------------------------------------------------------------------------------------

/// Both times are of the same machine: the later one was written last.
LastHeard last_heard(Slot node, const Insight& insight) {
  const NodeHeartbeats& heartbeats = insight.decisions.nodes().health().heartbeats();
  const Heartbeats& last = heartbeats.last(node);
  const Duration ago =
      insight.server.availability().at(insight.at.now) - heartbeats.last_moved(node);
  LastHeard heard{.ago = std::max(ago, Duration{0}), .seen_here = heartbeats.was_heard(node)};
  const bool has_lease = last.lease && *last.lease > WallTime{};
  if (has_lease && (!last.status || *last.lease >= *last.status)) {
    heard.by = LastHeard::By::Lease;
    heard.written = last.lease;
  } else if (last.status && !last.never_posted) {
    heard.by = LastHeard::By::Status;
    heard.written = last.status;
  }
  return heard;
}

// --- the past -----------------------------------------------------------------------------------

std::string last_words(const Insight& insight, const std::string& object, Action action) {
  const PastAction* refusal = insight.history.last_refusal(object, action);
  return refusal == nullptr ? "the server refused" : "the server refused: " + refusal->why;
}

void add_past(const Insight& insight, const std::string& object, Answer& answer) {
  for (const PastAction* action : insight.history.last_of(object, past_max)) {
    answer.past.push_back({.ago = insight.at.now - action->at,
                           .action = action->action,
                           .outcome = action->outcome,
                           .object = object.empty() ? shown(action->object) : std::string(),
                           .detail = action->detail,
                           .why = action->why});
  }
}

std::vector<std::string> near_names(
    std::string_view name,
    const std::function<void(const std::function<void(std::string_view)>&)>& each) {
  std::vector<std::pair<double, std::string>> best;
  each([&](std::string_view other) {
    const double share = likeness(name, other);
    if (share < 0.5 || (best.size() == near_max && share <= best.back().first)) return;
    const auto place =
        std::ranges::find_if(best, [share](const auto& known) { return known.first < share; });
    best.emplace(place, share, std::string(other));
    if (best.size() > near_max) best.pop_back();
  });
  std::vector<std::string> names;
  for (auto& [share, found] : best) names.push_back(std::move(found));
  return names;
}

}  // namespace nlc::controller::why
