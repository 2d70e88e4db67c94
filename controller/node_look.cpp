#include <algorithm>
#include <cassert>
#include <iterator>
#include <utility>

#include "api/version.h"
#include "controller/node_lifecycle.h"

/// The look at all nodes: who is silent, and how the zones stand.
namespace nlc::controller {
namespace {

/// Between two tries of a read that failed.
constexpr Duration read_pause = std::chrono::seconds(1);
/// However long a server asks for: one odd answer must not stop all verdicts.
constexpr Duration read_pause_max = std::chrono::seconds(10);

/// A form that is to wait for longer, or fails so often in a row, is as good as forbidden; single
/// reads if so many leases cannot be read.
constexpr Duration short_pause = std::chrono::seconds(2);
constexpr int failures_max = 3;
constexpr std::size_t unread_max = 3;
/// How often the wait for a lease that cannot be read is doubled.
constexpr int read_doublings_max = 4;

/// What was refused in one form is asked for in the other for so long.
constexpr Duration other_form_for = std::chrono::minutes(1);

/// Reading one lease costs the server about as much as so many in a list.
constexpr std::size_t listed_for_one_read = 16;

}  // namespace

std::vector<Decision> NodeLifecycle::look(Moment at, Acting acting) {
  std::vector<Decision> out;
  const Sighted now = sight_.at(at.now);
  last_look_ = at.now;
  next_end_.reset();
  look_again_.reset();
  suspects_.clear();
  for (Slot slot = 0; slot < glances_.size(); ++slot) {
    Glance& glance = glances_[slot];
    if (glance.zone == nullptr) continue;
    if (!std::exchange(glance.registered, true)) {
      news_.push_back({NodeNews::Kind::Registered, ref_of(view_.nodes.at(slot))});
    }
    if (now <= glance.grace_ends) {
      note_end(glance.grace_ends);
    } else if (acting == Acting::Yes) {
      suspect(slot, at);
    }
    if (!policy_.evict_by_taints) follow_timeout(slot, now);
  }
  ask_for_leases(at.now, out);
  settle_zones(at);
  return out;
}

/// The next look comes right after the first of these moments.
void NodeLifecycle::note_end(Sighted end) {
  if (!next_end_ || end < *next_end_) next_end_ = end;
}

void NodeLifecycle::look_again_at(Instant when) {
  look_again_ = std::min(look_again_.value_or(when), when);
}

/// By a read that is not too old.
bool NodeLifecycle::is_confirmed(Slot slot, Instant now) const {
  const auto known = suspicions_.find(slot);
  const bool read = known != suspicions_.end() && known->second.confirmed;
  return read && now - *known->second.confirmed <= confirmed_for;
}

/// What was read of it does not count any more.
void NodeLifecycle::doubt(Slot slot) {
  const auto known = suspicions_.find(slot);
  if (known != suspicions_.end()) known->second.confirmed.reset();
}

/// For a node whose grace has ended, and which does not say Unknown already: its lease is read,
/// unless that was done just now.
void NodeLifecycle::suspect(Slot slot, Moment at) {
  if (glances_[slot].ready == api::ConditionStatus::Unknown) return forget_unread(slot);
  Suspicion& known = suspicions_[slot];
  if (is_confirmed(slot, at.now)) {
    return look_again_at(*known.confirmed + confirmed_for + Duration{1});
  }
  known.confirmed.reset();
  if (const auto writes = writes_.find(slot); writes != writes_.end()) {
    if (writes->second.marking) return;  // its answer calls for a look
    if (const auto retry = writes->second.tries[unknown].retry_at(at.now)) {
      return look_again_at(*retry);
    }
  }
  if (sight_.blind(at.now) || known.asked) return;
  if (at.now < known.read_after) return look_again_at(known.read_after);
  suspects_.push_back(slot);
}

std::size_t NodeLifecycle::single_reads_max() const {
  return std::max(few_reads, view_.nodes.size() / listed_for_one_read);
}

/// Some are asked for beside those that are being read, so that nobody waits for another's answer;
/// more than a list costs in one list, which has the server to itself.
bool NodeLifecycle::may_ask() const {
  return asked_ == 0 || asked_ + suspects_.size() <= single_reads_max();
}

/// Who may not do the one does the other; who may do neither asks for as little as possible. What
/// one says is missing the other has to confirm.
bool NodeLifecycle::reads_in_one_list(Instant now) const {
  const bool no_gets = now < single_reads_.barred_until;
  const bool no_lists = now < list_reads_.barred_until;
  if (no_gets != no_lists) return no_gets;
  const auto some = [this](auto is_so) {
    return std::ranges::any_of(suspects_, [&](Slot slot) { return is_so(suspicions_.at(slot)); });
  };
  if (some([](const Suspicion& s) { return s.absent_alone && !s.absent_in_list; })) return true;
  if (some([](const Suspicion& s) { return s.absent_in_list && !s.absent_alone; })) return false;
  return suspects_.size() > (no_gets ? few_reads : single_reads_max());
}

void NodeLifecycle::ask_for_leases(Instant now, std::vector<Decision>& out) {
  if (suspects_.empty() || !may_ask() || now < read_again_) return;
  ReadLeases read{.in_one_list = reads_in_one_list(now)};
  if (read.in_one_list && asked_ > 0) return;  // one list at a time
  for (const Slot slot : std::exchange(suspects_, {})) {
    Suspicion& known = suspicions_[slot];
    known.asked = now;
    known.asked_end = glances_[slot].grace_ends;
    known.asked_version = states_[slot].lease_version;
    read.nodes.push_back(view_.nodes.at(slot).name);
  }
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
    suspicions_[*slot].asked.reset();
    slots.push_back(*slot);
  }
  return slots;
}

