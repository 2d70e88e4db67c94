#include "controller/nodes/node_health.h"

#include <algorithm>

#include "controller/rules/conditions.h"
#include "runtime/earlier.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// Also where it is what it was, and was something else in between that nobody showed.
bool changes_ready(const api::Node& before, const api::Node& node) {
  const api::NodeCondition* was = before.condition(api::condition::ready);
  const api::NodeCondition* is = node.condition(api::condition::ready);
  if (was == nullptr || is == nullptr) return was != is;
  return was->status != is->status || was->last_transition != is->last_transition;
}

}  // namespace

NodeHealth::NodeHealth(View view, const Policy& policy, ApiAvailability& availability,
                       Instant start)
    : view_(view),
      policy_(policy),
      availability_(availability),
      heartbeats_(view, policy, availability),
      reads_(view, start),
      summaries_(policy),
      last_pass_(start - policy.monitor_period) {}

// --- observe ------------------------------------------------------------------------------------

void NodeHealth::node_stored(Slot slot, const api::Node& node, const api::Node* before, Moment at) {
  if (before == nullptr) {
    summaries_.make_room(view_.nodes.slot_count());
    heartbeats_.add(slot, node, at);
  } else {
    if (heartbeats_.status_seen(slot, node, *before, at.now)) moved(slot);
  }
  const bool changes_zone = before == nullptr || before->labels != node.labels;
  if (changes_zone) summaries_.join_zone(slot, node, at.now);
  const std::optional<api::ConditionStatus> ready = ready_status(node);
  summaries_.set_ready(slot, ready);
  const AvailableTime now = availability_.at_latest(at.now);
  if (before == nullptr || changes_ready(*before, node)) {
    summaries_.set_ready_changed(slot, now, before != nullptr);
  }
  if (!is_ready(node) && (before == nullptr || is_ready(*before))) {
    summaries_.set_not_ready_since(slot, judged_silent(node) ? heartbeats_.last_moved(slot) : now);
  }
  if (before != nullptr) tell_of(node, *before);
  changed_.push_back(slot);
}

void NodeHealth::tell_of(const api::Node& node, const api::Node& before) {
  // One that had said of itself that it is not ready becomes nothing that it was not.
  if (judged_silent(node) && is_ready(before)) {
    events_.push_back({NodeEvent::Kind::BecameSilent, ref_of(node)});
  }
  if (judged_silent(before) && is_ready(node)) {
    events_.push_back({NodeEvent::Kind::CameBack, ref_of(node)});
  }
}

void NodeHealth::node_removed(Slot slot, const api::Node& node) {
  if (summaries_[slot].registered) events_.push_back({NodeEvent::Kind::Removed, ref_of(node)});
  summaries_.forget(slot);
  heartbeats_.forget(slot);
  reads_.forget(slot);
}

void NodeHealth::lease_stored(const api::NodeLease& lease, const api::NodeLease* before,
                              Moment at) {
  const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
  if (slot && heartbeats_.lease_stored(*slot, lease, before, at.now)) moved(*slot);
}

void NodeHealth::lease_removed(const api::NodeLease& lease) {
  if (const auto slot = view_.nodes.slot_of(lease.name)) heartbeats_.forget_version(*slot);
}

void NodeHealth::lease_missing(const api::NodeLease& lease, Instant now) {
  lease_removed(lease);
  const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
  if (slot && !summaries_[*slot].silent) heartbeats_.lease_missed(*slot, now);
}

/// Its heartbeat did: it is not silent.
void NodeHealth::moved(Slot slot) {
  reads_.forget_failures(slot);
  if (!summaries_[slot].silent) return;
  summaries_.set_silent(slot, false);
  doubt(slot);
  changed_.push_back(slot);
}

void NodeHealth::begin_leading() { summaries_.forget_registered(); }

// --- judge --------------------------------------------------------------------------------------

std::optional<ReadLeases> NodeHealth::monitor_pass(Moment at, Acting acting,
                                                   const NodeWrites& writes) {
  const AvailableTime now = availability_.at(at.now);
  last_pass_ = at.now;
  next_end_.reset();
  pass_again_.reset();
  reads_.begin_pass();
  using enum LeaseReads::Dated;
  if (acting != Acting::No) reads_.read_by(acting == Acting::ByLists ? ByLists : ByStream, at.now);
  for (Slot slot = 0; slot < summaries_.size(); ++slot) {
    if (summaries_[slot].zone == nullptr) continue;
    if (summaries_.set_registered(slot)) {
      events_.push_back({NodeEvent::Kind::Registered, ref_of(view_.nodes.at(slot))});
    }
    const AvailableTime end = heartbeats_.grace_ends(slot);
    if (now <= end) {
      next_end_ = std::min(next_end_.value_or(end), end);
    } else if (acting != Acting::No) {
      suspect(slot, at, writes);
    }
  }
  return reads_.begin(at.now);
}

void NodeHealth::pass_again_at(Instant when) { pass_again_ = earlier(pass_again_, when); }

