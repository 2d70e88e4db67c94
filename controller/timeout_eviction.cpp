#include "controller/timeout_eviction.h"

namespace nlc::controller {

std::size_t TimeoutEviction::begin(std::string_view node) {
  nodes_.emplace(node);
  const std::span<const Slot> pods = view_.pods_by_node.with(node);
  for (const Slot slot : pods) {
    if (wanted(view_.pods.at(slot))) wishes_.add(slot);
  }
  return pods.size();
}

void TimeoutEviction::end(std::string_view node) {
  const auto known = nodes_.find(node);
  if (known == nodes_.end()) return;
  nodes_.erase(known);
  for (const Slot slot : view_.pods_by_node.with(node)) wishes_.drop(slot);
}

void TimeoutEviction::pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before) {
  const bool another = before != nullptr && before->uid != pod.uid;
  if (another || !wanted(pod)) wishes_.drop(slot);
  if (wanted(pod)) wishes_.add(slot);
}

bool TimeoutEviction::wanted(const api::Pod& pod) const {
  if (!nodes_.contains(pod.node_name) || pod.daemon || pod.finished) return false;
  return !pod.deleting || !pod.lost;
}

std::vector<Decision> TimeoutEviction::due(Instant now) {
  std::vector<Decision> out;
  wishes_.each_due(now, [&](Slot slot, bool again) {
    const api::Pod pod = view_.pods.at(slot);
    if (!wanted(pod)) return false;
    out.push_back(EvictLostPod{.pod = ref_of(pod),
                               .resource_version = pod.resource_version,
                               .node = pod.node_name,
                               .marked = pod.lost,
                               .terminating = pod.deleting,
                               .again = again});
    return true;
  });
  return out;
}

void TimeoutEviction::evicted(const PodRef& pod) {
  if (const std::optional<Slot> slot = wishes_.in_flight(pod, view_.pods)) wishes_.rest(*slot);
}

void TimeoutEviction::refused(const PodRef& pod, const Error& error, Instant now) {
  if (const std::optional<Slot> slot = wishes_.in_flight(pod, view_.pods)) {
    wishes_.failed(*slot, now, random_, error.retry_after);
  }
}

}  // namespace nlc::controller