/// Not the one that was seen under its name.
bool NodeLifecycle::is_another(const api::NodeLease& lease) const {
  const std::optional<Slot> seen = view_.leases.slot_of(lease.name);
  return seen && !view_.leases.has_uid(*seen, lease.uid);
}

void NodeLifecycle::leases_shown(const std::vector<api::NodeLease>& leases, Instant now) {
  for (const api::NodeLease& lease : leases) {
    const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
    if (slot && !is_another(lease)) hear(*slot, lease, now);
  }
}

bool NodeLifecycle::leases_read(const ReadLeases& asked, const std::vector<api::NodeLease>& found,
                                Moment at) {
  const std::vector<Slot> slots = answered(asked);
  (asked.in_one_list ? list_reads_ : single_reads_).failures = 0;
  std::set<Slot> present;
  std::set<Slot> behind;
  for (const api::NodeLease& lease : found) {
    const std::optional<Slot> slot = view_.nodes.slot_of(lease.name);
    if (!slot) continue;
    present.insert(*slot);
    const bool another = is_another(lease);
    const std::uint64_t version = api::version_number(lease.resource_version);
    const auto known = suspicions_.find(*slot);
    const std::uint64_t before = known == suspicions_.end() ? 0 : known->second.asked_version;
    if (another) states_[*slot].lease_version = 0;
    if (!another && version != 0 && version < before) behind.insert(*slot);
    hear(*slot, lease, at.now);
  }
  const Sighted now = sight_.at(at.now);
  for (const Slot slot : slots) {
    if (behind.contains(slot)) continue;
    Suspicion& known = suspicions_[slot];
    (asked.in_one_list ? known.absent_in_list : known.absent_alone) = !present.contains(slot);
    const bool contradicts =
        !present.contains(slot) && view_.leases.slot_of(view_.nodes.at(slot).name);
    if (contradicts && !(known.absent_alone && known.absent_in_list)) {
      note_unread(slot, "a lease that was seen is not there", read_pause, at.now);
      continue;
    }
    note_read(slot);
    // Whoever moved after it was asked for is not silent by what was read before that.
    const bool moved = glances_[slot].grace_ends != known.asked_end;
    if (now <= glances_[slot].grace_ends || moved) continue;
    known.confirmed = at.now;
    set_silent(slot, true);
    mark_dirty(slot);
  }
  if (!behind.empty()) read_again_ = at.now + read_pause;
  return behind.empty();
}