/// For a node whose grace has ended, and which does not say Unknown already: its lease is read,
/// unless that was done just now.
void NodeHealth::suspect(Slot slot, Moment at, const NodeWrites& writes) {
  if (summaries_[slot].ready == api::ConditionStatus::Unknown) {
    return reads_.forget_failures(slot);
  }
  if (const auto until = reads_.confirmed_until(slot, at.now)) {
    return pass_again_at(*until + Duration{1});
  }
  if (writes.in_flight(slot, NodePart::Status)) return;  // its answer calls for a monitor pass
  const RetryState* verdict = writes.verdict(slot);
  if (const auto retry = verdict == nullptr ? std::nullopt : verdict->retry_at(at.now)) {
    return pass_again_at(*retry);
  }
  if (availability_.blind(at.now)) return;
  if (const auto retry = reads_.retry_at(slot, at.now)) return pass_again_at(*retry);
  if (planted("judged-by-cached-lease")) {
    reads_.confirm(slot, {.asked = at.now}, at.now);
    summaries_.set_silent(slot, true);
    changed_.push_back(slot);
    return pass_again_at(at.now + Duration{1});
  }
  reads_.want(slot, heartbeats_.grace_ends(slot), heartbeats_.lease_version(slot));
}

Instant NodeHealth::next_pass(Instant now) const {
  Instant next = last_pass_ + policy_.monitor_period;
  // While blind nothing of them ends, and while many leases are read those whose grace ends gather
  // for the next read: when thousands fall silent one by one, that spares a pass for each.
  const bool gathers = reads_.busy() && policy_.evict_by_taints;
  if (next_end_ && !availability_.blind(now) && !gathers) {
    next = std::min(next, availability_.reaches(*next_end_) + Duration(1));
  }
  if (pass_again_) next = std::min(next, *pass_again_);
  return std::min(next, reads_.next().value_or(next));
}

void NodeHealth::leases_shown(const std::vector<api::NodeLease>& leases, Instant now) {
  for (const api::NodeLease& lease : leases) {
    const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
    if (!slot) continue;
    reads_.shown(*slot);
    if (reads_.is_another(lease)) continue;
    if (heartbeats_.lease_read(*slot, lease, now)) moved(*slot);
  }
}

const api::NodeLease* NodeHealth::leases_read(const ReadLeases& asked,
                                              const std::vector<api::NodeLease>& found, Moment at) {
  for (const api::NodeLease& lease : found) {
    const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
    if (!slot) continue;
    if (reads_.is_another(lease)) heartbeats_.forget_version(*slot);
    if (heartbeats_.lease_read(*slot, lease, at.now)) moved(*slot);
  }
  const LeaseReads::Learned learned = reads_.read(asked, found, at.now);
  for (const auto& [slot, asked_end, missing] : learned.answers) {
    // Whoever moved after it was asked for is not silent by what was read before that.
    const bool lives = heartbeats_.in_grace(slot, at.now);
    if (lives || heartbeats_.grace_ends(slot) != asked_end) continue;
    if (missing && asked.dated && heartbeats_.lease_missed(slot, at.now)) continue;
    if (!reads_.confirm(slot, asked, at.now)) continue;
    summaries_.set_silent(slot, true);
    changed_.push_back(slot);
  }
  if (learned.retry_at) pass_again_at(*learned.retry_at);
  return learned.behind;
}

void NodeHealth::lease_read_failed(const ReadLeases& asked, const Error& error, Instant now) {
  if (const auto retry = reads_.failed(asked, error, now)) pass_again_at(*retry);
}

/// What one settling changes may call for another: after a total disruption everybody is as good as
/// seen.
NodeHealth::Settled NodeHealth::settle_zones(Instant now) {
  Settled settled;
  do {
    std::vector<Zones::Change> changes;
    const Zones::Transition transition = zones().settle(now, changes);
    for (const Zones::Change& change : changes) {
      zone_events_.push_back({.key = change.zone->key,
                              .before = change.before,
                              .after = change.zone->state,
                              .count = change.zone->count});
    }
    if (!changes.empty()) settled.some_changed = true;
    if (transition == Zones::Transition::LeftFullDisruption) left_full_disruption(now);
    if (transition == Zones::Transition::EnteredFullDisruption) settled.all_disrupted = true;
    if (transition != Zones::Transition::None) {
      view_.nodes.each_slot([this](Slot slot) { changed_.push_back(slot); });
    }
  } while (zones().unsettled());
  return settled;
}

/// Whoever is back may not have been able to say so.
void NodeHealth::left_full_disruption(Instant now) {
  if (planted("no-new-grace-after-full-disruption")) return;
  availability_.resume(now);
  view_.nodes.each_slot([this, now](Slot slot) {
    heartbeats_.begin_anew(slot, now);
    summaries_.set_ready_changed(slot, availability_.at_latest(now), false);
    doubt(slot);
    summaries_.set_silent(slot, false);
  });
}

}  // namespace nlc::controller
