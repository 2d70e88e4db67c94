#include "controller/pods/pod_readiness.h"

#include "controller/pods/eviction_checks.h"
#include "controller/rules/conditions.h"
#include "runtime/planted.h"

namespace nlc::controller {

void PodReadiness::node_stored(const api::Node& node, const api::Node* before, Instant now) {
  const bool silent = judged_silent(node);
  if (node.condition(api::condition::ready) != nullptr && !is_ready(node)) {
    unready_.insert_or_assign(node.name, silent);
  } else {
    unready_.erase(node.name);
  }
  if (silent == (before != nullptr && judged_silent(*before))) return;
  for (const Slot slot : view_.pods_by_node.with(node.name)) {
    if (!silent) pending_.gave_way(slot);
    follow(slot, view_.pods.at(slot), now);
  }
}

void PodReadiness::pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, Instant now) {
  if (before != nullptr && before->uid != pod.uid) pod_removed(slot);
  follow(slot, pod, now);
}

/// A standby lets go of what the leader has done.
void PodReadiness::follow(Slot slot, const api::Pod& pod, Instant now) {
  if (wanted(slot, pod)) {
    if (!pending_.wanted(slot)) pending_.want(slot, Instant::min(), now, group_of(pod));
  } else {
    pending_.unwant(slot, now);
    late_.erase(slot);
  }
}

void PodReadiness::pod_bound(Slot slot, const api::Pod& pod, Instant now) {
  late_.insert(slot);
  follow(slot, pod, now);
}

void PodReadiness::pod_removed(Slot slot) {
  pending_.forget(slot);
  late_.erase(slot);
}

bool PodReadiness::wanted(Slot slot, const api::Pod& pod) const {
  if (!pod.ready || pod.ready->status == api::ConditionStatus::False) return false;
  const auto unready = unready_.find(pod.node_name);
  if (unready == unready_.end()) return false;
  if (planted("pods-stay-ready")) return late_.contains(slot);
  return unready->second || late_.contains(slot);
}

std::vector<Decision> PodReadiness::due(Instant now, client::Room& room, const Spared& spared) {
  using Choice = PendingWrites::Choice;
  std::vector<Decision> out;
  pending_.each_due(now, [&](const PendingWrites::Trial& trial) {
    const Slot slot = trial.slot;
    const api::Pod pod = view_.pods.at(slot);
    if (!wanted(slot, pod)) {
      late_.erase(slot);
      return Choice::Drop;
    }
    if (spared && spared(pod.node_name)) {
      pending_.wait(slot, now + held_recheck, now);
      return Choice::Leave;
    }
    if (const auto lack = trial.take_place(room)) return *lack;
    out.push_back(MarkPodNotReady{.pod = ref_of(pod),
                                  .resource_version = pod.resource_version,
                                  .node = pod.node_name,
                                  .attempt = trial.attempt});
    return Choice::Send;
  });
  return out;
}

void PodReadiness::written(const PodRef& pod, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (!slot) return;
  late_.erase(*slot);
  pending_.succeeded(*slot, now);
}

void PodReadiness::not_sent(const PodRef& pod, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (slot) pending_.goes_on(*slot, now);
}

bool PodReadiness::refused(const PodRef& pod, const Error& error, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (!slot) return false;
  if (error.fault == Fault::Conflict) return pending_.met_conflict(*slot, now);
  pending_.failed(*slot, error, now);
  return true;
}

std::vector<PodRef> PodReadiness::take_undone() {
  std::vector<PodRef> pods;
  for (const Slot slot : pending_.take_undone()) {
    if (view_.pods.holds(slot)) pods.push_back(ref_of(view_.pods.at(slot)));
  }
  return pods;
}

}  // namespace nlc::controller