/// Each waits for itself, and where it cannot be read in another way longer each time.
void NodeLifecycle::note_unread(Slot slot, const std::string& why, Duration pause, Instant now) {
  Suspicion& known = suspicions_[slot];
  if (known.failures++ == 0 && unread_.leases++ == 0) unread_.all = true;
  unread_.why = why;
  known.read_after = now + std::clamp(pause, read_pause, read_pause_max);
  look_again_at(known.read_after);
}

void NodeLifecycle::forget_unread(Slot slot) {
  const auto known = suspicions_.find(slot);
  if (known == suspicions_.end() || known->second.failures == 0) return;
  known->second.failures = 0;
  --unread_.leases;
}

void NodeLifecycle::note_read(Slot slot) {
  forget_unread(slot);
  // They may have failed for one reason, which is over.
  if (!std::exchange(unread_.all, false)) return;
  for (auto& [other, suspicion] : suspicions_) suspicion.read_after = Instant::min();
}

void NodeLifecycle::lease_read_failed(const ReadLeases& asked, const Error& error, Instant now) {
  ReadForm& form = asked.in_one_list ? list_reads_ : single_reads_;
  const ReadForm& other = asked.in_one_list ? single_reads_ : list_reads_;
  const Duration asked_for = error.retry_after.value_or(read_pause);
  const bool hopeless = error.fault == Fault::Forbidden ||
                        (error.fault == Fault::Throttled && asked_for > short_pause);
  const bool often = ++form.failures >= failures_max;
  // One lease that cannot be read says nothing of the others.
  const bool of_many =
      asked.in_one_list || error.fault == Fault::Throttled || unread_.leases >= unread_max;
  const bool barred = hopeless || (often && of_many);
  if (barred) form = {.barred_until = now + other_form_for};
  const bool other_is_free = barred && now >= other.barred_until;
  for (const Slot slot : answered(asked)) {
    const bool told = other_is_free || error.retry_after.has_value();
    const int doublings = told ? 0 : std::min(suspicions_[slot].failures, read_doublings_max);
    const Duration pause = other_is_free ? read_pause : asked_for * (1 << doublings);
    note_unread(slot, error.path, pause, now);
  }
}

/// What one settling changes may call for another: after a total disruption everybody is as good as
/// seen.
void NodeLifecycle::settle_zones(Moment at) {
  do {
    std::vector<Zones::Change> changes;
    const Zones::Turn turn = zones_.settle(at.now, changes);
    for (const Zones::Change& change : changes) {
      zone_news_.push_back({.key = change.zone->key,
                            .before = change.before,
                            .after = change.zone->state,
                            .count = change.zone->count});
    }
    if (turn == Zones::Turn::LeftFullDisruption) left_full_disruption(at.now);
    if (turn == Zones::Turn::EnteredFullDisruption) entered_full_disruption();
  } while (zones_.unsettled());
}

/// Whoever is back may not have been able to say so.
void NodeLifecycle::left_full_disruption(Instant now) {
  sight_.resume(now);
  view_.nodes.each_slot([this, now = sight_.at(now)](Slot slot) {
    NodeState& known = states_[slot];
    remember(slot, {.last = known.heartbeat.last, .last_moved = now});
    known.ready_changed = now;
    doubt(slot);
    set_silent(slot, false);
  });
  mark_all_dirty();
}

void NodeLifecycle::entered_full_disruption() {
  if (!policy_.evict_by_taints) {
    view_.nodes.each_slot([this](Slot slot) {
      dequeue(slot);
      end_eviction(slot);
    });
  }
  mark_all_dirty();
}

}  // namespace nlc::controller
