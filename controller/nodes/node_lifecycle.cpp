#include "controller/nodes/node_lifecycle.h"

#include <algorithm>
#include <iterator>

#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// Nothing when the node has gone, another has its name, or nothing of that kind is on its way.
std::optional<Slot> slot_waiting(const NodeRef& node, NodePart part, View view,
                                 const NodeWrites& writes) {
  const std::optional<Slot> slot = view.nodes.slot_of(node.name);
  const bool waits = slot && view.nodes.has_uid(*slot, node.uid) && writes.in_flight(*slot, part);
  return waits ? slot : std::nullopt;
}

}  // namespace

// --- observe ------------------------------------------------------------------------------------

void NodeLifecycle::node_stored(Slot slot, const api::Node& node, const api::Node* before,
                                Moment at) {
  if (before != nullptr && before->uid != node.uid) {
    node_removed(slot, *before, at.now);
    before = nullptr;
  }
  health_.node_stored(slot, node, before, at);
  repair_.node_stored(slot, node, before, at.now);
  follow_changes();
}

void NodeLifecycle::node_removed(Slot slot, const api::Node& node, Instant now) {
  repair_.node_removed(slot, node, now);
  health_.node_removed(slot, node);
}

void NodeLifecycle::lease_stored(const api::NodeLease& lease, const api::NodeLease* before,
                                 Moment at) {
  health_.lease_stored(lease, before, at);
  follow_changes();
}

void NodeLifecycle::begin_leading() {
  health_.begin_leading();
  if (planted("new-leader-begins-with-news")) return;
  view_.nodes.each_slot([this](Slot slot) { repair_.mark_dirty(slot); });
}

void NodeLifecycle::end_leading() {
  health_.end_leading();
  repair_.end_leading();
}

// --- decide -------------------------------------------------------------------------------------

std::vector<Decision> NodeLifecycle::monitor_pass(Moment at, Acting acting) {
  std::vector<Decision> out;
  std::optional<ReadLeases> read = health_.monitor_pass(at, acting, repair_.writes());
  if (read) out.push_back(*std::move(read));
  repair_.timeouts().follow_all(at.now);
  settle_zones(at);
  return out;
}

std::vector<Decision> NodeLifecycle::repair(Moment at, client::Room& room, Evictions evictions) {
  if (zones().unsettled()) settle_zones(at);
  return repair_.repair(at, room, evictions);
}

void NodeLifecycle::settle_zones(Moment at) {
  const NodeHealth::Settled settled = health_.settle_zones(at.now);
  if (settled.all_disrupted) repair_.timeouts().end_all();
  // What waits for the turn of its zone may wait for none now.
  if (settled.some_changed) repair_.mark_troubled_dirty();
  follow_changes();
}

Instant NodeLifecycle::next_pass(Instant now) const {
  const Instant pass = health_.next_pass(now);
  return std::min(pass, repair_.timeouts().next(now).value_or(pass));
}

// --- answers ------------------------------------------------------------------------------------

const api::NodeLease* NodeLifecycle::leases_read(const ReadLeases& asked,
                                                 const std::vector<api::NodeLease>& found,
                                                 Moment at) {
  const api::NodeLease* const behind = health_.leases_read(asked, found, at);
  follow_changes();
  return behind;
}

void NodeLifecycle::leases_shown(const std::vector<api::NodeLease>& leases, Instant now) {
  health_.leases_shown(leases, now);
  follow_changes();
}

void NodeLifecycle::written(const NodeRef& node, NodePart part, Instant now) {
  const std::optional<Slot> slot = slot_waiting(node, part, view_, repair_.writes());
  // A verdict is written after a monitor pass only.
  if (slot && repair_.written(*slot, part, now)) health_.pass_again_at(now);
}

bool NodeLifecycle::refused(const NodeRef& node, NodePart part, const Error& error, Instant now) {
  const std::optional<Slot> slot = slot_waiting(node, part, view_, repair_.writes());
  return slot && repair_.refused(*slot, part, error, now);
}

void NodeLifecycle::not_sent(const NodeRef& node, NodePart part, Instant now) {
  const std::optional<Slot> slot = slot_waiting(node, part, view_, repair_.writes());
  if (!slot) return;
  repair_.not_sent(*slot, part, now);
  const bool unjudged = health_.summary(*slot).ready != api::ConditionStatus::Unknown;
  if (part == NodePart::Status && unjudged) health_.pass_again_at(now);
}

void NodeLifecycle::node_read(const NodeRef& node, Evictions evictions, Instant now) {
  const std::optional<Slot> slot = slot_waiting(node, NodePart::Spec, view_, repair_.writes());
  if (slot && repair_.writes().in_flight(*slot) == NodeWrites::Kind::Read) {
    repair_.node_read(*slot, evictions, now);
  }
}

bool NodeLifecycle::node_not_read(const NodeRef& node, const Error& error, Instant now) {
  const std::optional<Slot> slot = slot_waiting(node, NodePart::Spec, view_, repair_.writes());
  return slot && repair_.writes().in_flight(*slot) == NodeWrites::Kind::Read &&
         repair_.refused(*slot, NodePart::Spec, error, now);
}

// --- what is known ------------------------------------------------------------------------------

bool NodeLifecycle::is_settled(const std::string& node) const {
  const std::optional<Slot> slot = view_.nodes.slot_of(node);
  return !slot || repair_.writes().is_settled(*slot);
}

std::vector<NodeEvent> NodeLifecycle::take_events() {
  std::vector<NodeEvent> events = health_.take_events();
  std::ranges::move(repair_.take_undone(), std::back_inserter(events));
  return events;
}

}  // namespace nlc::controller
