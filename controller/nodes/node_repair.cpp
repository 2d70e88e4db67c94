#include "controller/nodes/node_repair.h"

#include <algorithm>

#include "api/version.h"
#include "controller/rules/conditions.h"
#include "controller/rules/labels.h"
#include "runtime/earlier.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// So long at most do leases that are being read keep their zone from its next token.
constexpr Duration question_max = std::chrono::seconds(2);

std::string text_of(const api::Labels& labels) {
  std::string text;
  for (const auto& [key, value] : labels) text.append(key).append("=").append(value).append(",");
  return text;
}

/// Until when leases that are being read keep their zone from a token: their nodes may be as silent
/// as the ones in its queue.
Instant in_question_until(const NodeHealth& health, const Zone& zone) {
  std::optional<Instant> until;
  health.reads().each_asked([&](Slot slot, Instant since) {
    if (health.summary(slot).zone == &zone) until = earlier(until, since + question_max);
  });
  return until.value_or(Instant::min());
}

}  // namespace

using Kind = NodeWrites::Kind;

// --- observe ------------------------------------------------------------------------------------

void NodeRepair::node_stored(Slot slot, const api::Node& node, const api::Node* before,
                             Instant now) {
  if (before == nullptr || zone_key(*before) != zone_key(node)) queue_.dequeue(slot);
  if (!policy_.evict_by_taints) return timeouts_.node_stored(slot, now);
  if (before == nullptr) return;
  const bool taint_appears = !has_managed_no_execute(*before) && has_managed_no_execute(node);
  // A list that was begun before a write shows what was there before, and tells nothing of it.
  const bool is_news = api::older_version(before->resource_version, node.resource_version);
  if (is_news) writes_.needs_no_read(slot);  // what it was read for is seen
  Zone& zone = zone_of(slot);
  if (taint_appears && queue_.seen(slot, zone, now)) zones_evicting_.push_back(zone.key);
  if (!taint_appears && is_news) queue_.changed(slot, zone, now);
}

void NodeRepair::node_removed(Slot slot, const api::Node& node, Instant now) {
  // A watch would have told of the taint before it tells that the node is gone; a list does not.
  const bool may_have_been_tainted = policy_.evict_by_taints && view_.nodes.catching_up();
  if (!may_have_been_tainted) queue_.give_back(slot, zone_of(slot), now);
  queue_.forget(slot);
  timeouts_.node_removed(slot, node);
  writes_.forget(slot);
}

void NodeRepair::mark_dirty(const std::vector<Slot>& slots) {
  for (const Slot slot : slots) mark_dirty(slot);
}

void NodeRepair::end_leading() {
  writes_.forget_troubles();
  if (!policy_.evict_by_taints) return;  // that queue is followed by a standby as well
  view_.nodes.each_slot([this](Slot slot) { queue_.dequeue(slot); });
}

// --- decide -------------------------------------------------------------------------------------

std::vector<Decision> NodeRepair::repair(Moment at, client::Room& room, Evictions evictions) {
  std::vector<Decision> out;
  Pass pass{.at = at, .room = room, .out = out};
  writes_.collect_retries(at.now);
  // All are placed in their zones' queues before any zone grants a token, so that the first silent
  // is the first tainted; and who is in a queue is written after that, so that whoever gets a token
  // gets both taints in one write.
  const std::vector<std::pair<Slot, NoExecuteStep>> queued = repair_dirty(pass);
  std::set<Slot> done;
  if (evictions == Evictions::Allowed) grant_evictions(pass, done);
  for (const auto& [slot, step] : queued) {
    if (done.contains(slot)) continue;  // both taints go together
    repair(slot, view_.nodes.at(slot), step, pass);
  }
  writes_.ask_for_room([&](Slot slot) {
    const std::optional<api::Node> node = idle_node(slot, pass);
    if (!node) return;
    if (done.contains(slot)) return static_cast<void>(wish_conditions(slot, *node, pass));
    repair(slot, *node, step_for(slot, *node, at.now), pass);
  });
  return out;
}

