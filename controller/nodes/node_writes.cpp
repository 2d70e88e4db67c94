#include "controller/nodes/node_writes.h"

#include <absl/strings/match.h>
#include <algorithm>

namespace nlc::controller {
namespace {

/// Two different writes of taints to one node are at least so far apart: whoever undoes one by
/// something that calls for the other would keep both sides busy.
constexpr Duration apart = std::chrono::milliseconds(250);

constexpr std::size_t tries_max = 100;  // few nodes have more than five

client::RequestPriority priority_of(NodeWrites::Kind kind) {
  if (kind == NodeWrites::Kind::Conditions) return client::RequestPriority::NodeStatus;
  if (kind == NodeWrites::Kind::Read) return client::RequestPriority::Read;
  return client::RequestPriority::NodeWrite;
}

}  // namespace

const NodeWrites::Key NodeWrites::unknown{Kind::Conditions, "Unknown"};

void NodeWrites::collect_retries(Instant now) {
  while (!retries_.empty() && retries_.begin()->first <= now) {
    mark_dirty(retries_.begin()->second);
    retries_.erase(retries_.begin());
  }
}

std::optional<Instant> NodeWrites::next_retry() const {
  return retries_.empty() ? std::nullopt : std::optional(retries_.begin()->first);
}

bool NodeWrites::is_settled(Slot slot) const {
  const auto waits = [slot](const auto& lane) { return lane.second.contains(slot); };
  return in_flight(slot) == Kind::Nothing && !in_flight(slot, NodePart::Status) &&
         !dirty_.contains(slot) && std::ranges::none_of(without_room_, waits);
}

void NodeWrites::forget(Slot slot) {
  writes_.erase(slot);
  dirty_.erase(slot);
  for (auto& [lane, line] : without_room_) line.leave(slot);
  troubled_.erase(slot);
}

// --- one write ----------------------------------------------------------------------------------

NodeWrites::Kind NodeWrites::in_flight(Slot slot) const {
  const auto found = writes_.find(slot);
  return found == writes_.end() ? Kind::Nothing : found->second.in_flight.kind;
}

bool NodeWrites::in_flight(Slot slot, NodePart part) const {
  if (part == NodePart::Spec) return in_flight(slot) != Kind::Nothing;
  const auto found = writes_.find(slot);
  return found != writes_.end() && found->second.marking;
}

const RetryState* NodeWrites::verdict(Slot slot) const {
  const auto found = writes_.find(slot);
  if (found == writes_.end()) return nullptr;
  const auto retry = found->second.tries.find(unknown);
  return retry == found->second.tries.end() ? nullptr : &retry->second;
}

void NodeWrites::verdict_gave_way(Slot slot) {
  if (verdict(slot) != nullptr) writes_.at(slot).tries.at(unknown).gave_way();
}

/// What was taken lately and is wanted again has not lasted.
std::optional<NodeWrites::Wait> NodeWrites::wait(Slot slot, const Key& key, Instant now) {
  Writes& writes = writes_[slot];
  // Somebody may give a label another value again and again.
  if (writes.tries.size() > tries_max) {
    std::erase_if(writes.tries, [](const auto& known) {
      return known.first.kind == Kind::Labels && !known.second.in_flight();
    });
  }
  RetryState& retry = writes.tries[key];
  if (retry.did_not_last(now, random_)) {
    troubled_.insert(slot);
    undone_.emplace_back(slot, key.words);
  }
  std::optional<Instant> until = retry.retry_at(now);
  if (key.kind == Kind::Taints && writes.taints_taken && now < *writes.taints_taken + apart) {
    until = std::max(until.value_or(now), *writes.taints_taken + apart);
  }
  if (!until) return std::nullopt;
  retry_at(slot, *until);
  return Wait{.refused = retry.was_refused()};
}

std::optional<Try> NodeWrites::begin(Slot slot, const Key& key, client::Room& room, Turn turn) {
  Writes& writes = writes_[slot];
  RetryState& retry = writes.tries[key];
  const Try attempt = retry.is_repeated() ? Try::Again : Try::First;
  const Lane lane{.kind = {priority_of(key.kind), attempt}, .turn = turn};
  WaitingLine& line = without_room_[lane];
  if (is_overtaking(slot, lane) || !room.take(lane.kind)) {
    line.join(slot);
    lacked_room_ = lane;
    return std::nullopt;
  }
  line.leave(slot);
  retry.begin();
  if (key == unknown) {
    writes.marking = true;
  } else {
    writes.in_flight = key;
  }
  return attempt;
}

/// Others wait for what it would take.
bool NodeWrites::is_overtaking(Slot slot, const Lane& lane) const {
  return std::ranges::any_of(without_room_, [&](const auto& waiting) {
    const auto& [other, line] = waiting;
    if (other.kind != lane.kind || line.empty() || line.first() == slot) return false;
    return other.turn < lane.turn || (other.turn == lane.turn && asks_first_ != slot);
  });
}

// --- its answer ---------------------------------------------------------------------------------

/// The write is not on its way any more.
RetryState& NodeWrites::answered(Slot slot, NodePart part) {
  mark_dirty(slot);
  Writes& writes = writes_.at(slot);
  if (part == NodePart::Spec) {
    return writes.tries.at(std::exchange(writes.in_flight, {Kind::Nothing, {}}));
  }
  writes.marking = false;
  return writes.tries.at(unknown);
}

bool NodeWrites::release_refused(const RetryState& taken, Instant now) {
  if (!release_.begins_with(taken, now)) return false;
  for (const Slot slot : troubled_) {
    for (auto& [key, retry] : writes_[slot].tries) retry.hurry();
    mark_dirty(slot);
  }
  return true;
}

bool NodeWrites::succeeded(Slot slot, NodePart part, const std::vector<api::Taint>& taints,
                           Instant now) {
  Writes& writes = writes_.at(slot);
  const Key done = part == NodePart::Status ? unknown : writes.in_flight;
  const bool released = release_refused(writes.tries.at(done), now);
  // Another write of taints was right in its time: this one has taken its place. But not one of
  // which the node shows nothing: somebody takes off whatever is written. Labels only mirror each
  // other, none in the place of another.
  const bool replaces = done.kind == Kind::Taints && writes.taints_before != taints;
  for (auto& [key, retry] : writes.tries) {
    if (replaces && key.kind == Kind::Taints && key != done) retry.gave_way();
  }
  answered(slot, part).succeeded(now);
  if (done.kind == Kind::Taints) writes.taints_taken = now;
  return released;
}

/// What was refused of it may be taken when it is wanted again.
void NodeWrites::well(Slot slot, Waits waits, Instant now) {
  const auto found = writes_.find(slot);
  if (found == writes_.end()) return;
  bool troubled = false;
  for (auto& [key, retry] : found->second.tries) {
    const bool of_its_turn = key.kind == Kind::Read || absl::StrContains(key.words, ":NoExecute");
    if (waits == Waits::ForItsTurn && of_its_turn && retry.has_failed()) {
      troubled = true;
    } else {
      retry.forget_failures(now);
    }
  }
  if (!troubled) troubled_.erase(slot);
}

void NodeWrites::needs_no_read(Slot slot) {
  if (in_flight(slot) == Kind::Read) not_sent(slot, NodePart::Spec);
}

void NodeWrites::read(Slot slot, Instant now) {
  RetryState& retry = answered(slot, NodePart::Spec);
  retry.succeeded(now);
  retry.gave_way();
}

bool NodeWrites::failed(Slot slot, NodePart part, const Error& error, Instant now) {
  RetryState& retry = answered(slot, part);
  if (error.fault == Fault::Conflict && !retry.met_conflict(now, random_)) return false;
  if (error.fault != Fault::Conflict) retry.failed(now, random_, error);
  troubled_.insert(slot);
  return true;
}

}  // namespace nlc::controller
