#include "controller/nodes/lease_reads.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "api/version.h"
#include "runtime/earlier.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

/// Between two tries of a read that failed.
constexpr Duration read_pause = std::chrono::seconds(1);
/// However long a server asks for: one odd answer must not stop all verdicts.
constexpr Duration read_pause_max = std::chrono::seconds(10);

/// Between lists of all where no lease is read by itself: each suspect would take one, and so would
/// each write about it that is refused. The more leases there are, the longer it is, up to a bound.
Duration list_pause(std::size_t leases) {
  constexpr Duration least = std::chrono::milliseconds(500);
  constexpr Duration most = std::chrono::seconds(3);
  constexpr Duration for_each = std::chrono::microseconds(400);
  return std::clamp(for_each * static_cast<int>(leases), least, most);
}

/// A form that is to wait for longer, or fails so often in a row, is as good as forbidden; single
/// reads if so many leases cannot be read.
constexpr Duration short_pause = std::chrono::seconds(2);
constexpr int failures_max = 3;
constexpr std::size_t unread_max = 3;
/// How often the wait for a lease that cannot be read is doubled.
constexpr int read_doublings_max = 4;

/// What was refused in one form is asked for in the other for so long.
constexpr Duration other_form_for = std::chrono::minutes(1);
/// One that failed by itself for so long is read in a list of its own, which costs no more.
constexpr Duration fails_alone_for = std::chrono::minutes(1);
constexpr Duration own_list_for = std::chrono::minutes(5);

/// Reading one lease costs the server about as much as so many in a list.
constexpr std::size_t listed_for_one_read = 16;

Duration bounded(Duration pause) { return std::clamp(pause, read_pause, read_pause_max); }

/// As long as the server asked for.
Duration pause_after(const Error& error) { return error.retry_after.value_or(read_pause); }

}  // namespace

// --- who is to be read --------------------------------------------------------------------------

std::optional<Instant> LeaseReads::confirmed_until(Slot slot, Instant now) const {
  const auto known = known_.find(slot);
  if (known == known_.end() || !known->second.confirmed_until) return std::nullopt;
  return now <= *known->second.confirmed_until ? known->second.confirmed_until : std::nullopt;
}

std::optional<Instant> LeaseReads::retry_at(Slot slot, Instant now) const {
  const auto known = known_.find(slot);
  if (known == known_.end() || known->second.asked) return std::nullopt;
  return now < known->second.read_after ? std::optional(known->second.read_after) : std::nullopt;
}

bool LeaseReads::confirm(Slot slot, const ReadLeases& asked, Instant now) {
  Known& known = known_[slot];
  known.came_late = !asked.counts(now);
  const Instant as_of = asked.dated_by_stream() ? now : asked.asked;
  if (!known.came_late) known.confirmed_until = as_of + asked.good_for();
  return !known.came_late;
}

void LeaseReads::doubt(Slot slot) {
  const auto known = known_.find(slot);
  if (known != known_.end()) known->second.confirmed_until.reset();
}

void LeaseReads::read_by(Dated dated, Instant now) {
  if (std::exchange(dated_, dated) == dated || dated == Dated::ByLists) return;
  read_again_ = now;
  for (auto& [slot, known] : known_) {
    if (std::exchange(known.waits_for_list, false)) known.read_after = now;
  }
}

void LeaseReads::want(Slot slot, AvailableTime grace_end, std::uint64_t version) {
  if (!known_[slot].asked) wanted_.push_back({slot, grace_end, version});
}

std::size_t LeaseReads::singles_max() const {
  return std::max(few, view_.nodes.size() / listed_for_one_read);
}

/// Some are asked for beside those that are being read, so that nobody waits for another's answer;
/// more than a list costs in one list, which has the server to itself.
bool LeaseReads::may_ask() const { return asked_ == 0 || asked_ + wanted_.size() <= singles_max(); }

/// Who may not do the one does the other; who may do neither asks for as little as possible. What
/// one says is missing the other has to confirm.
bool LeaseReads::in_one_list(Instant now) const {
  const bool no_singles = dated_ == Dated::ByStream && now < singles_.barred_until;
  const bool no_lists = dated_ == Dated::ByStream && now < lists_.barred_until;
  if (no_singles != no_lists) return no_singles;
  const bool to_be_confirmed = std::ranges::any_of(wanted_, [this](const Wanted& wanted) {
    const Known& known = known_.at(wanted.slot);
    return known.absent_alone && !known.absent_in_list;
  });
  if (to_be_confirmed) return true;
  return wanted_.size() > (no_singles ? few : singles_max());
}

