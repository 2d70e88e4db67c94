#include "controller/live/tracker.h"

#include <algorithm>

#include "controller/why/parts.h"
#include "controller/why/wording.h"

namespace nlc::controller::live {
namespace {

constexpr std::size_t past_max = 20;
/// What a moment that is worked out anew each time may move without being another.
constexpr Duration wavers = std::chrono::milliseconds(500);

WallTime plus(WallTime now, Duration span) {
  return now + std::chrono::duration_cast<WallTime::duration>(span);
}

bool same_step(const Step& left, const Step& right) {
  if (left.what != right.what || left.when.has_value() != right.when.has_value()) return false;
  return !left.when || std::chrono::abs(*left.when - *right.when) < wavers;
}

bool same_past(const PastAction& left, const PastAction& right) {
  return left.at == right.at && left.outcome == right.outcome && left.action == right.action &&
         left.object == right.object;
}

std::string role_of(const why::Answer& next, const Insight* insight) {
  if (insight != nullptr && insight->observing) return "observes";
  return next.answerer.leads ? "leads" : "stands by";
}

template <typename T>
void tell_if_other(const T& now, std::optional<T>& told, std::optional<T>& change) {
  if (told == now) return;
  told = now;
  change = now;
}

}  // namespace

Change Tracker::look(const why::Answer& next, const Insight* insight, WallTime now) {
  Change change{.at = now};
  look_at_replica(next, insight, change);
  look_ahead(next, change);
  const bool knows = insight != nullptr && insight->synced;
  if (!knows) {
    for (Known& known : nodes_) {
      if (!known.node.name.empty()) change.gone.push_back(known.node.name);
    }
    nodes_.clear();
    tell_if_other({}, zones_, change.zones);
    return change;
  }
  look_at_zones(*insight, change);
  look_at_nodes(*insight, change);
  look_back(*insight, change);
  return change;
}

void Tracker::look_at_replica(const why::Answer& next, const Insight* insight, Change& change) {
  ReplicaStatus replica{.identity = next.answerer.identity,
                        .role = role_of(next, insight),
                        .leader = next.answerer.leader,
                        .state = next.state,
                        .is = next.is};
  for (const why::Obstacle& obstacle : next.held) replica.held.push_back(obstacle.what);
  tell_if_other(replica, replica_, change.replica);
}

void Tracker::look_at_zones(const Insight& insight, Change& change) {
  std::vector<Zone> zones;
  for (const auto& [key, zone] : insight.decisions.nodes().zones().all()) {
    zones.push_back(why::pace_of(zone));
  }
  tell_if_other(zones, zones_, change.zones);
}

void Tracker::look_at_nodes(const Insight& insight, Change& change) {
  nodes_.resize(std::max(nodes_.size(), insight.view.nodes.slot_count()));
  for (Slot slot = 0; slot < nodes_.size(); ++slot) look_at(slot, insight, change);
}

void Tracker::look_at(Slot slot, const Insight& insight, Change& change) {
  const auto& nodes = insight.view.nodes;
  Known& known = nodes_[slot];
  const bool there = nodes.holds(slot);
  const bool another = !there || nodes.name_at(slot) != known.node.name;
  if (another && !known.node.name.empty()) {
    change.gone.push_back(known.node.name);
    known = {};
  }
  if (!there) return;
  const std::uint64_t digest = nodes.digest_at(slot);
  if (another || digest != known.digest) known.facts = facts_of(nodes.at(slot));
  known.digest = digest;
  const NodeRepair& repairs = insight.decisions.nodes().repairs();
  Node now = node_of(std::string(nodes.name_at(slot)), known.facts,
                     {.paused = insight.decisions.operator_holds().pauses().of(slot) != Pause::None,
                      .queued = repairs.queue().waits(slot),
                      .evicting = repairs.timeouts().is_evicting(slot)});
  if (now == known.node) return;
  known.node = now;
  change.nodes.push_back(std::move(now));
}

void Tracker::look_ahead(const why::Answer& next, Change& change) {
  std::vector<Step> steps;
  for (const why::Step& step : next.next) {
    steps.push_back({.what = step.what});
    if (step.in) steps.back().when = plus(change.at, *step.in);
  }
  if (next_ && std::ranges::equal(*next_, steps, same_step)) return;
  next_ = steps;
  change.next = std::move(steps);
}

void Tracker::look_back(const Insight& insight, Change& change) {
  std::vector<PastAction> past;
  for (const PastAction* action : insight.history.last_of({}, past_max)) past.push_back(*action);
  if (past_ && std::ranges::equal(*past_, past, same_past)) return;
  change.past.emplace();
  for (const PastAction& action : past) {
    change.past->push_back({.at = plus(change.at, action.at - insight.at.now),
                            .action = action.action,
                            .outcome = action.outcome,
                            .object = why::shown(action.object),
                            .detail = action.detail,
                            .why = action.why});
  }
  past_ = std::move(past);
}

}  // namespace nlc::controller::live
