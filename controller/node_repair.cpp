#include <cassert>
#include <utility>

#include "controller/conditions.h"
#include "controller/labels.h"
#include "controller/node_lifecycle.h"

/// What nodes need to match what is seen of them: conditions, taints and labels, taints at the pace
/// of their zones.
namespace nlc::controller {
namespace {

/// Two different writes of taints to one node are at least so far apart: whoever undoes one by
/// something that calls for the other would keep both sides busy.
constexpr Duration apart = std::chrono::milliseconds(250);

/// So long at most do leases that are being read keep their zone from its next token.
constexpr Duration question_max = std::chrono::seconds(2);

std::string text_of(const api::Labels& labels) {
  std::string text;
  for (const auto& [key, value] : labels) text.append(key).append("=").append(value).append(",");
  return text;
}

}  // namespace

const NodeLifecycle::WriteKey NodeLifecycle::unknown{Writing::Conditions, "Unknown"};

std::vector<Decision> NodeLifecycle::repair(Moment at, client::Room& room, Evictions evictions) {
  std::vector<Decision> out;
  Repair pass{.at = at, .room = room, .out = out};
  if (zones_.unsettled()) settle_zones(at);
  collect_retries(at.now);
  // All are placed in their zones' queues before any zone grants a token, so that the first silent
  // is the first tainted; and who is in a queue is written after that, so that whoever gets a token
  // gets both taints in one write.
  std::vector<std::pair<Slot, NoExecuteStep>> queued;
  for (const Slot slot : std::exchange(dirty_, {})) {
    if (in_flight(slot, NodePart::Status) != nullptr) continue;  // its answer makes it dirty again
    const api::Node node = view_.nodes.at(slot);
    if (in_flight(slot) != nullptr) {
      wish_conditions(slot, node, pass);  // they wait for nothing else
      continue;
    }
    const NoExecuteStep step = step_for(slot, node, at.now);
    const NodeState& known = states_[slot];
    if (!known.waiting) {
      repair(slot, node, step, pass);
    } else if (at.now < known.gathers_until) {
      retry_at(slot, known.gathers_until);
    } else {
      queued.emplace_back(slot, step);
    }
  }
  std::set<Slot> done;
  if (evictions == Evictions::Allowed) grant_evictions(pass, done);
  for (const auto& [slot, step] : queued) {
    if (done.contains(slot)) continue;
    repair(slot, view_.nodes.at(slot), step, pass);
  }
  return out;
}

void NodeLifecycle::collect_retries(Instant now) {
  while (!retries_.empty() && retries_.begin()->first <= now) {
    const Slot slot = retries_.begin()->second;
    retries_.erase(retries_.begin());
    if (view_.nodes.holds(slot)) mark_dirty(slot);
  }
}

/// Also keeps the node's place in its zone's queue.
NoExecuteStep NodeLifecycle::step_for(Slot slot, const api::Node& node, Instant now) {
  if (!policy_.evict_by_taints) return NoExecuteStep::Keep;
  const NoExecuteNeed need = no_execute_need(node);
  if (need == NoExecuteNeed::Queue) {
    enqueue(slot, now);
  } else {
    dequeue(slot);
  }
  if (zones_.all_disrupted() && has_managed_no_execute(node)) return NoExecuteStep::Clear;
  if (need == NoExecuteNeed::Clear) return NoExecuteStep::Clear;
  return need == NoExecuteNeed::Swap ? NoExecuteStep::Set : NoExecuteStep::Keep;
}

/// The most important thing first; what waits out a failure lets the next one go.
void NodeLifecycle::repair(Slot slot, const api::Node& node, NoExecuteStep step, Repair& pass) {
  pass.waited = false;
  const bool wished = wish_conditions(slot, node, pass) || wish_taints(slot, node, step, pass) ||
                      wish_labels(slot, node, pass);
  if (!wished && !pass.waited && !verdict_waits(slot, pass.at.now)) troubled_.erase(slot);
}

/// It was refused, and will be tried again once the lease has been read anew.
bool NodeLifecycle::verdict_waits(Slot slot, Instant now) const {
  if (sight_.at(now) <= glances_[slot].grace_ends) return false;
  if (glances_[slot].ready == api::ConditionStatus::Unknown) return false;
  const auto writes = writes_.find(slot);
  if (writes == writes_.end()) return false;
  const auto verdict = writes->second.tries.find(unknown);
  return verdict != writes->second.tries.end() && verdict->second.is_repeated();
}

/// True: it is on its way, or would be if there were room.
bool NodeLifecycle::wish_conditions(Slot slot, const api::Node& node, Repair& pass) {
  const Moment at = pass.at;
  const bool sure = glances_[slot].silent && is_confirmed(slot, at.now);
  if (!sure || sight_.blind(at.now)) return false;
  std::vector<api::NodeCondition> conditions = silent_conditions(node, at.wall);
  if (conditions.empty() || waits(slot, unknown, pass)) return false;
  if (const auto attempt = begin(slot, unknown, client::Lane::NodeStatus, pass)) {
    std::vector<std::string> order = condition_order(node, conditions);
    pass.out.push_back(
        MarkSilent{.node = ref_of(node),
                   .resource_version = node.resource_version,
                   .conditions = std::move(conditions),
                   .order = std::move(order),
                   .silent_for = sight_.at(at.now) - states_[slot].heartbeat.last_moved,
                   .attempt = *attempt});
  }
  return true;
}

bool NodeLifecycle::wish_taints(Slot slot, const api::Node& node, NoExecuteStep step,
                                Repair& pass) {
  std::vector<api::Taint> taints = planned_taints(node, step, pass.at.wall);
  if (taints == node.taints) return false;
  std::string added = taints_only_in(taints, node.taints);
  std::string removed = taints_only_in(node.taints, taints);
  const WriteKey key{Writing::Taints, "added " + added + " removed " + removed};
  if (waits(slot, key, pass)) return false;
  if (const auto attempt = begin(slot, key, client::Lane::NodeWrite, pass)) {
    const api::NodeCondition* ready = node.condition(api::condition::ready);
    pass.out.push_back(
        SetTaints{.node = ref_of(node),
                  .resource_version = node.resource_version,
                  .taints = std::move(taints),
                  .added = std::move(added),
                  .removed = std::move(removed),
                  .ready = ready != nullptr ? std::string(name_of(ready->status)) : "",
                  .reason = ready != nullptr ? ready->reason : "",
                  .attempt = *attempt});
  }
  return true;
}

bool NodeLifecycle::wish_labels(Slot slot, const api::Node& node, Repair& pass) {
  api::Labels labels = missing_labels(node);
  if (labels.empty()) return false;
  const WriteKey key{Writing::Labels, text_of(labels)};
  if (waits(slot, key, pass)) return false;
  if (const auto attempt = begin(slot, key, client::Lane::NodeWrite, pass)) {
    pass.out.push_back(SetLabels{.node = ref_of(node),
                                 .resource_version = node.resource_version,
                                 .labels = std::move(labels),
                                 .attempt = *attempt});
  }
  return true;
}

/// Whether such a write has to wait; the node is dirty again when it has not. What was taken lately
/// and is wanted again has not lasted.
bool NodeLifecycle::waits(Slot slot, const WriteKey& key, Repair& pass) {
  const Instant now = pass.at.now;
  NodeWrites& writes = writes_[slot];
  RetryState& retry = writes.tries[key];
  if (retry.did_not_last(now, random_)) {
    troubled_.insert(slot);
    news_.push_back({.kind = NodeNews::Kind::Undone,
                     .node = ref_of(view_.nodes.at(slot)),
                     .detail = key.second});
  }
  std::optional<Instant> until = retry.retry_at(now);
  if (key.first == Writing::Taints && writes.taints_taken && now < *writes.taints_taken + apart) {
    until = std::max(until.value_or(now), *writes.taints_taken + apart);
  }
  if (!until) return false;
  retry_at(slot, *until);
  pass.waited = true;
  pass.refused = retry.was_refused();
  return true;
}

/// Nothing: there is no room now, and the node stays dirty.
std::optional<Try> NodeLifecycle::begin(Slot slot, const WriteKey& key, client::Lane lane,
                                        Repair& pass) {
  NodeWrites& writes = writes_[slot];
  RetryState& retry = writes.tries[key];
  const Try attempt = retry.is_repeated() ? Try::Again : Try::First;
  if (!pass.room.take(lane, attempt)) {
    mark_dirty(slot);
    return std::nullopt;
  }
  retry.begin();
  if (key == unknown) {
    writes.marking = true;
  } else {
    writes.in_flight = key;
  }
  return attempt;
}

// --- the pace of the zones ----------------------------------------------------------------------

/// `done`: nothing is to be written about these now.
void NodeLifecycle::grant_evictions(Repair& pass, std::set<Slot>& done) {
  const bool none_waits = std::ranges::all_of(
      zones_.all(), [](const auto& entry) { return entry.second.queue.empty(); });
  if (none_waits) return;
  const std::map<const Zone*, Instant> in_question = zones_in_question();
  for (auto& [key, zone] : zones_.all()) {
    const auto question = in_question.find(&zone);
    for (auto position = zone.queue.begin();
         position != zone.queue.end() && zone.may_evict(pass.at.now);) {
      const Slot slot = position->second;
      ++position;
      if (in_flight(slot) != nullptr || in_flight(slot, NodePart::Status) != nullptr) continue;
      Instant gathers_until = states_[slot].gathers_until;
      if (question != in_question.end()) gathers_until = std::max(gathers_until, question->second);
      if (pass.at.now < gathers_until) {
        retry_at(slot, gathers_until);
        continue;
      }
      pass.waited = false;
      // A NoExecute taint that somebody refuses keeps the NoSchedule taint from nobody; while the
      // server is in trouble both are tried together.
      if (grant(slot, zone, pass) || (pass.waited && !pass.refused)) done.insert(slot);
    }
  }
}

/// Those of nodes whose leases are being read, which may be as silent as the ones in the queue:
/// until when that keeps them from a token.
std::map<const Zone*, Instant> NodeLifecycle::zones_in_question() const {
  std::map<const Zone*, Instant> zones;
  if (asked_ == 0) return zones;
  for (const auto& [slot, suspicion] : suspicions_) {
    if (!suspicion.asked) continue;
    const Instant until = *suspicion.asked + question_max;
    const auto [known, is_new] = zones.emplace(glances_[slot].zone, until);
    if (!is_new) known->second = std::min(known->second, until);
  }
  return zones;
}

/// False: it cannot be written now, and the next one may have the token.
bool NodeLifecycle::grant(Slot slot, Zone& zone, Repair& pass) {
  const api::Node node = view_.nodes.at(slot);
  if (policy_.evict_by_taints) {
    // What is more important about it goes first, and its taints with the next call.
    if (wish_conditions(slot, node, pass)) return true;
    wish_taints(slot, node, NoExecuteStep::Set, pass);
  } else if (!waits(slot, {Writing::Read, {}}, pass) &&
             begin(slot, {Writing::Read, {}}, client::Lane::Read, pass)) {
    pass.out.push_back(ReadNode{.node = ref_of(node)});
  }
  NodeWrites* writes = in_flight(slot);
  if (writes == nullptr) return false;
  zone.evictions.take(pass.at.now);
  writes->spent_token = true;
  dequeue(slot);
  return true;
}

/// Of a write that did not use it.
void NodeLifecycle::give_token_back(Slot slot, NodeWrites& writes, Instant now) {
  if (std::exchange(writes.spent_token, false)) glances_[slot].zone->evictions.put_back(now);
}

void NodeLifecycle::enqueue(Slot slot, Instant now) {
  NodeState& known = states_[slot];
  if (known.waiting) return;
  known.waiting = Waiting{known.not_ready_since, slot};
  known.gathers_until = now + policy_.gathering;
  glances_[slot].zone->queue.insert(*known.waiting);
}

void NodeLifecycle::dequeue(Slot slot) {
  std::optional<Waiting>& waiting = states_[slot].waiting;
  if (!waiting) return;
  glances_[slot].zone->queue.erase(*waiting);
  waiting.reset();
}

}  // namespace nlc::controller
