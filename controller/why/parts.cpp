#include "controller/why/parts.h"

#include <absl/strings/str_cat.h>
#include <algorithm>

#include "controller/why/obstacles.h"
#include "controller/why/wording.h"

namespace nlc::controller::why {
namespace {

constexpr std::size_t past_max = 10;

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

// --- what comes ---------------------------------------------------------------------------------

void add(Coming coming, Answer& answer) {
  answer.next.push_back(std::move(coming.step));
  add(std::move(coming.held), answer.held);
}

void wait_for(const std::vector<Obstacle>& held, Step& step) {
  if (step.waits) delay(held, step.in <= Duration{0}, step);
}

void stand_behind(const std::vector<Obstacle>& held, Step& step) { delay(held, true, step); }

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

}  // namespace nlc::controller::why
