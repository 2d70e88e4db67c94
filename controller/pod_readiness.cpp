#include "controller/pod_readiness.h"

#include "controller/conditions.h"

namespace nlc::controller {

void PodReadiness::node_stored(const api::Node& node, const api::Node* before) {
  const bool silent = judged_silent(node);
  if (node.condition(api::condition::ready) != nullptr && !is_ready(node)) {
    unready_.insert_or_assign(node.name, silent);
  } else {
    unready_.erase(node.name);
  }
  if (silent == (before != nullptr && judged_silent(*before))) return;
  for (const Slot slot : view_.pods_by_node.with(node.name)) {
    pod_stored(slot, view_.pods.at(slot));
  }
}

/// A standby lets go of what the leader has done.
void PodReadiness::pod_stored(Slot slot, const api::Pod& pod) {
  if (wanted(slot, pod)) {
    wishes_.add(slot);
  } else {
    wishes_.drop(slot);
    late_.erase(slot);
  }
}

void PodReadiness::pod_bound(Slot slot, const api::Pod& pod) {
  late_.insert(slot);
  pod_stored(slot, pod);
}

void PodReadiness::pod_removed(Slot slot) {
  wishes_.drop(slot);
  late_.erase(slot);
}

bool PodReadiness::wanted(Slot slot, const api::Pod& pod) const {
  if (!pod.ready || pod.ready->status == api::ConditionStatus::False) return false;
  const auto unready = unready_.find(pod.node_name);
  if (unready == unready_.end()) return false;
  return unready->second || late_.contains(slot);
}

std::vector<Decision> PodReadiness::due(Instant now) {
  std::vector<Decision> out;
  wishes_.each_due(now, [&](Slot slot, bool) {
    const api::Pod pod = view_.pods.at(slot);
    if (!wanted(slot, pod)) {
      late_.erase(slot);
      return false;
    }
    out.push_back(MarkPodNotReady{
        .pod = ref_of(pod), .resource_version = pod.resource_version, .node = pod.node_name});
    return true;
  });
  return out;
}

void PodReadiness::written(const PodRef& pod) {
  const std::optional<Slot> slot = wishes_.in_flight(pod, view_.pods);
  if (!slot) return;
  late_.erase(*slot);
  wishes_.answered(*slot);
}

void PodReadiness::refused(const PodRef& pod, const Error& error, Instant now) {
  const std::optional<Slot> slot = wishes_.in_flight(pod, view_.pods);
  if (!slot) return;
  if (error.fault == Fault::Conflict) {
    wishes_.met_conflict(*slot, now, random_);
  } else {
    wishes_.failed(*slot, now, random_, error.retry_after);
  }
}

}  // namespace nlc::controller
