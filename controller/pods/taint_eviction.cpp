#include "controller/pods/taint_eviction.h"

#include <algorithm>

#include "controller/rules/conditions.h"
#include "controller/rules/taints.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

constexpr std::string_view disruption_message = "Taint manager: deleting due to NoExecute taint";

/// A node that is Ready contradicts the taints that say it is not: they are on their way out.
std::vector<api::Taint> evicting_taints(const api::Node& node) {
  std::vector<api::Taint> found;
  for (const api::Taint& taint : node.taints) {
    if (taint.effect != api::effect::no_execute) continue;
    if (is_managed_no_execute(taint) && is_ready(node)) continue;
    found.push_back(taint);
  }
  return found;
}

/// The same for all tolerations.
bool is_unchanged(const api::Taint& before, const api::Taint& now) {
  return api::same_taint(before, now) && before.value == now.value;
}

bool same_timers(const std::vector<SeenTaint>& left, const std::vector<SeenTaint>& right) {
  return std::ranges::equal(left, right, [](const SeenTaint& a, const SeenTaint& b) {
    return is_unchanged(a.taint, b.taint) && a.since == b.since;
  });
}

/// By the account of whoever wrote it. Seconds are cut off when a time is written: it may be nearly
/// one second younger than it says, and no pod may go early.
Instant instant_of(std::optional<WallTime> written, Moment at) {
  if (!written) return at.now;
  return at.now - std::max(age_of(*written, at) - std::chrono::seconds(1), Duration{0});
}

/// What a condition that met this will meet again, or pay for dearly.
bool is_done_with(Fault fault) {
  return fault == Fault::Forbidden || fault == Fault::Invalid || fault == Fault::Timeout;
}

/// What `taint` was before, or else the other outage taint, whose place it has taken; null where
/// neither was there.
const SeenTaint* predecessor(const api::Taint& taint, const std::vector<SeenTaint>& before,
                             const std::vector<api::Taint>& now_there) {
  const auto is_same = [&](const SeenTaint& seen) { return api::same_taint(seen.taint, taint); };
  const auto gave_way = [&](const SeenTaint& seen) {
    const bool gone = std::ranges::none_of(
        now_there, [&](const api::Taint& other) { return api::same_taint(other, seen.taint); });
    return gone && is_managed_no_execute(seen.taint) && is_managed_no_execute(taint);
  };
  auto found = std::ranges::find_if(before, is_same);
  if (found == before.end()) found = std::ranges::find_if(before, gave_way);
  return found == before.end() ? nullptr : &*found;
}

}  // namespace

bool marked_by_taint_manager(const api::Pod& pod) {
  const auto& target = pod.disruption_target;
  return target && target->status == api::ConditionStatus::True &&
         target->reason == disruption_reason;
}

// --- nodes --------------------------------------------------------------------------------------

void TaintEviction::trust_wall_clock(bool close, Moment at) {
  if (std::exchange(wall_clock_close_, close) == close) return;
  for (auto& [name, taints] : taints_) {
    const std::optional<api::Node> node = view_.nodes.find(name);
    for (SeenTaint& seen : taints) {
      if (!node || !seen.inherited) continue;
      seen.since = std::min(seen.first_seen, added(*node, seen.taint, at));
    }
    evaluate_pods_of(name, at);
  }
}

void TaintEviction::node_stored(const api::Node& node, const api::Node* before, Moment at) {
  if (before != nullptr && before->uid != node.uid) {
    node_removed(*before);
    before = nullptr;
  }
  const std::vector<api::Taint> taints = evicting_taints(node);
  const auto known = taints_.find(node.name);
  if (taints.empty() && known == taints_.end()) {
    // One that had been deleted may have left timers behind (against D-TE-5).
    if (before == nullptr && !timers_.empty()) evaluate_pods_of(node.name, at);
    return;
  }

  const std::vector<SeenTaint> known_so_far =
      known == taints_.end() ? std::vector<SeenTaint>() : known->second;
  std::vector<SeenTaint> seen;
  bool changed = false;
  for (const api::Taint& taint : taints) {
    const auto same = [&](const SeenTaint& old) { return is_unchanged(old.taint, taint); };
    changed = changed || std::ranges::none_of(known_so_far, same);
    seen.push_back(first_sight(node, taint, known_so_far, taints, at));
  }
  if (changed) forget_timers(node.name, at);
  if (same_timers(known_so_far, seen)) return;
  if (seen.empty()) {
    taints_.erase(known);
  } else {
    taints_.insert_or_assign(node.name, std::move(seen));
  }
  evaluate_pods_of(node.name, at);
}

