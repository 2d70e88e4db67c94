#include "controller/decisions/decisions.h"

#include <algorithm>
#include <iterator>

#include "controller/rules/conditions.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// Kubelets renew their leases as often.
constexpr Duration renewal_period = std::chrono::seconds(10);

/// A lease that is younger shows that the server takes writes.
constexpr Duration fresh = std::chrono::seconds(15);

}  // namespace

Decisions::Decisions(View view, ApiServerHealth& server, const Options& options, Instant start)
    : view_(view),
      server_(server),
      policy_(options.policy),
      controllers_(options.controllers),
      pauses_(view),
      nodes_(view, policy_, pauses_, server.availability(), start, options.seed + 1),
      pod_readiness_(view, options.seed + 2),
      taint_eviction_(view, options.seed + 3, policy_.gates.comparisons),
      timeout_eviction_(view, options.seed + 7),
      node_reads_(view, options.seed + 8),
      foreign_(view),
      performed_(options.performed) {
  pauses_.follow(in_force_.policy(), in_force_.known());
}

// --- observe ------------------------------------------------------------------------------------

void Decisions::node_stored(Slot slot, const api::Node& node, const api::Node* before, Moment at) {
  if (!is_ready(node)) calendars_.forget(slot);
  pauses_.node_stored(slot, node, before);
  if (judges_nodes()) {
    foreign_.node_stored(slot, node, before, sees_the_present(at.now), at.now);
    nodes_.node_stored(slot, node, before, at);
    pod_readiness_.node_stored(node, before, at.now);
  }
  // Pods are looked up by their node's name, so those that were seen before it count from now on
  // too.
  if (evicts_by_taints()) taint_eviction_.node_stored(node, before, at);
}

void Decisions::node_removed(Slot slot, const api::Node& node, Instant now) {
  calendars_.forget(slot);
  foreign_.node_removed(slot);
  pace_.forget(slot);
  if (judges_nodes()) nodes_.node_removed(slot, node, now);
  pod_readiness_.node_removed(node);
  taint_eviction_.node_removed(node);
  pauses_.node_removed(slot);
}

void Decisions::lease_stored(const api::NodeLease& lease, const api::NodeLease* before,
                             std::optional<Instant> came, Moment at) {
  const bool renewed = before != nullptr && lease.renewed && lease.renewed != before->renewed;
  if (came && view_synced_ && renewed) {
    const std::optional<Slot> node = view_.nodes.slot_of(lease.name);
    if (node) calendars_.heard(*node, lease.renewed, Duration{0}, at);
  }
  at.now = came.value_or(at.now);
  nodes_.lease_stored(lease, before, at);
}

void Decisions::pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, bool bound,
                           Moment at) {
  foreign_.pod_stored(pod, before, taint_eviction_.is_due_later(slot), sees_the_present(at.now),
                      at.now);
  if (judges_nodes()) pod_readiness_.pod_stored(slot, pod, before, at.now);
  if (judges_nodes() && bound) pod_readiness_.pod_bound(slot, pod, at.now);
  if (evicts_by_taints()) taint_eviction_.pod_stored(slot, pod, before, at);
  if (evicts_by_timeout()) timeout_eviction_.pod_stored(slot, pod, before, at.now);
}

void Decisions::pod_removed(Slot slot, const api::Pod& pod) {
  pod_readiness_.pod_removed(slot);
  taint_eviction_.pod_removed(slot, pod);
  timeout_eviction_.pod_removed(slot);
}

ApiServerHealth::FirstLeases Decisions::view_synced(Moment at) {
  view_synced_ = true;
  ApiServerHealth::FirstLeases leases;
  if (!judges_nodes()) return leases;
  view_.nodes.each([&](Slot slot, const api::Node& node) {
    if (!is_ready(node)) return;
    const std::optional<api::NodeLease> lease = view_.leases.find(node.name);
    calendars_.heard(slot,
                     lease ? lease->renewed : node.condition(api::condition::ready)->last_heartbeat,
                     renewal_period, at);
    if (!lease || !lease->renewed) return;
    ++(age_of(*lease->renewed, at) <= fresh ? leases.fresh : leases.old);
  });
  return leases;
}

void Decisions::view_renewed(Instant now) {
  nodes_.leases_listed_anew();
  taint_eviction_.doubt_accepted(now);
  timeout_eviction_.doubt_accepted(now);
}

void Decisions::follow_calendar(bool close, Moment at) {
  if (evicts_by_taints()) taint_eviction_.trust_wall_clock(close && calendars_.agree(), at);
}

void Decisions::lead(bool leading, Instant now) {
  leading ? nodes_.begin_leading() : nodes_.end_leading();
  if (performed_) leading ? foreign_.begin_leading(now) : foreign_.end_leading();
  if (leading) pace_.take_over(now);
}

