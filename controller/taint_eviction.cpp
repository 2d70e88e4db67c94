#include "controller/taint_eviction.h"

#include <algorithm>

#include "controller/taints.h"

namespace nlc::controller {
namespace {

constexpr std::string_view disruption_reason = "DeletionByTaintManager";
constexpr std::string_view disruption_message = "Taint manager: deleting due to NoExecute taint";

std::vector<api::Taint> no_execute_taints(const api::Node& node) {
  std::vector<api::Taint> found;
  for (const api::Taint& taint : node.taints) {
    if (taint.effect == api::effect::no_execute) found.push_back(taint);
  }
  return found;
}

bool is_outage(const api::Taint& taint) {
  return taint.key == taint::not_ready || taint.key == taint::unreachable;
}

bool same_patience(const std::vector<SeenTaint>& left, const std::vector<SeenTaint>& right) {
  return std::ranges::equal(left, right, [](const SeenTaint& a, const SeenTaint& b) {
    return api::same_taint(a.taint, b.taint) && a.taint.value == b.taint.value &&
           a.since == b.since;
  });
}

/// By its own account. Seconds are cut off when it is written: it may be nearly one second younger
/// than it says, and no pod may go early.
Instant added_at(const api::Taint& taint, Moment at) {
  if (!taint.time_added) return at.now;
  return at.now - std::max(age_of(*taint.time_added, at) - std::chrono::seconds(1), Duration{0});
}

}  // namespace

void TaintEviction::trust_wall_clock(bool close, Moment at) {
  if (std::exchange(wall_clock_close_, close) || !close) return;
  for (auto& [node, taints] : taints_) {
    for (SeenTaint& seen : taints) seen.since = std::min(seen.since, added_at(seen.taint, at));
    evaluate_pods_of(node, at.now);
  }
}

void TaintEviction::node_stored(const api::Node& node, const api::Node* before, Moment at) {
  const std::vector<api::Taint> taints = no_execute_taints(node);
  const auto known = taints_.find(node.name);
  if (taints.empty() && known == taints_.end()) {
    // One that had been deleted may have left countdowns behind (against D-TE-5).
    if (before == nullptr && !countdowns_.empty()) evaluate_pods_of(node.name, at.now);
    return;
  }

  const std::vector<SeenTaint> known_so_far =
      known == taints_.end() ? std::vector<SeenTaint>() : known->second;
  std::vector<SeenTaint> seen;
  for (const api::Taint& taint : taints) {
    seen.push_back({.taint = taint, .since = first_sight(taint, known_so_far, taints, at)});
  }
  if (same_patience(known_so_far, seen)) return;
  if (seen.empty()) {
    taints_.erase(known);
  } else {
    taints_.insert_or_assign(node.name, std::move(seen));
  }
  evaluate_pods_of(node.name, at.now);
}

void TaintEviction::evaluate_pods_of(const std::string& node, Instant now) {
  for (const Slot slot : view_.pods_by_node.with(node)) {
    const auto countdown = countdowns_.find(slot);
    const Instant since =
        countdown == countdowns_.end() ? Instant::min() : countdown->second.pod_since;
    evaluate(slot, since, now);
  }
}

/// A taint that was there before keeps its moment, however often it is written; the one that takes
/// the place of the other outage taint goes on with that one's.
Instant TaintEviction::first_sight(const api::Taint& taint, const std::vector<SeenTaint>& before,
                                   const std::vector<api::Taint>& now_there, Moment at) const {
  for (const SeenTaint& seen : before) {
    if (api::same_taint(seen.taint, taint)) return seen.since;
  }
  for (const SeenTaint& seen : before) {
    const bool gone = std::ranges::none_of(
        now_there, [&](const api::Taint& other) { return api::same_taint(other, seen.taint); });
    if (gone && is_outage(seen.taint) && is_outage(taint)) return seen.since;
  }
  return wall_clock_close_ ? added_at(taint, at) : at.now;
}

void TaintEviction::pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, Moment at) {
  const bool same_place = before != nullptr && before->uid == pod.uid;
  if (!same_place) forget(slot);
  if (same_place && before->node_name == pod.node_name && before->tolerations == pod.tolerations &&
      before->deleting == pod.deleting && before->finished == pod.finished) {
    return;
  }
  const auto countdown = countdowns_.find(slot);
  if (!taints_.contains(pod.node_name) && countdown == countdowns_.end()) return;
  Instant since = Instant::min();
  if (countdown != countdowns_.end()) {
    since = countdown->second.pod_since;
  } else if (view_.pods.synced() && !(same_place && before->node_name == pod.node_name)) {
    since = at.now;  // it came while the taint was there
  }
  evaluate(slot, since, at.now);
}