/// Those that a list does not have, or has shown too late, and those that cannot be read by
/// themselves. The others are named anew in the pass that the answers call for. False: there are
/// none.
bool LeaseReads::keep_those_to_be_read_alone(Instant now) {
  const auto others = std::ranges::stable_partition(wanted_, [&](const Wanted& wanted) {
    const Known& known = known_.at(wanted.slot);
    const bool missing = known.absent_in_list && !known.absent_alone && was_seen(wanted.slot);
    return missing || known.came_late || now < known.alone_barred_until;
  });
  const auto alone = static_cast<std::size_t>(others.begin() - wanted_.begin());
  if (alone == 0) return false;
  wanted_.resize(std::min(alone, singles_max()));
  return true;
}

std::optional<ReadLeases> LeaseReads::begin(Instant now) {
  if (wanted_.empty() || !may_ask() || now < read_again_) return std::nullopt;
  const bool alone = keep_those_to_be_read_alone(now);
  // Where no lease may be read by itself, or one cannot be, a list of its own stands for that.
  const bool barred =
      now < singles_.barred_until || std::ranges::any_of(wanted_, [&](const Wanted& wanted) {
        return now < known_.at(wanted.slot).alone_barred_until;
      });
  const bool in_its_own_list = alone && barred;
  ReadLeases read{.in_one_list = !alone && in_one_list(now),
                  .asked = now,
                  .dated = dated_ == Dated::ByLists || in_its_own_list};
  // While lists are refused, too, many are read a few at a time.
  if (!read.in_one_list && wanted_.size() > singles_max()) wanted_.resize(singles_max());
  if (read.in_one_list && asked_ > 0) {  // one list at a time
    wanted_.clear();
    return std::nullopt;
  }
  for (const Wanted& wanted : std::exchange(wanted_, {})) {
    Known& known = known_[wanted.slot];
    known.asked = now;
    known.asked_end = wanted.grace_end;
    known.asked_version = wanted.version;
    read.nodes.push_back(view_.nodes.at(wanted.slot).name);
  }
  asked_ += read.nodes.size();
  return read;
}

std::optional<Instant> LeaseReads::next() const {
  return !wanted_.empty() && may_ask() ? std::optional(read_again_) : std::nullopt;
}

// --- answers ------------------------------------------------------------------------------------

/// Nobody waits for these any more; those that are still there.
std::vector<Slot> LeaseReads::answered(const ReadLeases& asked) {
  assert(asked.nodes.size() <= asked_);
  asked_ -= asked.nodes.size();
  std::vector<Slot> slots;
  for (const std::string& name : asked.nodes) {
    const std::optional<Slot> slot = view_.nodes.slot_of(name);
    if (!slot) continue;
    known_[*slot].asked.reset();
    slots.push_back(*slot);
  }
  return slots;
}

bool LeaseReads::was_seen(Slot slot) const {
  return view_.leases.slot_of(view_.nodes.at(slot).name).has_value();
}

bool LeaseReads::is_another(const api::NodeLease& lease) const {
  const std::optional<Slot> seen = view_.leases.slot_of(lease.name);
  return seen && !view_.leases.has_uid(*seen, lease.uid);
}

/// The same lease in an older version than was known when it was asked for.
bool LeaseReads::is_behind(const api::NodeLease& lease, std::uint64_t known) const {
  const std::uint64_t version = api::version_number(lease.resource_version);
  return version != 0 && version < known && !is_another(lease) && !planted("stale-list-believed");
}

