#include "controller/observe/expectations.h"

#include <algorithm>
#include <cstdlib>

#include "controller/rules/conditions.h"
#include "controller/rules/taints.h"

namespace nlc::controller::observe {
namespace {

using Expected = Expectations::Expected;

std::string_view key_in(const std::string& taint) {
  return std::string_view(taint).substr(0, taint.rfind(':'));
}

bool wants_no_schedule(const api::Node& node, std::string_view key) {
  const std::vector<std::string_view> wanted = wanted_no_schedule(node);
  return std::ranges::find(wanted, key) != wanted.end();
}

}  // namespace

void Expectations::follow(Instant now) {
  if (!env_.server.shows_the_present(now)) held_ = now;
}

void Expectations::taint_seen(Slot slot, Instant now) {
  const Zone* zone = env_.decisions.nodes().health().summary(slot).zone;
  if (zone != nullptr) last_turns_[zone->key] = now;
  const auto& zones = env_.decisions.nodes().zones().all();
  std::erase_if(last_turns_, [&](const auto& turn) { return !zones.contains(turn.first); });
}

/// What was held back in the last grace period may still be told by it.
Expected Expectations::never(Instant now, Why why) const {
  if (was_held_since(now - env_.decisions.policy().monitor_grace)) why = {.cause = Cause::Held};
  return {.why = why};
}

std::optional<Slot> Expectations::slot_of(const Change& change) const {
  const std::optional<Slot> slot = env_.view.nodes.slot_of(change.node);
  const bool is_node = change.object.starts_with("node/");
  return slot && (!is_node || env_.view.nodes.has_uid(*slot, change.uid)) ? slot : std::nullopt;
}

// --- what others did ----------------------------------------------------------------------------

/// Whether the operator told ours not to do it. Taints that have no reason any more leave all the
/// same.
bool Expectations::is_paused(const Change& change, Slot node) const {
  const Pauses& pauses = env_.decisions.operator_holds().pauses();
  switch (change.kind) {
    case ChangeKind::TaintRemoved:
      return false;
    case ChangeKind::TaintAdded:
      return is_no_execute(change) ? pauses.pauses_evictions(node) : pauses.pauses_all(node);
    case ChangeKind::ConditionsUnknown:
      return pauses.pauses_all(node);
    case ChangeKind::PodNotReady:
    case ChangeKind::PodDeleted:
      break;
  }
  std::abort();  // unreachable: it is a change of a node
}

Expected Expectations::of(const Change& change, Slot slot, const api::Node& before,
                          const api::Node& node, Instant now) const {
  if (is_paused(change, slot)) return {.why = {.cause = Cause::PausedByOperator}};
  switch (change.kind) {
    case ChangeKind::ConditionsUnknown:
      return silence(slot, now);
    case ChangeKind::TaintAdded:
      return taint_added(change, slot, before, node, now);
    case ChangeKind::TaintRemoved:
      return taint_removed(change, node, now);
    case ChangeKind::PodNotReady:
    case ChangeKind::PodDeleted:
      break;
  }
  std::abort();  // unreachable: it is a change of a node
}

/// A silent node is judged here when its grace ends.
Expected Expectations::silence(Slot slot, Instant now) const {
  const ApiAvailability& availability = env_.server.availability();
  if (availability.blind(now)) return {.due = unknown};
  return {.due =
              availability.reaches(env_.decisions.nodes().health().heartbeats().grace_ends(slot))};
}

Expected Expectations::taint_added(const Change& change, Slot slot, const api::Node& before,
                                   const api::Node& node, Instant now) const {
  const std::string_view key = key_in(change.value);
  if (!is_no_execute(change)) {
    return wants_no_schedule(node, key) ? Expected{.due = now} : never(now);
  }
  if (outage_taint_key(node) != key) return never(now);
  if (has_managed_no_execute(before)) return {.due = now};  // the two swap
  return turn(slot, now);
}

/// A token of its zone is what it waits for here, and for those before it.
Expected Expectations::turn(Slot slot, Instant now) const {
  const Zone& zone = *env_.decisions.nodes().health().summary(slot).zone;
  const double rate = zone.evictions.rate();
  if (rate <= 0 || env_.decisions.nodes().zones().all_disrupted()) {
    return never(now, {.cause = Cause::UpstreamDefect, .defect = "D-ZD-13"});
  }
  const Waiting* place = env_.decisions.nodes().repairs().queue().waiting(slot);
  const auto before = static_cast<double>(
      place == nullptr ? zone.queue.size()
                       : std::distance(zone.queue.begin(), zone.queue.find(*place)));
  const Instant token =
      zone.evictions.has_token(now) ? now : zone.evictions.next_token().value_or(now);
  return {.due =
              token + std::chrono::round<Duration>(std::chrono::duration<double>(before / rate))};
}

/// Taken off by a new leader that has yet to make up its mind, and put back later (D-FO-1).
Expected Expectations::taint_removed(const Change& change, const api::Node& node,
                                     Instant now) const {
  const std::string_view key = key_in(change.value);
  if (!is_no_execute(change)) {
    return wants_no_schedule(node, key) ? never(now) : Expected{.due = now};
  }
  if (outage_taint_key(node) != key || env_.decisions.nodes().zones().all_disrupted())
    return {.due = now};
  return never(now, {.cause = Cause::UpstreamDefect, .defect = "D-FO-1"});
}

/// Why ours keeps a pod whose time is over, if nothing changes until it is: whoever is due here is
/// asked the same.
std::optional<Why> Expectations::keeps(const api::Pod& pod, const TaintEviction::Timer& timer,
                                       Instant now) const {
  const Instant since = timer.deadline.value_or(now);
  const Instant then = std::max(now, since);
  const auto held =
      env_.decisions.operator_holds().held_by({.node = pod.node_name, .since = since}, then);
  if (held) {
    const bool unread = held->by == OperatorHolds::Held::By::PolicyUnread;
    return Why{.cause = unread ? Cause::Held : Cause::PausedByOperator};
  }
  const bool conditional = timer.deadline && (!timer.unconditional || then < *timer.unconditional);
  if (conditional && env_.decisions.holds_evictions(now)) return Why{.cause = Cause::Held};
  return std::nullopt;
}

Expected Expectations::of_deletion(Slot slot, const api::Pod& pod, Instant now) const {
  const TaintEviction::Timer* known = env_.decisions.taint_eviction().timer_of(slot);
  const TaintEviction::Timer timer = known == nullptr ? TaintEviction::Timer{} : *known;
  if (const std::optional<Why> why = keeps(pod, timer, now)) return {.why = *why};
  if (pod.finished) return never(now, {.cause = Cause::UpstreamDefect, .defect = "D-TE-6"});
  return timer.deadline ? Expected{.due = timer.deadline} : never(now);
}

/// Whether what it waited for is still to come.
Expected Expectations::of(const Matcher::Open& open, Instant now) const {
  const std::optional<Slot> slot = slot_of(open.change);
  if (!slot) return {.why = {.cause = Cause::ObjectGone}};
  const api::Node node = env_.view.nodes.at(*slot);
  if (open.change.kind == ChangeKind::ConditionsUnknown) {
    return ready_status(node) == api::ConditionStatus::Unknown ? silence(*slot, now) : never(now);
  }
  if (open.change.kind == ChangeKind::PodDeleted) {
    const bool tainted = env_.decisions.taint_eviction().taints().of(node.name) != nullptr;
    return tainted ? Expected{.due = open.due} : never(now);
  }
  if (outage_taint_key(node) == key_in(open.change.value)) return {.due = open.due};
  return never(now, {.cause = Cause::QueueOrder});
}

// --- what nobody else did -----------------------------------------------------------------------

bool Expectations::zone_moved_since(const Change& change, Instant when) const {
  const std::optional<Slot> slot = slot_of(change);
  if (!slot || change.kind != ChangeKind::TaintAdded || !is_no_execute(change)) return false;
  const Zone* zone = env_.decisions.nodes().health().summary(*slot).zone;
  const auto turn = zone == nullptr ? last_turns_.end() : last_turns_.find(zone->key);
  return turn != last_turns_.end() && turn->second >= when;
}

Why Expectations::why_dropped(const Change& change, Instant ours, Instant now) const {
  if (zone_moved_since(change, ours)) return {.cause = Cause::QueueOrder};
  // So late at most does a pass see what was so for a moment, whatever else was the matter then.
  if (now - ours <= 2 * env_.decisions.policy().monitor_period) {
    return {.cause = Cause::AtTheDeadline};
  }
  return {.cause = was_held_since(ours) ? Cause::Held : Cause::Unexplained};
}

/// What is not tried again there stays undone for good.
Why Expectations::why_given_up(const Change& change, Instant ours) const {
  const auto defect = [](std::string_view id) {
    return Why{.cause = Cause::UpstreamDefect, .defect = id};
  };
  switch (change.kind) {
    case ChangeKind::PodNotReady:
      return defect("D-PN-3");
    case ChangeKind::PodDeleted:
      return defect("D-TE-1");
    case ChangeKind::TaintAdded:
    case ChangeKind::TaintRemoved:
      if (!is_no_execute(change)) return defect("D-NS-1");
      if (zone_moved_since(change, ours)) return {.cause = Cause::QueueOrder};
      return {};
    case ChangeKind::ConditionsUnknown:
      return {};
  }
  std::abort();  // unreachable: the switch is exhaustive
}

}  // namespace nlc::controller::observe
