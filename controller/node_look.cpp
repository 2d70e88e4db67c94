#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "controller/conditions.h"
#include "controller/node_lifecycle.h"

/// The look at all nodes: who is silent, and how the zones stand.
namespace nlc::controller {
namespace {

/// Between two tries of a read that failed.
constexpr Duration read_pause = std::chrono::seconds(1);
/// However long a server asks for: one odd answer must not stop all verdicts.
constexpr Duration read_pause_max = std::chrono::seconds(10);

/// Reading one lease costs the server about as much as so many in a list.
constexpr std::size_t listed_for_one_read = 16;

}  // namespace

/// A node judged silent counts as not ready before its conditions say so, so that its zone's state
/// is right when its taint becomes due.
bool NodeLifecycle::counts_as_ready(const Glance& glance) {
  return glance.ready == api::ConditionStatus::True && !glance.silent;
}

std::vector<Decision> NodeLifecycle::look(Moment at, Acting acting) {
  std::vector<Decision> out;
  const Sighted now = sight_.at(at.now);
  last_look_ = at.now;
  next_end_.reset();
  look_again_.reset();
  suspects_.clear();
  zones_.begin_look();
  for (Slot slot = 0; slot < glances_.size(); ++slot) {
    Glance& glance = glances_[slot];
    if (glance.zone == nullptr) continue;
    if (!std::exchange(glance.registered, true)) {
      news_.push_back({NodeNews::Kind::Registered, ref_of(view_.nodes.at(slot))});
    }
    if (now <= glance.grace_ends) {
      note_end(glance.grace_ends);
    } else if (acting == Acting::Yes) {
      judge(slot, at, out);
    }
    if (!policy_.evict_by_taints) follow_timeout(slot, now);
    zones_.count(*glance.zone, glance.excluded, counts_as_ready(glance));
  }
  ask_for_leases(at.now, out);
  settle_zones(at);
  return out;
}

/// The next look comes right after the first of these moments.
void NodeLifecycle::note_end(Sighted end) {
  if (!next_end_ || end < *next_end_) next_end_ = end;
}

/// For a node whose grace has ended.
void NodeLifecycle::judge(Slot slot, Moment at, std::vector<Decision>& out) {
  NodeState& known = states_[slot];
  if (const std::optional<Instant> retry = known.attempt.retry_at(at.now)) {
    look_again_ = std::min(look_again_.value_or(*retry), *retry);
  }
  if (sight_.blind(at.now) || known.asked || !known.attempt.may_begin(at.now)) return;
  const api::Node node = view_.nodes.at(slot);
  std::vector<api::NodeCondition> conditions = silent_conditions(node, at.wall);
  if (conditions.empty()) return;
  if (!known.confirmed) return suspects_.push_back(slot);
  known.attempt.begin();
  out.push_back(MarkSilent{.node = ref_of(node),
                           .resource_version = node.resource_version,
                           .conditions = std::move(conditions),
                           .silent_for = sight_.at(at.now) - known.heartbeat.last_moved});
}

std::size_t NodeLifecycle::single_reads_max() const {
  return std::max(few_reads, view_.nodes.size() / listed_for_one_read);
}

/// Some are asked for beside those that are being read, so that nobody waits for another's answer;
/// more than a list costs in one list, which has the server to itself.
bool NodeLifecycle::may_ask() const {
  return asked_ == 0 || asked_ + suspects_.size() <= single_reads_max();
}

void NodeLifecycle::ask_for_leases(Instant now, std::vector<Decision>& out) {
  if (suspects_.empty() || !may_ask() || now < read_again_) return;
  ReadLeases read;
  for (const Slot slot : std::exchange(suspects_, {})) {
    states_[slot].asked = true;
    states_[slot].asked_end = glances_[slot].grace_ends;
    read.nodes.push_back(view_.nodes.at(slot).name);
  }
  read.in_one_list = read.nodes.size() > single_reads_max();
  asked_ += read.nodes.size();
  out.push_back(std::move(read));
}

/// Nobody waits for these any more; those that are still there.
std::vector<informer::Slot> NodeLifecycle::answered(const ReadLeases& asked) {
  assert(asked.nodes.size() <= asked_);
  asked_ -= asked.nodes.size();
  std::vector<Slot> slots;
  for (const std::string& name : asked.nodes) {
    const std::optional<Slot> slot = view_.nodes.slot_of(name);
    if (!slot) continue;
    states_[*slot].asked = false;
    slots.push_back(*slot);
  }
  return slots;
}

void NodeLifecycle::leases_read(const ReadLeases& asked, const std::vector<api::NodeLease>& found,
                                Moment at) {
  const std::vector<Slot> slots = answered(asked);
  sight_.prove(at.now);
  const Sighted now = sight_.at(at.now);
  for (const api::NodeLease& lease : found) {
    const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
    if (slot) hear(*slot, lease, at.now);
  }
  for (const Slot slot : slots) {
    Glance& glance = glances_[slot];
    // Whoever moved after it was asked for is not silent by what was read before that.
    const bool moved = glance.grace_ends != states_[slot].asked_end;
    if (now > glance.grace_ends && !moved) glance.silent = states_[slot].confirmed = true;
  }
}

void NodeLifecycle::lease_read_failed(const ReadLeases& asked, const Error& error, Instant now) {
  std::ranges::copy(answered(asked), std::back_inserter(suspects_));
  read_again_ =
      now + std::clamp(error.retry_after.value_or(read_pause), read_pause, read_pause_max);
}

std::vector<int> NodeLifecycle::zone_sizes() const {
  std::vector<int> sizes;
  for (const auto& [key, zone] : zones_.all()) sizes.push_back(zone.count.size());
  return sizes;
}

void NodeLifecycle::settle_zones(Moment at) {
  std::vector<Zones::Change> changes;
  const Zones::Turn turn = zones_.settle(at.now, changes);
  for (const Zones::Change& change : changes) {
    zone_news_.push_back({.key = change.zone->key,
                          .before = change.before,
                          .after = change.zone->state,
                          .count = change.zone->count});
  }
  if (turn == Zones::Turn::None) return;
  if (turn == Zones::Turn::LeftFullDisruption) {
    view_.nodes.each_slot([this, now = sight_.at(at.now)](Slot slot) {
      NodeState& known = states_[slot];
      remember(slot, {.last = known.heartbeat.last, .last_moved = now});
      known.ready_changed = now;
      glances_[slot].silent = known.confirmed = false;
    });
  }
  if (turn == Zones::Turn::EnteredFullDisruption && !policy_.evict_by_taints) {
    view_.nodes.each_slot([this](Slot slot) {
      dequeue(slot);
      end_eviction(slot);
    });
  }
  mark_all_dirty();
}

}  // namespace nlc::controller