// --- pauses -------------------------------------------------------------------------------------

void Decisions::follow_policy(const PolicyAccess& access, Instant now) {
  in_force_.follow(access, now);
  if (in_force_.take_changed()) {
    const OperatorPolicy& policy = in_force_.policy();
    pauses_.follow(policy, in_force_.known());
    pace_.set_limits({.pods_per_second = policy.pods_per_second,
                      .pods_per_second_and_zone = policy.pods_per_second_and_zone},
                     now);
  }
  const bool knew = std::exchange(knows_policy_, in_force_.known());
  follow_pauses(!knew && knows_policy_, now);
}

/// What was due while a node was paused leaves at the pace of its zone. That nobody was evicted
/// before anything was known of the ConfigMap is no pause: it `begins`.
void Decisions::follow_pauses(bool begins, Instant now) {
  for (const Pauses::Change& change : pauses_.take_changes()) {
    if (!view_.nodes.holds(change.node)) continue;
    if (judges_nodes()) nodes_.look_again(change.node);
    const bool ends = change.before >= Pause::Evictions && change.now == Pause::None;
    const std::string name(view_.nodes.name_at(change.node));
    const bool leaving =
        taint_eviction_.taints_of(name) != nullptr || nodes_.repairs().is_evicting(change.node);
    if (ends && leaving && !begins) pace_.held(change.node, now);
  }
}

EvictionPace::Place Decisions::place_of(std::string_view node) const {
  constexpr const char* gone = "gone";  // no zone has such a key
  EvictionPace::Place place{.node = view_.nodes.slot_of(node), .zone = gone, .recovered = {}};
  if (!place.node) return place;
  if (!judges_nodes()) {
    place.zone = zone_key(view_.nodes.at(*place.node));
    place.nodes_per_second = policy_.eviction_rate;
    return place;
  }
  const Zone& zone = *nodes_.health().summary(*place.node).zone;
  place.zone = zone.key;
  place.nodes_per_second = zone.evictions.rate();
  place.recovered = zone.recovered;
  return place;
}

/// What keeps all pods of a node.
std::optional<Decisions::Held::By> Decisions::keeps(const EvictionPace::Place& place) const {
  const Pause pause = place.node ? pauses_.of(*place.node) : pauses_.of_everything();
  if (pause >= Pause::Evictions) return Held::By::Pause;
  const bool asked = in_force_.policy().hold_in_disruption && place.node && judges_nodes();
  if (asked && nodes_.health().summary(*place.node).zone->is_disrupted()) {
    return Held::By::Disruption;
  }
  return std::nullopt;
}

/// When a pod that is due asks again; nothing: it may go.
std::optional<Instant> Decisions::hold(const PodDue& pod, Instant now) {
  const EvictionPace::Place place = place_of(pod.node);
  if (const auto by = keeps(place)) {
    if (by == Held::By::Disruption) pace_.held(*place.node, now);
    return now + held_recheck;
  }
  if (!in_force_.confirmed(now)) {
    in_force_.want_look();
    return now;
  }
  const EvictionPace::Wait wait = pace_.asks(place, pod.since, pod.begins, now);
  if (wait == EvictionPace::Wait::Not) return std::nullopt;
  return pace_.ask_again(place, wait, now);
}

std::optional<Decisions::Held> Decisions::holds(const PodDue& pod, Instant now) const {
  const EvictionPace::Place place = place_of(pod.node);
  if (const auto by = keeps(place)) return Held{.by = *by, .until = {}};
  if (in_force_.look_fails()) return Held{.by = Held::By::PolicyUnread, .until = {}};
  const EvictionPace::Wait wait = pace_.waits(place, pod.since, pod.begins, now);
  if (wait == EvictionPace::Wait::Not) return std::nullopt;
  const bool node = wait == EvictionPace::Wait::NodesTurn;
  return Held{.by = node ? Held::By::NodesTurn : Held::By::PodsTurn,
              .until = pace_.until(place, wait)};
}

// --- decide -------------------------------------------------------------------------------------

std::vector<Decision> Decisions::monitor_pass(Moment at, bool leading) {
  const bool judges = leading && !server_.doubtful(at.now) && !server_.undated();
  return nodes_.monitor_pass(at, judges ? Acting::Yes : Acting::No);
}

