#include "controller/decisions/decisions.h"

#include <algorithm>
#include <iterator>

#include "controller/rules/conditions.h"
#include "runtime/earlier.h"

namespace nlc::controller {
namespace {

/// A lease that is younger shows that the server takes writes.
constexpr Duration fresh = std::chrono::seconds(15);

/// A pod's time on a tainted node runs, and nothing was asked for yet.
bool is_due_later(const TaintEviction::Timer* timer) {
  return timer != nullptr && timer->deadline && !timer->begun;
}

/// The node's pods are due, or will be.
bool is_leaving(const Decisions::Machines& machines, const View& view, Slot node) {
  const std::string name(view.nodes.name_at(node));
  return machines.taint_eviction.taints().of(name) != nullptr ||
         machines.nodes.repairs().timeouts().is_evicting(node);
}

}  // namespace

Decisions::Machines::Machines(View view, ApiServerHealth& server, const Options& options,
                              Instant start)
    : holds(view, options.policy, options.controllers.node_lifecycle ? &nodes : nullptr),
      nodes({view, options.policy, holds.pauses(), server.availability()}, start, options.seed + 1),
      pod_readiness(view, options.seed + 2),
      taint_eviction(view, options.seed + 3, options.policy.gates.comparisons),
      timeout_eviction(view, options.seed + 7),
      node_reads(view, options.seed + 8),
      foreign(view) {}

Decisions::Decisions(View view, ApiServerHealth& server, const Options& options, Instant start)
    : view_(view),
      server_(server),
      options_(options),
      machines_(view, server, options_, start),
      restraints_(server, machines_.nodes,
                  {.evicts_by_timeout = evicts_by_timeout(),
                   .pods_stay_ready = options_.policy.hold_pods_ready_in_full_disruption}) {}

// --- observe ------------------------------------------------------------------------------------

void Decisions::node_stored(Slot slot, const api::Node& node, const api::Node* before, Moment at) {
  if (!is_ready(node)) calendars_.forget(slot);
  machines_.holds.node_stored(slot, node, before, at.now);
  if (judges_nodes()) {
    machines_.foreign.node_stored(slot, node, before, server_.shows_the_present(at.now), at.now);
    machines_.nodes.node_stored(slot, node, before, at);
    machines_.pod_readiness.node_stored(node, before, at.now);
  }
  // Pods are looked up by their node's name, so those that were seen before it count from now on
  // too.
  if (evicts_by_taints()) machines_.taint_eviction.node_stored(node, before, at);
  const bool is_well = machines_.holds.remembers(slot) && !is_leaving(machines_, view_, slot);
  if (is_well) machines_.holds.forget(slot);
}

void Decisions::node_removed(Slot slot, const api::Node& node, Instant now) {
  calendars_.forget(slot);
  machines_.foreign.node_removed(slot);
  if (judges_nodes()) machines_.nodes.node_removed(slot, node, now);
  machines_.pod_readiness.node_removed(node);
  machines_.taint_eviction.node_removed(node);
  machines_.holds.node_removed(slot);
}

void Decisions::lease_stored(const api::NodeLease& lease, const api::NodeLease* before,
                             std::optional<Instant> came, Moment at) {
  const bool renewed = before != nullptr && lease.renewed && lease.renewed != before->renewed;
  if (came && view_synced_ && renewed) {
    const std::optional<Slot> node = view_.nodes.slot_of(lease.name);
    if (node) calendars_.heard(*node, lease.renewed, Duration{0}, at);
  }
  at.now = came.value_or(at.now);
  machines_.nodes.lease_stored(lease, before, at);
}

void Decisions::pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, bool bound,
                           Moment at) {
  machines_.foreign.pod_stored(pod, before, is_due_later(machines_.taint_eviction.timer_of(slot)),
                               server_.shows_the_present(at.now), at.now);
  if (judges_nodes()) machines_.pod_readiness.pod_stored(slot, pod, before, at.now);
  if (judges_nodes() && bound) machines_.pod_readiness.pod_bound(slot, pod, at.now);
  if (evicts_by_taints()) machines_.taint_eviction.pod_stored(slot, pod, before, at);
  if (evicts_by_timeout()) machines_.timeout_eviction.pod_stored(slot, pod, before, at.now);
}

void Decisions::pod_removed(Slot slot, const api::Pod& pod) {
  machines_.pod_readiness.pod_removed(slot);
  machines_.taint_eviction.pod_removed(slot, pod);
  machines_.timeout_eviction.pod_removed(slot);
}

ApiServerHealth::FirstLists Decisions::view_synced(Moment at) {
  view_synced_ = true;
  if (judges_nodes()) machines_.nodes.view_synced(at.now);
  if (paused_unseen_) hold_back_paused_unseen(*paused_unseen_);
  return first_lists(at);
}

/// Nodes that were paused before all had been seen.
void Decisions::hold_back_paused_unseen(Instant since) {
  view_.nodes.each_slot([this, since](Slot node) {
    const bool held = machines_.holds.pauses().was_ordered(node);
    if (held && is_leaving(machines_, view_, node)) machines_.holds.hold_back(node, since);
  });
}