/// Answers those that are in a queue and gather no longer, which are left.
std::vector<std::pair<Slot, NoExecuteStep>> NodeRepair::repair_dirty(Pass& pass) {
  const Instant now = pass.at.now;
  std::vector<std::pair<Slot, NoExecuteStep>> queued;
  for (const Slot slot : writes_.take_dirty()) {
    if (!view_.nodes.holds(slot)) continue;
    const std::optional<api::Node> node = idle_node(slot, pass);
    if (!node) continue;
    const NoExecuteStep step = step_for(slot, *node, now);
    if (!queue_.waits(slot)) {
      repair(slot, *node, step, pass);
    } else if (now < queue_.gathers_until(slot)) {
      writes_.retry_at(slot, queue_.gathers_until(slot));
    } else {
      queued.emplace_back(slot, step);
    }
  }
  return queued;
}

std::optional<Instant> NodeRepair::next_repair(Instant now, Evictions evictions) const {
  const std::optional<Instant> retry = writes_.next_retry();
  if (evictions == Evictions::Held) return retry;
  return earlier(retry, health_.zones().next_token(now));
}

/// Nothing: what is on its way makes the node dirty again once it is answered.
std::optional<api::Node> NodeRepair::idle_node(Slot slot, Pass& pass) {
  if (writes_.in_flight(slot, NodePart::Status)) return std::nullopt;
  api::Node node = view_.nodes.at(slot);
  if (!writes_.in_flight(slot, NodePart::Spec)) return node;
  wish_conditions(slot, node, pass);  // they wait for nothing else
  return std::nullopt;
}

/// Also keeps the node's place in its zone's queue.
NoExecuteStep NodeRepair::step_for(Slot slot, const api::Node& node, Instant now) {
  if (!policy_.evict_by_taints) return NoExecuteStep::Keep;
  const NoExecuteNeed need = no_execute_need(node);
  const bool paused = pauses_.pauses_evictions(slot);
  if (need == NoExecuteNeed::Queue && !paused) {
    queue_.enqueue(slot, zone_of(slot), health_.summary(slot).not_ready_since,
                   now + policy_.gathering);
  } else {
    queue_.dequeue(slot);
  }
  if (health_.zones().all_disrupted() && has_managed_no_execute(node)) return NoExecuteStep::Clear;
  if (need == NoExecuteNeed::Clear) return NoExecuteStep::Clear;
  return need == NoExecuteNeed::Swap && !paused ? NoExecuteStep::Set : NoExecuteStep::Keep;
}

/// The most important thing first; what waits out a failure lets the next one go.
void NodeRepair::repair(Slot slot, const api::Node& node, NoExecuteStep step, Pass& pass) {
  pass.waited = false;
  const bool wished = wish_conditions(slot, node, pass) || clear_up(slot, node, pass) ||
                      wish_taints(slot, node, step, pass) || wish_labels(slot, node, pass);
  if (wished || pass.waited || verdict_waits(slot, pass.at.now)) return;
  using enum NodeWrites::Waits;
  writes_.well(slot, turn_waits(slot) ? ForItsTurn : ForNothing, pass.at.now);
}

/// What the node waits for in the queue of its zone may have been refused, too. Where no zone's
/// turn comes nothing is wanted.
bool NodeRepair::turn_waits(Slot slot) const {
  if (!zone_of(slot).evictions.next_token()) return false;
  if (queue_.waits(slot)) return true;
  return !policy_.evict_by_taints && timeouts_.end_of(slot) && !timeouts_.is_evicting(slot);
}

/// The write was refused, and will be tried again once the lease has been read anew.
bool NodeRepair::verdict_waits(Slot slot, Instant now) const {
  if (health_.heartbeats().in_grace(slot, now)) return false;
  if (health_.summary(slot).ready == api::ConditionStatus::Unknown) return false;
  const RetryState* verdict = writes_.verdict(slot);
  return verdict != nullptr && verdict->is_repeated();
}

/// True: the write is on its way, or would be if there were room.
bool NodeRepair::wish_conditions(Slot slot, const api::Node& node, Pass& pass) {
  const Moment at = pass.at;
  if (health_.heartbeats().in_grace(slot, at.now)) writes_.verdict_gave_way(slot);
  if (pauses_.pauses_all(slot)) return false;
  if (!health_.is_silent_for_sure(slot, at.now) || availability_.blind(at.now)) return false;
  std::vector<api::NodeCondition> conditions = silent_conditions(node, at.wall);
  if (conditions.empty() || waits(slot, NodeWrites::unknown, pass)) return false;
  if (const auto attempt = writes_.begin(slot, NodeWrites::unknown, pass.room)) {
    std::vector<std::string> order = condition_order(node, conditions);
    pass.out.push_back(
        MarkSilent{.node = ref_of(node),
                   .resource_version = node.resource_version,
                   .conditions = std::move(conditions),
                   .order = std::move(order),
                   .silent_for = availability_.at(at.now) - health_.heartbeats().last_moved(slot),
                   .late = availability_.at(at.now) - health_.heartbeats().grace_ends(slot),
                   .attempt = *attempt});
  }
  return true;
}