/// A taint that takes the place of another goes on with that one's time for pods whose timer
/// runs. For the others it is as if they had come now.
void TaintEviction::forget_timers(const std::string& node, Moment at) {
  if (!taints_.contains(node)) return;
  for (const Slot slot : view_.pods_by_node.with(node)) {
    const auto known = timers_.find(slot);
    const bool counts = known != timers_.end() && known->second.deadline;
    if (!counts) timers_[slot].came = at.now;
  }
}

void TaintEviction::evaluate_pods_of(const std::string& node, Moment at) {
  for (const Slot slot : view_.pods_by_node.with(node)) evaluate(slot, at);
}

/// A taint that was there before keeps its moment, however often it is written; the one that takes
/// the place of the other outage taint goes on with that one's. Whoever watched the node without
/// the taint knows better than its `timeAdded`, which anybody may write.
SeenTaint TaintEviction::first_sight(const api::Node& node, const api::Taint& taint,
                                     const std::vector<SeenTaint>& before,
                                     const std::vector<api::Taint>& now_there, Moment at) const {
  if (const SeenTaint* seen = predecessor(taint, before, now_there)) {
    const bool same = api::same_taint(seen->taint, taint);
    return {.taint = taint,
            .since = may_be_another(*seen, taint) ? std::max(seen->since, added(node, taint, at))
                                                  : seen->since,
            .inherited = same && seen->inherited,
            .first_seen = seen->first_seen};
  }
  const bool inherited = !view_.nodes.synced();
  return {.taint = taint,
          .since = inherited ? added(node, taint, at) : at.now,
          .inherited = inherited,
          .first_seen = at.now};
}

/// While nobody looked it may have been taken off and set again.
bool TaintEviction::may_be_another(const SeenTaint& seen, const api::Taint& taint) const {
  return view_.nodes.catching_up() && taint.time_added != seen.taint.time_added;
}

/// By the objects' own account, which is believed while clocks are close. A taint of the node's
/// condition is as young as that: the node may have been well in between, with nobody there to take
/// the taint off.
Instant TaintEviction::added(const api::Node& node, const api::Taint& taint, Moment at) const {
  if (!wall_clock_close_) return at.now;
  const Instant written = instant_of(taint.time_added, at);
  const api::NodeCondition* ready = node.condition(api::condition::ready);
  if (!is_managed_no_execute(taint) || ready == nullptr || !ready->last_transition) return written;
  return std::max(written, instant_of(ready->last_transition, at));
}

// --- pods ---------------------------------------------------------------------------------------

void TaintEviction::pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, Moment at) {
  const bool same = before != nullptr && before->uid == pod.uid;
  if (before != nullptr && !same) pod_removed(slot, *before);
  const bool stays = same && before->node_name == pod.node_name;
  if (stays && before->tolerations == pod.tolerations && before->deleting == pod.deleting &&
      before->finished == pod.finished) {
    return;
  }
  const bool comes = !stays && view_.pods.synced();
  const bool tainted = taints_.contains(pod.node_name);
  if (comes && tainted) timers_[slot] = {.came = at.now};
  if (tainted || timers_.contains(slot)) evaluate(slot, at);
}

