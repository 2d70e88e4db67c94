#include "controller/pods/timeout_eviction.h"

#include "controller/pods/due_step.h"
#include "controller/rules/pods.h"

namespace nlc::controller {

std::size_t TimeoutEviction::begin(std::string_view node, Instant now) {
  nodes_.emplace(node, now);
  const std::span<const Slot> pods = view_.pods_by_node.with(node);
  for (const Slot slot : pods) {
    const api::Pod pod = view_.pods.at(slot);
    if (wanted(pod)) pending_.want(slot, Instant::min(), now, group_of(pod));
  }
  return pods.size();
}

void TimeoutEviction::end(std::string_view node, Instant now) {
  const auto known = nodes_.find(node);
  if (known == nodes_.end()) return;
  nodes_.erase(known);
  for (const Slot slot : view_.pods_by_node.with(node)) pending_.unwant(slot, now);
}

void TimeoutEviction::pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before,
                                 Instant now) {
  if (before != nullptr && before->uid != pod.uid) pod_removed(slot);
  if (wanted(pod)) {
    pending_.want(slot, Instant::min(), now, group_of(pod));
  } else {
    pending_.unwant(slot, now);
  }
}

void TimeoutEviction::pod_removed(Slot slot) {
  pending_.forget(slot);
  marked_.erase(slot);
  begun_.erase(slot);
  conflicts_.erase(slot);
}

bool TimeoutEviction::wanted(const api::Pod& pod) const {
  return nodes_.contains(pod.node_name) && leaves_by_timeout(pod);
}

std::vector<Decision> TimeoutEviction::due(Instant now, client::Room& room,
                                           const MayEvict& may_evict,
                                           const EvictionChecks& checks) {
  using Choice = PendingWrites::Choice;
  std::vector<Decision> out;
  if (!may_evict) return out;
  pending_.each_due(now, [&](const PendingWrites::Trial& trial) {
    const Slot slot = trial.slot;
    const api::Pod pod = view_.pods.at(slot);
    const bool marked = pod.lost || marked_.contains(slot);
    if (!wanted(pod) || (pod.deleting && marked)) return Choice::Drop;
    const PodDue due{.node = pod.node_name,
                     .since = nodes_.find(pod.node_name)->second,
                     .step = marked ? EvictionStep::Delete : EvictionStep::Mark};
    if (wait_if_held(due, checks, slot, now, pending_)) return Choice::Leave;
    if (!may_evict(pod.node_name)) return Choice::Leave;
    if (const auto instead = request_step(due, checks, Instant::min(), trial, room)) {
      return *instead;
    }
    out.push_back(EvictLostPod{.pod = ref_of(pod),
                               .resource_version = pod.resource_version,
                               .node = pod.node_name,
                               .marked = marked,
                               .first = begun_.insert(slot).second,
                               .terminating = pod.deleting,
                               .attempt = trial.attempt});
    return Choice::Send;
  });
  for (const Slot slot : pending_.take_undone()) marked_.erase(slot);
  return out;
}

void TimeoutEviction::marked(const PodRef& pod, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (!slot) return;
  marked_.insert(*slot);
  pending_.goes_on(*slot, now);
}

/// Why it goes matters less than that it goes.
void TimeoutEviction::not_marked(const PodRef& pod, const Error& error, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (!slot) return;
  const bool conflict = error.fault == Fault::Conflict;
  const bool first = conflict && conflicts_.insert(*slot).second;
  const bool terminating = view_.pods.at(*slot).deleting;  // then to say why is all there is to do
  const bool again = first || (conflict && terminating) || retry_for(error.fault) == Retry::Never;
  if (!again) return marked(pod, now);
  pending_.failed(*slot, error, now);
  if (!conflict) turns_.push_back({.node = view_.pods.at(*slot).node_name, .failed = true});
}

void TimeoutEviction::evicted(const PodRef& pod, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (!slot) return;
  marked_.erase(*slot);
  pending_.accepted(*slot, now + deletion_shows_within, now);
  turns_.push_back({.node = view_.pods.at(*slot).node_name, .failed = false});
}

bool TimeoutEviction::refused(const PodRef& pod, const Error& error, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (!slot) return true;
  pending_.failed(*slot, error, now);
  turns_.push_back({.node = view_.pods.at(*slot).node_name, .failed = true});
  return true;
}

void TimeoutEviction::not_sent(const PodRef& pod, Instant now) {
  const std::optional<Slot> slot = slot_in_flight(pending_, pod, view_.pods);
  if (slot) pending_.goes_on(*slot, now);
}

}  // namespace nlc::controller