/// Nothing is decided on before there is room for it, so that it is as true when it is sent.
std::vector<Decision> Decisions::act(Moment at, client::Room& room) {
  std::vector<Decision> out;
  if (server_.view_is_old()) return out;
  if (judges_nodes()) add(nodes_.repair(at, room, zones_may_evict(at.now)), at.now, out);
  if (judges_nodes()) look_for_queues(at.now);
  marks_first_ = !marks_first_;
  if (!marks_first_) evict(at, room, out);
  if (judges_nodes() && may_mark_pods(at.now)) {
    const auto spared = [this](const std::string& node) {
      const std::optional<Slot> slot = view_.nodes.slot_of(node);
      return slot && pauses_.pauses_all(*slot);
    };
    add(pod_readiness_.due(at.now, room, spared), at.now, out);
  }
  if (marks_first_) evict(at, room, out);
  return out;
}

/// A read of a node stands for whoever wants one.
void Decisions::add(std::vector<Decision> more, Instant now, std::vector<Decision>& out) {
  for (const Decision& decision : more) {
    const auto* read = std::get_if<ReadNode>(&decision);
    if (read != nullptr) node_reads_.begun(read->node.name, now);
    if (performed_) foreign_.sent(decision);
  }
  std::ranges::move(more, std::back_inserter(out));
}

/// A delete has no version that would be refused if its node had come back unseen.
void Decisions::evict(Moment at, client::Room& room, std::vector<Decision>& out) {
  // However many are due: while everything is paused none of them is asked about.
  if (pauses_.of_everything() >= Pause::Evictions) return;
  const EvictionHold hold{.until = [&](const PodDue& pod) { return this->hold(pod, at.now); },
                          .leaves =
                              [&](const PodDue& pod) {
                                pace_.leaves(place_of(pod.node), pod.since, pod.begins, at.now);
                              }};
  MayEvict may_evict;
  if (!holds_evictions(at.now)) {
    may_evict = [&](const std::string& node, Instant since) {
      return (!judges_nodes() || nodes_.is_settled(node)) &&
             node_reads_.confirms(node, since, at.now);
    };
  }
  add(taint_eviction_.due(at.now, room, may_evict, hold), at.now, out);
  add(timeout_eviction_.due(at.now, room, may_evict, hold), at.now, out);
  add(node_reads_.due(at.now, room), at.now, out);
}

bool Decisions::holds_evictions(Instant now) const {
  if (planted("evictions-never-held")) return false;
  // In a total disruption taints of ours are on their way out, however long that takes.
  return server_.doubtful(now) || server_.unsettled(now) || nodes_.fully_disrupted();
}

/// While blind no node is evicted by its timeout, nor while a server tells of the past.
NodeLifecycle::Evictions Decisions::zones_may_evict(Instant now) const {
  const bool unsure = evicts_by_timeout() && server_.availability().blind(now);
  return server_.doubtful(now) || unsure ? NodeLifecycle::Evictions::Held
                                         : NodeLifecycle::Evictions::Allowed;
}

/// Whoever waits for a taint has what the operator says read from the server itself. The taint does
/// not wait for that: it can be taken off again, and pods go only after such a read.
void Decisions::look_for_queues(Instant now) {
  if (!nodes_.repairs().queue().empty() && !in_force_.confirmed(now)) in_force_.want_look();
}

/// A server that went back, or that was away, tells of what is long past as if it were new.
bool Decisions::sees_the_present(Instant now) const {
  return !server_.doubtful(now) && !server_.unsettled(now) && server_.stalled().empty();
}

bool Decisions::may_mark_pods(Instant now) const {
  if (server_.doubtful(now) || server_.availability().blind(now)) return false;
  return !(policy_.hold_pods_ready_in_full_disruption && nodes_.fully_disrupted());
}

std::optional<Instant> Decisions::next(Instant now) const {
  std::optional<Instant> next;
  const auto no_later_than = [&](std::optional<Instant> due) {
    if (due) next = std::min(next.value_or(*due), *due);
  };
  if (judges_nodes()) no_later_than(nodes_.next_repair(now, zones_may_evict(now)));
  no_later_than(pod_readiness_.next_due(now));
  if (!server_.doubtful(now)) no_later_than(taint_eviction_.next_due(now));
  no_later_than(timeout_eviction_.next_due(now));
  no_later_than(node_reads_.next_due(now));
  return next;
}

std::vector<Decisions::Leaving> Decisions::follow_node_evictions(Instant now) {
  std::vector<Leaving> leaving;
  for (const NodeEviction& eviction : nodes_.take_node_evictions()) {
    if (eviction.kind == NodeEviction::Kind::Ended) {
      timeout_eviction_.end(eviction.node.name, now);
    } else {
      const bool has_pods = timeout_eviction_.begin(eviction.node.name, now) > 0;
      leaving.push_back({.node = eviction.node, .has_pods = has_pods});
    }
  }
  return leaving;
}

}  // namespace nlc::controller