/// What they show; the calendars of kubelets are heard from here on.
ApiServerHealth::FirstLists Decisions::first_lists(Moment at) {
  ApiServerHealth::FirstLists lists;
  view_.nodes.each([&](Slot slot, const api::Node& node) {
    if (judged_silent(node)) ++lists.unknown_nodes;
    if (ready_status(node) == api::ConditionStatus::False) ++lists.not_ready_nodes;
    if (!judges_nodes() || !is_ready(node)) return;
    const std::optional<api::NodeLease> lease = view_.leases.find(node.name);
    calendars_.heard(slot,
                     lease ? lease->renewed : node.condition(api::condition::ready)->last_heartbeat,
                     heartbeat_period, at);
    if (!lease || !lease->renewed) return;
    ++(age_of(*lease->renewed, at) <= fresh ? lists.fresh_leases : lists.old_leases);
  });
  return lists;
}

void Decisions::view_renewed(Instant now) {
  machines_.nodes.leases_listed_anew();
  machines_.foreign.versions_begin_anew();
  machines_.taint_eviction.doubt_accepted(now);
  machines_.timeout_eviction.doubt_accepted(now);
  machines_.nodes.timeouts().doubt_accepted();
}

void Decisions::follow_calendar(bool close, Moment at) {
  if (evicts_by_taints())
    machines_.taint_eviction.trust_wall_clock(close && calendars_.agree(), at);
}

void Decisions::lead(bool leading, Instant now) {
  leading ? machines_.nodes.begin_leading() : machines_.nodes.end_leading();
  if (options_.performed)
    leading ? machines_.foreign.begin_leading(now) : machines_.foreign.end_leading();
  if (leading) machines_.holds.take_over(now);
}

/// What was due while a node was paused leaves at the pace of its zone. That nobody was evicted
/// before anything was known of the ConfigMap is no pause; that it is known no more is one. What is
/// ordered before all nodes and pods have been seen may be about some of those.
void Decisions::follow_policy(const PolicyAccess& access, Instant now) {
  const PolicyInForce& policy = machines_.holds.in_force();
  const std::vector<Pauses::Change> changes = machines_.holds.follow(access, now);
  const bool begins = !knew_policy_ && policy.known();
  knew_policy_ = knew_policy_ || policy.known() || policy.state() == PolicyState::Malformed;
  Pauses& pauses = machines_.holds.pauses();
  if (!view_synced_ && knew_policy_ && pauses.of_gone() >= Pause::Evictions) {
    pauses.remember_orders();
    paused_unseen_ = now;
  }
  for (const Pauses::Change& change : changes) {
    if (!view_.nodes.holds(change.node)) continue;
    if (judges_nodes()) machines_.nodes.look_again(change.node);
    const bool ends = change.before >= Pause::Evictions && change.now == Pause::None;
    if (ends && !begins && is_leaving(machines_, view_, change.node)) {
      machines_.holds.hold_back(change.node, now);
    }
  }
}

// --- decide -------------------------------------------------------------------------------------

std::vector<Decision> Decisions::monitor_pass(Moment at, bool leading) {
  const bool doubted = server_.doubtful(at.now) || server_.gap_unsettled(at.now);
  const bool judges = leading && !doubted && !server_.undated(at.now);
  const Acting as_leader = server_.dates_single_reads(at.now) ? Acting::Yes : Acting::ByLists;
  std::vector<Decision> out = machines_.nodes.monitor_pass(at, judges ? as_leader : Acting::No);
  for (Decision& decision : out) {
    auto* read = std::get_if<ReadLeases>(&decision);
    if (read != nullptr) read->expected = server_.expected_of_lists(at.now);
  }
  return out;
}

/// Before a node is evicted, too, the operator is asked: his last word may be on its way.
NodeLifecycle::Evictions Decisions::evictions(Instant now) const {
  const bool asked = machines_.holds.in_force().confirmed(now);
  return asked ? restraints_.of_zones(now) : NodeLifecycle::Evictions::Held;
}

/// Nothing is decided on before there is room for it, so that it is as true when it is sent.
std::vector<Decision> Decisions::act(Moment at, client::Room& room) {
  std::vector<Decision> out;
  if (server_.view_is_old()) return out;
  if (judges_nodes()) add(machines_.nodes.repair(at, room, evictions(at.now)), at.now, out);
  // Whoever waits for a taint has gathered for as long as a read takes, where all is well.
  if (judges_nodes() && !machines_.nodes.repairs().queue().empty())
    machines_.holds.expect_evictions(at.now);
  marks_first_ = !marks_first_;
  if (marks_first_) mark_pods(at, room, out);
  evict(at, room, out);
  if (!marks_first_) mark_pods(at, room, out);
  return out;
}

