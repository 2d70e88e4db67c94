#include <cassert>
#include <utility>

#include "controller/labels.h"
#include "controller/node_lifecycle.h"

/// What nodes need to match what is seen of them: taints and labels, at the pace of their zones.
namespace nlc::controller {

std::vector<Decision> NodeLifecycle::repair(Moment at, Evictions evictions) {
  std::vector<Decision> out;
  while (!retries_.empty() && retries_.begin()->first <= at.now) {
    const Slot slot = retries_.begin()->second;
    retries_.erase(retries_.begin());
    if (view_.nodes.holds(slot)) mark_dirty(slot);
  }
  // All are placed in their zones' queues before any zone grants a turn, so that the first silent
  // is the first tainted; and who is in a queue is written after that, so that whoever has its turn
  // gets both taints in one write.
  std::vector<std::pair<Slot, NoExecuteStep>> queued;
  for (const Slot slot : std::exchange(dirty_, {})) {
    const NodeState& known = states_[slot];
    if (known.attempt.in_flight()) continue;  // its answer makes it dirty again
    if (const std::optional<Instant> retry = known.attempt.retry_at(at.now)) {
      retries_.emplace(*retry, slot);
      continue;
    }
    const api::Node node = view_.nodes.at(slot);
    const NoExecuteStep step = step_for(slot, node);
    if (known.waiting) {
      queued.emplace_back(slot, step);
    } else if (std::optional<Decision> decision = reconcile(slot, node, step, at)) {
      out.push_back(std::move(*decision));
    }
  }
  if (evictions == Evictions::Allowed) grant_evictions(at, out);
  for (const auto& [slot, step] : queued) {
    if (states_[slot].attempt.in_flight()) continue;  // granted
    if (std::optional<Decision> decision = reconcile(slot, view_.nodes.at(slot), step, at)) {
      out.push_back(std::move(*decision));
    }
  }
  return out;
}

/// Also keeps the node's place in its zone's queue.
NoExecuteStep NodeLifecycle::step_for(Slot slot, const api::Node& node) {
  if (!policy_.evict_by_taints) return NoExecuteStep::Keep;
  const NoExecuteNeed need = no_execute_need(node);
  if (need == NoExecuteNeed::Queue) {
    enqueue(slot);
  } else {
    dequeue(slot);
  }
  if (zones_.all_disrupted() && has_managed_no_execute(node)) return NoExecuteStep::Clear;
  if (need == NoExecuteNeed::Clear) return NoExecuteStep::Clear;
  return need == NoExecuteNeed::Swap ? NoExecuteStep::Set : NoExecuteStep::Keep;
}

std::optional<Decision> NodeLifecycle::reconcile(Slot slot, const api::Node& node,
                                                 NoExecuteStep step, Moment at) {
  NodeState& known = states_[slot];
  std::vector<api::Taint> taints = planned_taints(node, step, at.wall);
  if (taints != node.taints) {
    known.attempt.begin();
    std::string added = taints_only_in(taints, node.taints);
    std::string removed = taints_only_in(node.taints, taints);
    const api::NodeCondition* ready = node.condition(api::condition::ready);
    return SetTaints{.node = ref_of(node),
                     .resource_version = node.resource_version,
                     .taints = std::move(taints),
                     .added = std::move(added),
                     .removed = std::move(removed),
                     .ready = ready != nullptr ? std::string(name_of(ready->status)) : "",
                     .reason = ready != nullptr ? ready->reason : ""};
  }
  api::Labels labels = missing_labels(node);
  if (labels.empty()) return std::nullopt;
  known.attempt.begin();
  return SetLabels{
      .node = ref_of(node), .resource_version = node.resource_version, .labels = std::move(labels)};
}

void NodeLifecycle::grant_evictions(Moment at, std::vector<Decision>& out) {
  for (auto& [key, zone] : zones_.all()) {
    for (auto position = zone.queue.begin();
         position != zone.queue.end() && zone.may_evict(at.now);) {
      const Slot slot = position->second;
      ++position;
      NodeState& known = states_[slot];
      if (!known.attempt.may_begin(at.now)) continue;
      zone.evictions.take(at.now);
      known.spent_token = true;
      dequeue(slot);
      if (!policy_.evict_by_taints) {
        known.attempt.begin();
        out.push_back(ReadNode{.node = ref_of(view_.nodes.at(slot))});
        continue;
      }
      std::optional<Decision> decision =
          reconcile(slot, view_.nodes.at(slot), NoExecuteStep::Set, at);
      assert(decision);  // a waiting node lacks its taint
      out.push_back(std::move(*decision));
    }
  }
}

void NodeLifecycle::enqueue(Slot slot) {
  NodeState& known = states_[slot];
  if (known.waiting) return;
  known.waiting = Waiting{known.not_ready_since, slot};
  glances_[slot].zone->queue.insert(*known.waiting);
}

void NodeLifecycle::dequeue(Slot slot) {
  std::optional<Waiting>& waiting = states_[slot].waiting;
  if (!waiting) return;
  glances_[slot].zone->queue.erase(*waiting);
  waiting.reset();
}

}  // namespace nlc::controller