/// Without those that a heartbeat keeps from it for now, or a pause.
std::vector<api::Taint> NodeRepair::taints_for(Slot slot, const api::Node& node, NoExecuteStep step,
                                               Moment at) {
  std::vector<api::Taint> taints = planned_taints(node, step, at.wall);
  const auto is_new = [&node](const api::Taint& taint) {
    return node.taint(taint.key, taint.effect) == nullptr;
  };
  const Instant alive = life_.alive_until(slot, at.now);
  if (at.now < alive) {
    const std::size_t spared = std::erase_if(taints, [&](const api::Taint& taint) {
      return taint.key == taint::unreachable && is_new(taint);
    });
    if (spared > 0) writes_.retry_at(slot, alive);
  }
  if (!pauses_.pauses_all(slot)) return taints;
  if (!is_ready(node)) return node.taints;
  std::erase_if(taints, is_new);
  return taints;
}

bool NodeRepair::wish_taints(Slot slot, const api::Node& node, NoExecuteStep step, Pass& pass) {
  std::vector<api::Taint> taints = taints_for(slot, node, step, pass.at);
  if (taints == node.taints) return false;
  std::string added = taints_only_in(taints, node.taints);
  std::string removed = taints_only_in(node.taints, taints);
  std::string change = added.empty() ? std::string() : "added " + added;
  if (!removed.empty()) change += (change.empty() ? "removed " : " removed ") + removed;
  const NodeWrites::Key key{Kind::Taints, std::move(change)};
  if (waits(slot, key, pass)) return false;
  const auto turn = added.empty() ? NodeWrites::Turn::Relief : NodeWrites::Turn::Usual;
  if (const auto attempt = writes_.begin(slot, key, pass.room, turn)) {
    writes_.taints_before(slot, node.taints);
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

bool NodeRepair::wish_labels(Slot slot, const api::Node& node, Pass& pass) {
  api::Labels labels = missing_labels(node);
  if (labels.empty()) return false;
  const NodeWrites::Key key{Kind::Labels, text_of(labels)};
  if (waits(slot, key, pass)) return false;
  if (const auto attempt = writes_.begin(slot, key, pass.room)) {
    pass.out.push_back(SetLabels{.node = ref_of(node),
                                 .resource_version = node.resource_version,
                                 .labels = std::move(labels),
                                 .attempt = *attempt});
  }
  return true;
}

/// Whether a node's NoExecute taint was taken although the answer did not say so is read where no
/// watch has shown it: the watch may be behind.
bool NodeRepair::clear_up(Slot slot, const api::Node& node, Pass& pass) {
  if (!queue_.is_unclear(slot)) return false;
  const Instant shows_until = queue_.shows_until(slot);
  if (pass.at.now >= shows_until) return wish_read(slot, node, pass);
  writes_.retry_at(slot, shows_until);
  return true;
}

bool NodeRepair::wish_read(Slot slot, const api::Node& node, Pass& pass) {
  const NodeWrites::Key read{Kind::Read, {}};
  if (waits(slot, read, pass)) return false;
  if (const auto attempt = writes_.begin(slot, read, pass.room)) {
    pass.out.push_back(ReadNode{.node = ref_of(node), .attempt = *attempt});
  }
  return true;
}

bool NodeRepair::waits(Slot slot, const NodeWrites::Key& key, Pass& pass) {
  const std::optional<NodeWrites::Wait> wait = writes_.wait(slot, key, pass.at.now);
  if (!wait) return false;
  pass.waited = true;
  pass.refused = wait->refused;
  return true;
}

// --- the pace of the zones ----------------------------------------------------------------------

/// `done`: nothing is to be written about these now.
void NodeRepair::grant_evictions(Pass& pass, std::set<Slot>& done) {
  if (queue_.empty()) return;
  for (auto& [key, zone] : health_.zones().all()) {
    if (zone.queue.empty() || !zone.may_evict(pass.at.now)) continue;
    const Instant zone_waits_until = in_question_until(health_, zone);
    for (auto position = zone.queue.begin();
         position != zone.queue.end() && zone.may_evict(pass.at.now);) {
      const Slot slot = position->second;
      ++position;
      if (!may_be_granted(slot, zone_waits_until, pass.at.now)) continue;
      pass.waited = false;
      // A NoExecute taint that somebody refuses keeps the NoSchedule taint from nobody; while the
      // server is in trouble both are tried together.
      const bool granted = writes_.ask_first(slot, [&] { return grant(slot, zone, pass); });
      if (granted || (pass.waited && !pass.refused)) done.insert(slot);
    }
  }
}

/// Whether a node in the queue may have a token now: nothing is being written about it, the others
/// that fell silent with it are in the queue, and it has shown no life. If not, it is looked at
/// again when that may be over.
bool NodeRepair::may_be_granted(Slot slot, Instant zone_waits_until, Instant now) {
  const bool busy = writes_.in_flight(slot, NodePart::Spec) ||
                    writes_.in_flight(slot, NodePart::Status) || queue_.is_unclear(slot);
  if (busy) return false;
  const Instant waits_until =
      std::max({queue_.gathers_until(slot), zone_waits_until, life_.alive_until(slot, now)});
  if (now >= waits_until) return true;
  writes_.retry_at(slot, waits_until);
  return false;
}

/// False: the node cannot be written now, and the next one may have the token.
bool NodeRepair::grant(Slot slot, Zone& zone, Pass& pass) {
  const api::Node node = view_.nodes.at(slot);
  if (policy_.evict_by_taints) {
    // What is more important about it goes first, and its taints with the next call.
    if (wish_conditions(slot, node, pass)) return true;
    wish_taints(slot, node, NoExecuteStep::Set, pass);
  } else {
    wish_read(slot, node, pass);
  }
  if (!writes_.in_flight(slot, NodePart::Spec)) return false;
  queue_.spend(slot, zone, pass.at.now);
  return true;
}

// --- answers ------------------------------------------------------------------------------------

bool NodeRepair::written(Slot slot, NodePart part, Instant now) {
  const api::Node node = view_.nodes.at(slot);
  const bool released = writes_.succeeded(slot, part, node.taints, now);
  if (part == NodePart::Spec) {
    if (!has_managed_no_execute(node)) queue_.give_back(slot, zone_of(slot), now);
    queue_.use(slot);
  }
  return released;
}

bool NodeRepair::refused(Slot slot, NodePart part, const Error& error, Instant now) {
  if (part == NodePart::Spec && policy_.evict_by_taints) {
    queue_.refused(slot, zone_of(slot), error.fault, now);
  } else if (part == NodePart::Spec) {
    queue_.give_back(slot, zone_of(slot), now);  // it was a read
  } else {
    health_.doubt(slot);  // judged again, with a new read, before every retry
  }
  return writes_.failed(slot, part, error, now);
}

void NodeRepair::not_sent(Slot slot, NodePart part, Instant now) {
  if (part == NodePart::Spec) queue_.give_back(slot, zone_of(slot), now);
  writes_.not_sent(slot, part);
}

void NodeRepair::node_read(Slot slot, Evictions evictions, Instant now) {
  writes_.read(slot, now);
  if (policy_.evict_by_taints) return queue_.read(slot, zone_of(slot), now);
  const bool leaves = evictions == Evictions::Allowed && timeouts_.begin(slot, now);
  if (!leaves) return queue_.give_back(slot, zone_of(slot), now);
  queue_.use(slot);
}

std::vector<std::string> NodeRepair::take_zones_evicting() {
  if (!policy_.evict_by_taints) return timeouts_.take_zones_evicting();
  return std::exchange(zones_evicting_, {});
}

std::vector<NodeEvent> NodeRepair::take_undone() {
  std::vector<NodeEvent> events;
  for (auto& [slot, what] : writes_.take_undone()) {
    if (!view_.nodes.holds(slot)) continue;
    events.push_back({NodeEvent::Kind::Undone, ref_of(view_.nodes.at(slot)), std::move(what)});
  }
  return events;
}

}  // namespace nlc::controller
