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
      holds_(view, policy_, controllers_.node_lifecycle ? &nodes_ : nullptr),
      nodes_(view, policy_, holds_.pauses(), server.availability(), start, options.seed + 1),
      pod_readiness_(view, options.seed + 2),
      taint_eviction_(view, options.seed + 3, policy_.gates.comparisons),
      timeout_eviction_(view, options.seed + 7),
      node_reads_(view, options.seed + 8),
      foreign_(view),
      performed_(options.performed) {}

// --- observe ------------------------------------------------------------------------------------

void Decisions::node_stored(Slot slot, const api::Node& node, const api::Node* before, Moment at) {
  if (!is_ready(node)) calendars_.forget(slot);
  holds_.node_stored(slot, node, before);
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
  if (judges_nodes()) nodes_.node_removed(slot, node, now);
  pod_readiness_.node_removed(node);
  taint_eviction_.node_removed(node);
  holds_.node_removed(slot);
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
  if (leading) holds_.take_over(now);
}

/// What was due while a node was paused leaves at the pace of its zone. That nobody was evicted
/// before anything was known of the ConfigMap is no pause.
void Decisions::follow_policy(const PolicyAccess& access, Instant now) {
  const std::vector<Pauses::Change> changes = holds_.follow(access, now);
  const bool knew = std::exchange(knows_policy_, holds_.in_force().known());
  const bool begins = !knew && knows_policy_;
  for (const Pauses::Change& change : changes) {
    if (!view_.nodes.holds(change.node)) continue;
    if (judges_nodes()) nodes_.look_again(change.node);
    const bool ends = change.before >= Pause::Evictions && change.now == Pause::None;
    const std::string name(view_.nodes.name_at(change.node));
    const bool leaving =
        taint_eviction_.taints_of(name) != nullptr || nodes_.repairs().is_evicting(change.node);
    if (ends && leaving && !begins) holds_.hold_back(change.node, now);
  }
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
  // Whoever waits for a taint will have pods that are due. The taint waits for no read: it can be
  // taken off again.
  if (judges_nodes() && !nodes_.repairs().queue().empty()) holds_.expect_pods(at.now);
  marks_first_ = !marks_first_;
  if (!marks_first_) evict(at, room, out);
  if (judges_nodes() && may_mark_pods(at.now)) {
    const auto spared = [this](const std::string& node) {
      const std::optional<Slot> slot = view_.nodes.slot_of(node);
      return slot && holds_.pauses().pauses_all(*slot);
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
  if (holds_.keeps_all()) return;
  const EvictionHold hold{.until = [&](const PodDue& pod) { return holds_.until(pod, at.now); },
                          .leaves = [&](const PodDue& pod) { holds_.leaves(pod, at.now); }};
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