void TaintEviction::pod_removed(Slot slot, const api::Pod& pod) {
  const auto known = timers_.find(slot);
  if (known == timers_.end()) return;
  const bool ours = known->second.accepted || pending_.in_flight(slot);
  if (known->second.deadline && !ours) cancelled_.push_back(ref_of(pod));
  forget(slot);
}

void TaintEviction::evaluate(Slot slot, Moment at) {
  const auto known = timers_.find(slot);
  const api::Pod pod = view_.pods.at(slot);
  const auto taints = taints_.find(pod.node_name);
  if (taints == taints_.end() && known == timers_.end()) return;
  if (pod.deleting || pod.finished) return end(slot, pod, at.now);
  if (taints != taints_.end()) return follow(slot, pod, taints->second, at);
  if (view_.nodes.slot_of(pod.node_name)) {
    cancel(slot, pod, at.now);
    if (!pending_.in_flight(slot)) forget(slot);
  }
  // Its node is gone: nothing changes the deadline any more.
}

void TaintEviction::follow(Slot slot, const api::Pod& pod, const std::vector<SeenTaint>& taints,
                           Moment at) {
  const auto known = timers_.find(slot);
  Timer timer = known == timers_.end() ? Timer{} : known->second;
  const Instant since = came(pod, timer, at);
  timer.deadline = eviction_deadline(pod.tolerations, taints, since, comparisons_);
  if (!timer.deadline) {
    cancel(slot, pod, at.now);
    // Whoever came late has come late, whatever becomes of its tolerations.
    const bool matters = timer.came.has_value() || pending_.in_flight(slot);
    if (matters) timers_[slot] = timer;
    return;
  }
  std::vector<SeenTaint> of_others;
  std::ranges::copy_if(taints, std::back_inserter(of_others),
                       [](const SeenTaint& seen) { return !is_managed_no_execute(seen.taint); });
  timer.unconditional = eviction_deadline(pod.tolerations, of_others, since, comparisons_);
  timers_[slot] = timer;
  pending_.want(slot, *timer.deadline, at.now, group_of(pod));
}

/// A pod that was there when this process came is younger than its node's taint where its own times
/// say so.
Instant TaintEviction::came(const api::Pod& pod, const Timer& timer, Moment at) const {
  if (timer.came) return *timer.came;
  if (!wall_clock_close_ || !pod.bound) return Instant::min();
  return instant_of(pod.bound, at);
}

/// It is to stay.
void TaintEviction::cancel(Slot slot, const api::Pod& pod, Instant now) {
  if (planted("timer-outlives-taint")) return;
  const auto known = timers_.find(slot);
  if (known == timers_.end() || !known->second.deadline) return;
  Timer& timer = known->second;
  timer.deadline.reset();
  timer.under_way = false;
  const bool deleting = pending_.in_flight(slot) && timer.marked;
  if (deleting || timer.accepted) {
    overtaken_.push_back(ref_of(pod));
  } else {
    cancelled_.push_back(ref_of(pod));
  }
  pending_.unwant(slot, now);
}

/// It goes, or has finished: by our deletion, or without us.
void TaintEviction::end(Slot slot, const api::Pod& pod, Instant now) {
  const auto known = timers_.find(slot);
  if (known == timers_.end()) return;
  const bool ours = known->second.accepted || pending_.in_flight(slot);
  if (!ours) cancel(slot, pod, now);
  forget(slot);
}

void TaintEviction::forget(Slot slot) {
  timers_.erase(slot);
  pending_.forget(slot);
}

// --- evictions ----------------------------------------------------------------------------------

