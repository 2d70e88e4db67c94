#include "controller/pod_readiness.h"

#include "controller/conditions.h"

namespace nlc::controller {

void PodReadiness::node_stored(const api::Node& node, const api::Node* before) {
  if (!judged_silent(node) || (before != nullptr && judged_silent(*before))) return;
  for (const Slot slot : view_.pods_by_node.with(node.name)) {
    if (wanted(view_.pods.at(slot))) wishes_.try_emplace(slot);
  }
}

void PodReadiness::pod_stored(Slot slot, const api::Pod& pod) {
  if (wanted(pod)) wishes_.try_emplace(slot);
}

bool PodReadiness::wanted(const api::Pod& pod) const {
  if (!pod.ready || pod.ready->status == api::ConditionStatus::False) return false;
  const api::Node* node = view_.nodes.find(pod.node_name);
  return node != nullptr && judged_silent(*node);
}

std::vector<Decision> PodReadiness::due(Instant now) {
  std::vector<Decision> out;
  for (auto wish = wishes_.begin(); wish != wishes_.end();) {
    const api::Pod& pod = view_.pods.at(wish->first);
    Attempt& attempt = wish->second;
    if (!attempt.in_flight() && !wanted(pod)) {
      wish = wishes_.erase(wish);
      continue;
    }
    if (attempt.may_begin(now)) {
      attempt.begin();
      out.push_back(MarkPodNotReady{.pod = ref_of(pod), .resource_version = pod.resource_version});
    }
    ++wish;
  }
  return out;
}

Attempt* PodReadiness::find(const PodRef& pod) {
  const std::optional<Slot> slot = view_.pods.slot_of(pod.key());
  if (!slot) return nullptr;
  const auto wish = wishes_.find(*slot);
  const bool same = wish != wishes_.end() && view_.pods.at(*slot).uid == pod.uid;
  return same && wish->second.in_flight() ? &wish->second : nullptr;
}

void PodReadiness::written(const PodRef& pod) {
  if (Attempt* attempt = find(pod)) attempt->succeeded();
}

void PodReadiness::refused(const PodRef& pod, const Error& error, Instant now) {
  Attempt* attempt = find(pod);
  if (attempt == nullptr) return;
  if (error.fault == Fault::Conflict) {
    attempt->succeeded();  // the live pod has been read: no need to wait
  } else {
    attempt->failed(now, random_, error.retry_after);
  }
}

std::optional<Instant> PodReadiness::next_due(Instant now) const {
  std::optional<Instant> next;
  for (const auto& [slot, attempt] : wishes_) {
    const std::optional<Instant> retry = attempt.retry_at(now);
    if (retry && (!next || *retry < *next)) next = retry;
  }
  return next;
}

}  // namespace nlc::controller
