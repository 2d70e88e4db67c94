#include "controller/pods/taint_eviction.h"

#include <algorithm>

#include "api/patches.h"
#include "controller/pods/due_step.h"
#include "controller/rules/conditions.h"
#include "controller/rules/taints.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// A pod that was read because it had changed may be deleted for so long in whatever version it is
/// by then: one that changes all the time would else never go.
constexpr Duration read_counts_for = std::chrono::seconds(10);

/// What a condition that met this will meet again, or pay for dearly.
bool is_done_with(Fault fault) {
  return fault == Fault::Forbidden || fault == Fault::Invalid || fault == Fault::Timeout;
}

}  // namespace

// --- nodes --------------------------------------------------------------------------------------

void TaintEviction::trust_wall_clock(bool close, Moment at) {
  for (const std::string& node : taints_.trust_wall_clock(close, at)) evaluate_pods_of(node, at);
}

void TaintEviction::node_stored(const api::Node& node, const api::Node* before, Moment at) {
  if (before != nullptr && before->uid != node.uid) {
    node_removed(*before);
    before = nullptr;
  }
  const SeenTaints::Change change = taints_.node_stored(node, at);
  if (change.another) forget_timers(node.name, at);
  // One that had been deleted may have left timers behind (against D-TE-5).
  const bool came_back = !change.had_or_has && before == nullptr && !timers_.empty();
  if (change.timers || came_back) evaluate_pods_of(node.name, at);
}

void TaintEviction::listed(Instant now) {
  if (!view_.nodes.catching_up()) return;
  for (auto next = timers_.begin(); next != timers_.end();) {
    const Slot slot = next++->first;  // it may be forgotten
    const api::Pod pod = view_.pods.at(slot);
    if (!view_.nodes.slot_of(pod.node_name)) let_stay(slot, pod, now);
  }
}

/// A taint that takes the place of another goes on with that one's time for pods whose timer
/// runs. For the others it is as if they had come now.
void TaintEviction::forget_timers(const std::string& node, Moment at) {
  for (const Slot slot : view_.pods_by_node.with(node)) {
    const auto known = timers_.find(slot);
    const bool counts = known != timers_.end() && known->second.deadline;
    if (!counts) timers_[slot].came = at.now;
  }
}

void TaintEviction::evaluate_pods_of(const std::string& node, Moment at) {
  for (const Slot slot : view_.pods_by_node.with(node)) evaluate(slot, at);
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
  const bool tainted = taints_.of(pod.node_name) != nullptr;
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
  const std::vector<SeenTaint>* taints = taints_.of(pod.node_name);
  if (taints == nullptr && known == timers_.end()) return;
  if (pod.deleting || pod.finished) return end(slot, pod, at.now);
  if (taints != nullptr) return follow(slot, pod, *taints, at);
  if (view_.nodes.slot_of(pod.node_name)) let_stay(slot, pod, at.now);
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
  return pod.bound ? taints_.by_account(pod.bound, at).value_or(Instant::min()) : Instant::min();
}

/// The pod is to stay.
void TaintEviction::cancel(Slot slot, const api::Pod& pod, Instant now) {
  if (planted("timer-outlives-taint")) return;
  const auto known = timers_.find(slot);
  if (known == timers_.end() || !known->second.deadline) return;
  Timer& timer = known->second;
  timer.deadline.reset();
  const bool deleting = pending_.in_flight(slot) && timer.marked;
  if (deleting || timer.accepted) {
    overtaken_.push_back(ref_of(pod));
  } else {
    cancelled_.push_back(ref_of(pod));
  }
  pending_.unwant(slot, now);
}

/// The pod is on no tainted node any more.
void TaintEviction::let_stay(Slot slot, const api::Pod& pod, Instant now) {
  cancel(slot, pod, now);
  if (!pending_.in_flight(slot)) forget(slot);
}

/// The pod goes, or has finished: by our deletion, or without us.
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
                                         const EvictionChecks& checks) {
  using Choice = PendingWrites::Choice;
  std::vector<Decision> out;
  pending_.each_due(now, [&](const PendingWrites::Trial& trial) {
    const Slot slot = trial.slot;
    Timer& timer = timers_.at(slot);
    if (now < *timer.deadline) {  // moved while what was asked for was on its way
      pending_.wait(slot, *timer.deadline, now);
      return Choice::Leave;
    }
    if (timer.read && now - *timer.read > read_counts_for) timer.read.reset();
    EvictPod eviction = eviction_of(slot, timer, trial.attempt);
    const PodDue pod{.node = eviction.node,
                     .since = *timer.deadline,
                     .step = eviction.marked ? EvictionStep::Delete : EvictionStep::Mark};
    if (wait_if_held(pod, checks, slot, now, pending_)) return Choice::Leave;
    const bool conditional = !timer.unconditional || now < *timer.unconditional;
    if (conditional && (!may_evict || !may_evict(eviction.node))) return Choice::Leave;
    const Instant due = conditional ? *timer.deadline : *timer.unconditional;
    if (const auto instead = request_step(pod, checks, due, trial, room)) return *instead;
    out.emplace_back(std::move(eviction));
    timer.begun = true;
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

EvictPod TaintEviction::eviction_of(Slot slot, const Timer& timer, Try attempt) const {
  const api::Pod pod = view_.pods.at(slot);
  EvictPod evict{.pod = ref_of(pod),
                 .resource_version = timer.read ? "" : pod.resource_version,
                 .node = pod.node_name,
                 .marked = timer.marked,
                 .first = !timer.begun,
                 .generation = pod.generation,
                 .deadline = *timer.deadline,
                 .attempt = attempt};
  if (const auto& target = pod.disruption_target;
      target && target->status == api::ConditionStatus::True) {
    evict.target_since = target->last_transition;
    evict.marked = evict.marked || (target->reason == api::taint_manager_reason &&
                                    target->message == api::taint_manager_message);
  }
  return evict;
}

void TaintEviction::marked(const PodRef& pod, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (!slot) return;
  timers_.at(*slot).marked = true;
  pending_.goes_on(*slot, now);
}

void TaintEviction::not_marked(const PodRef& pod, const Error& error, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (!slot) return;
  Timer& timer = timers_.at(*slot);
  const bool done_with = is_done_with(error.fault) || std::exchange(timer.mark_refused, true);
  const bool may_go_on = error.fault != Fault::NotFound && error.fault != Fault::NotLeading;
  if (done_with && may_go_on) return marked(pod, now);
  pending_.failed(*slot, error, now);
}

void TaintEviction::evicted(const PodRef& pod, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (!slot) return;
  Timer& timer = timers_.at(*slot);
  timer.accepted = true;
  timer.marked = timer.mark_refused = false;
  timer.read.reset();
  pending_.accepted(*slot, now + deletion_shows_within, now);
  if (view_.pods.at(*slot).deleting) forget(*slot);
}

bool TaintEviction::refused(const PodRef& pod, const Error& error, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (!slot) return true;
  std::optional<Instant>& read = timers_.at(*slot).read;
  const bool named_version = !read;
  if (error.fault == Fault::Conflict && named_version) {
    read = now;
    pending_.goes_on(*slot, now);
    return false;
  }
  pending_.failed(*slot, error, now);
  return true;
}

void TaintEviction::not_sent(const PodRef& pod, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (!slot) return;
  timers_.at(*slot).begun = false;
  pending_.goes_on(*slot, now);
}

}  // namespace nlc::controller