LeaseReads::Learned LeaseReads::read(const ReadLeases& asked,
                                     const std::vector<api::NodeLease>& found, Instant now) {
  const std::vector<Slot> slots = answered(asked);
  form_of(asked).failures = 0;
  std::map<Slot, const api::NodeLease*> there;
  for (const api::NodeLease& lease : found) {
    if (const std::optional<Slot> slot = view_.nodes.slot_of(lease.name)) there[*slot] = &lease;
  }
  Learned learned;
  for (const Slot slot : slots) {
    Known& known = known_[slot];
    const auto lease = there.find(slot);
    const bool absent = lease == there.end();
    if (!absent && is_behind(*lease->second, known.asked_version)) {
      if (learned.behind == nullptr) learned.behind = lease->second;
      continue;
    }
    (asked.in_one_list ? known.absent_in_list : known.absent_alone) = absent;
    const bool missing = absent && was_seen(slot);
    if (missing && !(known.absent_alone && known.absent_in_list)) {
      learned.retry_at = note_failure(slot, "a lease that was seen is not there", read_pause, now);
      continue;
    }
    note_success(slot);
    learned.answers.push_back({.slot = slot, .asked_end = known.asked_end, .missing = missing});
  }
  if (learned.behind != nullptr) read_again_ = now + read_pause;
  if (asked.in_one_list && now < singles_.barred_until) {
    read_again_ = std::max(read_again_, now + list_pause(found.size()));
  }
  return learned;
}

void LeaseReads::shown(Slot slot) {
  const auto known = known_.find(slot);
  if (known != known_.end()) known->second.absent_alone = known->second.absent_in_list = false;
}

/// True: nobody is to be read in that form for a while.
bool LeaseReads::bars_its_form(const ReadLeases& asked, const Error& error) {
  const int failures = ++form_of(asked).failures;
  const bool hopeless = error.fault == Fault::Forbidden ||
                        (error.fault == Fault::Throttled && pause_after(error) > short_pause);
  // One lease that cannot be read says nothing of the others.
  const bool of_many =
      asked.in_one_list || error.fault == Fault::Throttled || unread_.leases >= unread_max;
  return hopeless || (failures >= failures_max && of_many);
}

/// Whether whoever is wanted next would be asked for in another list like the one that failed,
/// though not for a single lease in it that cannot be read.
bool LeaseReads::stops_all(const ReadLeases& asked, const Error& error) const {
  if (asked.in_one_list) return true;
  return asked.dated && dated_ == Dated::ByLists && error.fault != Fault::Malformed;
}

std::optional<Instant> LeaseReads::failed(const ReadLeases& asked, const Error& error,
                                          Instant now) {
  const bool in_lists = !asked.dated_by_stream();
  const bool barred = bars_its_form(asked, error);
  if (barred) form_of(asked) = {.barred_until = now + other_form_for};
  const Form& other = in_lists ? singles_ : lists_;
  const bool other_is_free = barred && !asked.dated && now >= other.barred_until;
  if (stops_all(asked, error) && !other_is_free) read_again_ = now + bounded(pause_after(error));
  const bool pause_is_told = other_is_free || error.retry_after.has_value();
  std::optional<Instant> first;
  for (const Slot slot : answered(asked)) {
    Known& known = known_[slot];
    const int doublings = pause_is_told ? 0 : std::min(known.failures, read_doublings_max);
    const Duration pause = other_is_free ? read_pause : pause_after(error) * (1 << doublings);
    first = earlier(first, note_failure(slot, error.path, pause, now));
    known.waits_for_list = in_lists;
    const bool fails_alone = !in_lists && !barred && now >= lists_.barred_until &&
                             now >= known.failing_since + fails_alone_for;
    known.alone_barred_until = fails_alone ? now + own_list_for : Instant::min();
  }
  return first;
}

/// Each waits for itself, and where it cannot be read in another way longer each time.
Instant LeaseReads::note_failure(Slot slot, const std::string& why, Duration pause, Instant now) {
  Known& known = known_[slot];
  if (known.failures++ == 0) {
    known.failing_since = now;
    if (unread_.leases++ == 0) unread_.all = true;
  }
  unread_.why = why;
  return known.read_after = now + bounded(pause);
}

void LeaseReads::note_success(Slot slot) {
  forget_failures(slot);
  // They may have failed for one reason, which is over.
  if (!std::exchange(unread_.all, false)) return;
  for (auto& [other, known] : known_) known.read_after = Instant::min();
}

void LeaseReads::forget_failures(Slot slot) {
  if (unread_.leases == 0) return;
  const auto known = known_.find(slot);
  if (known == known_.end() || known->second.failures == 0) return;
  known->second.failures = 0;
  --unread_.leases;
}

void LeaseReads::forget_all_failures() {
  for (auto& [slot, known] : known_) known.failures = 0;
  unread_ = {};
}

void LeaseReads::forget(Slot slot) {
  forget_failures(slot);
  known_.erase(slot);
}

}  // namespace nlc::controller