void Decisions::mark_pods(Moment at, client::Room& room, std::vector<Decision>& out) {
  if (!judges_nodes() || restraints_.hold_pod_marks(at.now)) return;
  const auto spared = [&](const std::string& node) {
    const std::optional<Slot> slot = view_.nodes.slot_of(node);
    return slot && (machines_.holds.pauses().pauses_all(*slot) ||
                    at.now < node_life().pods_stay_ready_until(*slot, at.now));
  };
  add(machines_.pod_readiness.due(at.now, room, spared), at.now, out);
}

/// A read of a node stands for whoever wants one.
void Decisions::add(std::vector<Decision> more, Instant now, std::vector<Decision>& out) {
  for (const Decision& decision : more) {
    const auto* read = std::get_if<ReadNode>(&decision);
    if (read != nullptr) machines_.node_reads.begun(read->node.name, now);
    if (options_.performed) machines_.foreign.sent(decision);
  }
  std::ranges::move(more, std::back_inserter(out));
}

/// Whether pods may be evicted for their node's own condition. A node that lives although it is
/// Unknown is read meanwhile: that it is Ready may show.
bool Decisions::may_evict_from(const std::string& node, Instant now) {
  if (!judges_nodes()) return true;
  if (!machines_.nodes.is_settled(node)) return false;
  const std::optional<Slot> slot = view_.nodes.slot_of(node);
  const bool stays = slot && now < node_life().pods_stay_until(*slot, now);
  if (stays) machines_.node_reads.confirms(node, Instant::min(), now);
  return !stays;
}

void Decisions::follow_turns() {
  NodeTimeouts& timeouts = machines_.nodes.timeouts();
  for (const TimeoutEviction::TurnResult& turn : machines_.timeout_eviction.take_turns()) {
    const std::optional<Slot> node = view_.nodes.slot_of(turn.node);
    if (!node) continue;
    turn.failed ? timeouts.refused(*node) : timeouts.left(*node);
  }
}

/// What was held takes its turns by itself, of the same tokens.
bool Decisions::has_turn(const std::string& node, Instant now) {
  const std::optional<Slot> slot = view_.nodes.slot_of(node);
  NodeTimeouts& timeouts = machines_.nodes.timeouts();
  if (slot && machines_.holds.remembers(*slot)) return timeouts.is_evicting(*slot);
  return slot && timeouts.has_turn(*slot, now);
}

/// The node is read before its pods are deleted: a delete has no version that would be refused if
/// the node had come back, or had lost its taint, unseen.
EvictionChecks Decisions::eviction_checks(Instant now) {
  return {.held_until = [this, now](const PodDue& pod) { return machines_.holds.ask(pod, now); },
          .confirmed =
              [this, now](const std::string& node, Instant since) {
                return machines_.node_reads.confirms(node, since, now);
              },
          .requested =
              [this, now](const PodDue& pod) {
                machines_.holds.requested(pod, now);
                if (!evicts_by_timeout()) return;
                const std::optional<Slot> node = view_.nodes.slot_of(pod.node);
                if (node) machines_.nodes.timeouts().asked(*node, now);
              }};
}

void Decisions::evict(Moment at, client::Room& room, std::vector<Decision>& out) {
  follow_turns();
  if (machines_.holds.keeps_all()) return;
  const EvictionChecks checks = eviction_checks(at.now);
  MayEvict may_evict;
  if (!restraints_.hold_evictions(at.now)) {
    may_evict = [&](const std::string& node) { return may_evict_from(node, at.now); };
  }
  add(machines_.taint_eviction.due(at.now, room, may_evict, checks), at.now, out);
  if (may_evict && evicts_by_timeout()) {
    may_evict = [&, settled = may_evict](const std::string& node) {
      return settled(node) && has_turn(node, at.now);
    };
  }
  add(machines_.timeout_eviction.due(at.now, room, may_evict, checks), at.now, out);
  add(machines_.node_reads.due(at.now, room), at.now, out);
}

std::optional<Instant> Decisions::next(Instant now) const {
  std::optional<Instant> next = machines_.pod_readiness.next_due(now);
  if (judges_nodes())
    next = earlier(next, machines_.nodes.repairs().next_repair(now, evictions(now)));
  if (!server_.doubtful(now)) next = earlier(next, machines_.taint_eviction.next_due(now));
  next = earlier(next, machines_.timeout_eviction.next_due(now));
  return earlier(next, machines_.node_reads.next_due(now));
}

void Decisions::node_read(const NodeRef& node, Instant now) {
  machines_.nodes.node_read(node, evictions(now), now);
}

std::vector<Decisions::Leaving> Decisions::follow_node_evictions(Instant now) {
  std::vector<Leaving> leaving;
  for (const NodeEviction& eviction : machines_.nodes.take_node_evictions()) {
    if (eviction.kind == NodeEviction::Kind::Ended) {
      machines_.timeout_eviction.end(eviction.node.name, now);
    } else {
      const bool has_pods = machines_.timeout_eviction.begin(eviction.node.name, now) > 0;
      leaving.push_back({.node = eviction.node, .has_pods = has_pods});
    }
  }
  return leaving;
}

}  // namespace nlc::controller