void TaintEviction::evaluate(Slot slot, Instant pod_since, Instant now) {
  const api::Pod pod = view_.pods.at(slot);
  const auto known = countdowns_.find(slot);
  if (known != countdowns_.end() && (known->second.attempt.in_flight() || known->second.evicted)) {
    return;  // on its way: what comes back decides
  }
  if (pod.deleting || pod.finished) return forget(slot);
  const auto taints = taints_.find(pod.node_name);
  if (taints == taints_.end()) {
    if (view_.nodes.slot_of(pod.node_name)) return cancel(slot, pod);
    // Its node is gone: nothing changes the deadline any more, and a failed eviction is tried
    // again.
    if (known != countdowns_.end()) go_on(slot, known->second, now);
    return;
  }

  const std::optional<Instant> deadline =
      eviction_deadline(pod.tolerations, taints->second, pod_since, comparisons_);
  if (!deadline) return cancel(slot, pod);
  Countdown& countdown = countdowns_[slot];
  countdown.uid = pod.uid;
  countdown.pod_since = pod_since;
  countdown.deadline = *deadline;
  go_on(slot, countdown, now);
}

void TaintEviction::go_on(Slot slot, Countdown& countdown, Instant now) {
  schedule(slot, countdown, countdown.attempt.retry_at(now).value_or(countdown.deadline));
}

void TaintEviction::schedule(Slot slot, Countdown& countdown, Instant due) {
  unschedule(slot, countdown);
  countdown.due = due;
  agenda_.emplace(due, slot);
  if (countdown.tried) ++waiting_;
}

void TaintEviction::unschedule(Slot slot, Countdown& countdown) {
  if (!countdown.due) return;
  agenda_.erase({*countdown.due, slot});
  countdown.due.reset();
  if (countdown.tried) --waiting_;
}

void TaintEviction::cancel(Slot slot, const api::Pod& pod) {
  const auto known = countdowns_.find(slot);
  if (known == countdowns_.end()) return;
  if (known->second.due) cancelled_.push_back(ref_of(pod));
  forget(slot);
}

void TaintEviction::forget(Slot slot) {
  const auto known = countdowns_.find(slot);
  if (known == countdowns_.end()) return;
  unschedule(slot, known->second);
  countdowns_.erase(known);
}

std::vector<Decision> TaintEviction::due(Instant now) {
  std::vector<Decision> out;
  while (!agenda_.empty() && agenda_.begin()->first <= now) {
    const Slot slot = agenda_.begin()->second;
    Countdown& countdown = countdowns_.at(slot);
    unschedule(slot, countdown);
    countdown.attempt.begin();
    const api::Pod pod = view_.pods.at(slot);
    EvictPod evict{.pod = ref_of(pod),
                   .node = pod.node_name,
                   .generation = pod.generation,
                   .deadline = countdown.deadline,
                   .again = std::exchange(countdown.tried, true)};
    if (const auto& target = pod.disruption_target;
        target && target->status == api::ConditionStatus::True) {
      evict.target_since = target->last_transition;
      evict.already_target =
          target->reason == disruption_reason && target->message == disruption_message;
    }
    out.push_back(std::move(evict));
  }
  return out;
}

std::optional<Instant> TaintEviction::next_due() const {
  if (agenda_.empty()) return std::nullopt;
  return agenda_.begin()->first;
}

TaintEviction::Countdown* TaintEviction::find(const PodRef& pod, Slot& slot) {
  const std::optional<Slot> found = view_.pods.slot_of(pod.key());
  if (!found) return nullptr;
  slot = *found;
  const auto known = countdowns_.find(slot);
  const bool same = known != countdowns_.end() && known->second.uid == pod.uid;
  return same && known->second.attempt.in_flight() ? &known->second : nullptr;
}

void TaintEviction::evicted(const PodRef& pod) {
  Slot slot = 0;
  Countdown* countdown = find(pod, slot);
  if (countdown == nullptr) return;
  countdown->attempt.succeeded();
  countdown->evicted = true;
  if (view_.pods.at(slot).deleting) forget(slot);
}

void TaintEviction::refused(const PodRef& pod, const Error& error, Instant now) {
  Slot slot = 0;
  Countdown* countdown = find(pod, slot);
  if (countdown == nullptr) return;
  countdown->attempt.failed(now, random_, error.retry_after);
  evaluate(slot, countdown->pod_since, now);  // the wish itself may have gone meanwhile
}

}  // namespace nlc::controller