std::vector<Decision> TaintEviction::due(Instant now, client::Room& room, const MayEvict& may_evict,
                                         const EvictionHold& hold) {
  using Choice = PendingWrites::Choice;
  std::vector<Decision> out;
  pending_.each_due(now, [&](const PendingWrites::Trial& trial) {
    const Slot slot = trial.slot;
    Timer& timer = timers_.at(slot);
    if (now < *timer.deadline) {  // moved while what was asked for was on its way
      pending_.wait(slot, *timer.deadline, now);
      return Choice::Leave;
    }
    const std::string node = view_.pods.at(slot).node_name;
    const PodDue pod{.node = node, .since = *timer.deadline, .begins = !timer.under_way};
    if (const auto later = hold.until ? hold.until(pod) : std::nullopt) {
      if (*later > now) pending_.wait(slot, *later, now);
      return Choice::Leave;
    }
    const bool conditional = !timer.unconditional || now < *timer.unconditional;
    if (conditional && !may_evict) return Choice::Leave;
    if (conditional && !may_evict(node, *timer.deadline)) return Choice::Leave;
    if (const auto lack = trial.lacks_place(room, client::RequestPriority::PodWrite)) return *lack;
    out.push_back(eviction_of(slot, timer, trial.attempt));
    if (hold.leaves) hold.leaves(pod);
    timer.begun = timer.under_way = true;
    return Choice::Send;
  });
  for (const Slot slot : pending_.take_undone()) {
    // It was accepted and is still there: the condition is asked for anew as well.
    if (const auto known = timers_.find(slot); known != timers_.end()) {
      known->second.accepted = false;
    }
  }
  return out;
}

Decision TaintEviction::eviction_of(Slot slot, const Timer& timer, Try attempt) const {
  const api::Pod pod = view_.pods.at(slot);
  EvictPod evict{.pod = ref_of(pod),
                 .node = pod.node_name,
                 .marked = timer.marked,
                 .first = !timer.begun,
                 .generation = pod.generation,
                 .deadline = *timer.deadline,
                 .attempt = attempt};
  if (const auto& target = pod.disruption_target;
      target && target->status == api::ConditionStatus::True) {
    evict.target_since = target->last_transition;
    evict.marked = evict.marked ||
                   (target->reason == disruption_reason && target->message == disruption_message);
  }
  return evict;
}

TaintEviction::Timer* TaintEviction::in_flight(const PodRef& pod, Slot& slot) {
  const std::optional<Slot> found = slot_in_flight(pending_, pod, view_.pods);
  if (!found) return nullptr;
  slot = *found;
  const auto known = timers_.find(slot);
  return known == timers_.end() ? nullptr : &known->second;
}

void TaintEviction::marked(const PodRef& pod, Instant now) {
  Slot slot = 0;
  Timer* timer = in_flight(pod, slot);
  if (timer == nullptr) return;
  timer->marked = true;
  pending_.goes_on(slot, now);
}

void TaintEviction::not_marked(const PodRef& pod, const Error& error, Instant now) {
  Slot slot = 0;
  Timer* timer = in_flight(pod, slot);
  if (timer == nullptr) return;
  const bool done_with = is_done_with(error.fault) || std::exchange(timer->mark_refused, true);
  const bool may_go_on = error.fault != Fault::NotFound && error.fault != Fault::NotLeading;
  if (done_with && may_go_on) {
    timer->marked = true;
    pending_.goes_on(slot, now);
  } else {
    timer->under_way = false;
    pending_.failed(slot, error, now);
  }
}

void TaintEviction::evicted(const PodRef& pod, Instant now) {
  Slot slot = 0;
  Timer* timer = in_flight(pod, slot);
  if (timer == nullptr) return;
  timer->accepted = true;
  timer->marked = timer->mark_refused = timer->under_way = false;
  pending_.accepted(slot, now + deletion_shows_within, now);
  if (view_.pods.at(slot).deleting) forget(slot);
}

void TaintEviction::refused(const PodRef& pod, const Error& error, Instant now) {
  Slot slot = 0;
  Timer* timer = in_flight(pod, slot);
  if (timer == nullptr) return;
  timer->under_way = false;
  pending_.failed(slot, error, now);
}

void TaintEviction::not_sent(const PodRef& pod, Instant now) {
  Slot slot = 0;
  Timer* timer = in_flight(pod, slot);
  if (timer == nullptr) return;
  timer->begun = false;
  pending_.goes_on(slot, now);
}

}  // namespace nlc::controller
