#include "election/election_machine.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

#include "runtime/planted.h"

namespace nlc::election {
namespace {

/// Margin: clock rates of two machines may differ by 1 %, and a thread may run a time slice late.
Duration margin(Duration lease) { return lease / 100 + std::chrono::milliseconds(100); }

/// Whoever is in touch has read the lock within so long: two polls, and an answer that came as late
/// as it may.
Duration touch_max(const ElectionOptions& options) {
  return 2 * (options.retry_period * 17 / 10) + options.renew_deadline / 3;
}

/// More than the server can hold would be refused, and nobody could ever take the lock again.
constexpr std::int64_t transitions_max = std::numeric_limits<std::int32_t>::max();

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::floor<std::chrono::seconds>(duration).count();
}

}  // namespace

ElectionMachine::ElectionMachine(ElectionOptions options, Random random)
    : options_(std::move(options)), random_(random) {
  assert(!check(options_));
}

/// The last instant of the leadership that was seen. A foreign record's duration counts if it is
/// longer than ours; without one ours does (spec/incidents.md "Differing durations").
Instant ElectionMachine::expiry() const {
  constexpr std::int64_t year = 365 * 24 * 3600;  // any more would overflow an Instant in the end
  if (planted("lock-taken-early")) return changed_ + options_.lease_duration / 2;
  const Duration theirs =
      std::chrono::seconds(std::clamp(seen_->duration_seconds.value_or(0), std::int64_t{0}, year));
  return changed_ + std::max(theirs, options_.lease_duration);
}

Instant ElectionMachine::holder_until() const {
  if (holder().empty()) return Instant::min();
  return holds() ? valid_until_ : expiry();
}

/// By acquireTime as well: two processes of one name that claim the same state of the lock write
/// the same count.
bool ElectionMachine::ours(const LockRecord& lock) const {
  if (!leadership_ || lock.holder != options_.identity) return false;
  const bool same_lock = leadership_->uid.empty() || leadership_->uid == first_of_joined(lock.uid);
  return same_lock && lock.transitions == leadership_->transitions &&
         lock.acquired == leadership_->acquired;
}

bool ElectionMachine::is_of_our_leadership(const LockRecord& half) const {
  if (!leadership_) return false;
  LockRecord ours;
  ours.holder = options_.identity;
  ours.transitions = leadership_->transitions;
  ours.acquired = leadership_->acquired;
  return is_of_one_leadership(half, ours);
}

std::optional<Duration> ElectionMachine::foreign_lease() const {
  if (holder().empty() || holds()) return std::nullopt;
  return expiry() - changed_;
}

/// While this answer was on its way something newer was seen, or an end of leadership that cannot
/// be ordered with it.
bool ElectionMachine::is_overtaken(const LockRecord& answer) const {
  if (is_older_lock(answer.version, newest_)) return true;
  return overtaken_ && answer.version != newest_ && !is_older_lock(newest_, answer.version);
}

void ElectionMachine::count_a_write(std::string_view version) {
  const bool written = !newest_.empty() && version != newest_;
  if (written && !is_older_lock(version, before_rewind_) && version != before_rewind_) {
    ++lock_writes_;
  }
}

/// Change is told by version and uid, not by times (spec/incidents.md "Whole seconds").
void ElectionMachine::observe(LockRecord lock, Instant now) {
  const bool same = seen_ && seen_->version == lock.version && seen_->uid == lock.uid;
  count_a_write(lock.version);
  newest_ = lock.version;
  seen_ = std::move(lock);
  if (!same) changed_ = now;
}

/// A foreign leader may go on until its lease has run out although the lock was deleted, also if
/// the deletion is the first that we see of it.
void ElectionMachine::observe_gone(const LockRecord& last, Instant now) {
  const Instant changed = changed_;
  const bool moved = !seen_ || seen_->uid != last.uid || seen_->holder != last.holder ||
                     seen_->renewed != last.renewed || seen_->transitions != last.transitions;
  const bool was_ours = ours(last);
  observe(last, now);
  if (!moved) changed_ = changed;
  if (was_ours) seen_.reset();
  forget_a_reign_that_is_over();
}

/// What the server took is what later records of this leadership are compared with: it may keep
/// times in whole seconds.
void ElectionMachine::adopt(const LockRecord& acknowledged) {
  leadership_ = Leadership{.uid = std::string(first_of_joined(acknowledged.uid)),
                           .base = {},
                           .acquired = acknowledged.acquired,
                           .transitions = acknowledged.transitions,
                           .acknowledged = true};
}

void ElectionMachine::end_leadership() { valid_until_ = respected_until_ = Instant::min(); }

/// Others may have led meanwhile, by records that the server has lost again.
bool ElectionMachine::was_out_of_touch(Instant now) {
  const std::optional<Instant> before = std::exchange(in_touch_, try_began_);
  return before && now - *before > touch_max(options_) && now >= respected_until_;
}

/// A claim whose answer was lost may still be applied for as long as the version that it overwrites
/// is the current one, so until then it must be recognised as ours.
void ElectionMachine::forget_a_reign_that_is_over() {
  if (!leadership_ || holds()) return;
  const std::string& stands = seen_ ? seen_->version : nobody_;
  const bool may_arrive = !leadership_->acknowledged && leadership_->base == stands;
  if (!may_arrive) leadership_.reset();
}

/// The record as we would have it. Strategy and preferred holder are somebody else's and stay.
LockRecord ElectionMachine::claim(WallTime wall) const {
  LockRecord record;
  if (seen_) record = *seen_;
  const bool new_leadership = !holds();
  if (new_leadership && seen_) ++record.transitions;
  record.transitions = std::clamp(record.transitions, std::int64_t{0}, transitions_max);
  if (new_leadership || !record.acquired) record.acquired = wall;
  record.holder = options_.identity;
  record.duration_seconds = whole_seconds(options_.lease_duration);
  record.renewed = wall;
  return record;
}

LockRecord ElectionMachine::release(WallTime wall) const {
  LockRecord record = *seen_;
  record.holder.clear();
  record.duration_seconds = 1;
  record.acquired = wall;
  record.renewed = wall;
  return record;
}

/// Whoever deleted the lock did not end the leadership of somebody who is cut off and has not
/// heard. But a lock may be deleted just because its record makes everybody wait for ever.
bool ElectionMachine::foreign_reign_outlives_its_lock(Instant now) const {
  if (!seen_ || holds() || seen_->holder.empty()) return false;
  return now <= std::min(expiry(), changed_ + 4 * options_.lease_duration);
}

ElectionStep ElectionMachine::take(WallTime wall) {
  claiming_ = true;
  claims_anew_ = !holds();
  claims_free_ = !seen_ || seen_->holder.empty();
  asked_at_ = newest_;
  overtaken_ = false;
  LockRecord record = claim(wall);
  if (claims_anew_) {
    leadership_ =
        Leadership{.uid = seen_ ? std::string(first_of_joined(seen_->uid)) : std::string(),
                   .base = seen_ ? seen_->version : std::string(),
                   .acquired = record.acquired,
                   .transitions = record.transitions};
  }
  if (!seen_) return CreateLock{std::move(record)};
  return WriteLock{std::move(record)};
}

ElectionStep ElectionMachine::read() {
  asked_at_ = newest_;
  overtaken_ = false;
  return ReadLock{};
}

/// Once for each try: where others write all the time, rereading at once would never end.
ElectionStep ElectionMachine::look_again(Instant now) {
  return std::exchange(reread_, true) ? wait(now) : read();
}

ElectionStep ElectionMachine::on_read(Result<LockRecord> lock, Instant now, WallTime wall) {
  if (stopping_) return read_while_stopping(std::move(lock), now, wall);
  const bool absent = !lock && lock.error().fault == Fault::NotFound;
  const bool out_of_touch = (lock || absent) && was_out_of_touch(now);
  if (out_of_touch) contend_from_ = now + options_.lease_duration;
  if (absent) {
    end_leadership();
    if (foreign_reign_outlives_its_lock(now) || now <= contend_from_) return wait(now);
    seen_.reset();
    return take(wall);
  }
  if (!lock) return wait(now);
  if (is_older_lock(lock->version, asked_at_)) return go_back(std::move(*lock), now);
  if (is_overtaken(*lock)) return wait(now);
  const bool replaced = seen_ && seen_->uid != lock->uid;
  observe(std::move(*lock), now);
  if (out_of_touch) changed_ = now;
  if (replaced || !holds()) end_leadership();
  forget_a_reign_that_is_over();
  if (leads(now)) ++slow_paths_;
  const bool free = holds() || seen_->holder.empty() || now > expiry();
  return free && now > contend_from_ ? take(wall) : wait(now);
}

/// Somebody may lead by a record that the server has lost, and learns of it only when he renews. So
/// nothing is claimed for a lease duration, after which that leader's validity has ended.
ElectionStep ElectionMachine::go_back(LockRecord lock, Instant now) {
  ++rewinds_;
  end_leadership();
  leadership_.reset();
  if (!is_older_lock(newest_, before_rewind_)) before_rewind_ = newest_;
  newest_ = lock.version;
  seen_ = std::move(lock);
  changed_ = now;
  if (!planted("lock-claimed-after-rewind")) {
    contend_from_ = rewound_until_ = now + options_.lease_duration;
  }
  return wait(now);
}

ElectionStep ElectionMachine::read_while_stopping(Result<LockRecord> lock, Instant now,
                                                  WallTime wall) {
  const bool still_ours = lock && ours(*lock) && (!seen_ || lock->uid == seen_->uid);
  // A late release must not blank a successor (spec/incidents.md "Late release").
  if (!still_ours && !planted("late-release")) return Finished{};
  observe(std::move(*lock), now);
  return WriteLock{release(wall)};
}

ElectionStep ElectionMachine::on_written(Result<LockRecord> lock, Instant sent, Instant now) {
  const bool claimed = std::exchange(claiming_, false);
  if (stopping_) return written_while_stopping(lock, claimed);
  if (!lock) return not_written(lock.error().fault, now);
  if (is_older_lock(lock->version, asked_at_)) return go_back(std::move(*lock), now);
  if (is_overtaken(*lock)) return look_again(now);
  if (lock->holder != options_.identity) {
    observe(std::move(*lock), now);
    end_leadership();
    forget_a_reign_that_is_over();
    return wait(now);
  }
  if (newest_.empty()) ++lock_writes_;
  before_rewind_.clear();
  adopt(*lock);
  observe(std::move(*lock), now);
  in_touch_ = std::max(in_touch_.value_or(sent), sent);
  return renewed(planted("leads-from-the-answer-on") ? now : sent, now);
}

/// A leadership that begins, or goes on after it had ended, may be unknown to others: its claim may
/// be erased before they read it. Whoever of them claims next leads a period after that at the
/// earliest, when what was acknowledged before has ended. Of a lock that was given back there is
/// nobody who waits for its end.
ElectionStep ElectionMachine::renewed(Instant sent, Instant now) {
  const Duration lease = options_.lease_duration;
  const Duration period = options_.retry_period;
  if (sent >= respected_until_) {
    const bool careful = !claims_free_;
    opens_from_ = careful ? now + period : Instant::min();
    proven_from_ = careful ? now + touch_max(options_) + margin(touch_max(options_)) : opens_from_;
  }
  respected_until_ = sent + lease - margin(lease);
  if (sent >= proven_from_) {
    valid_until_ = respected_until_;
    return Pause{sent + period};
  }
  if (sent < opens_from_) return Pause{opens_from_};
  // Where answers are late it would open and close in turn.
  const bool quick = now - sent <= period / 4;
  if (quick || leads(now)) valid_until_ = sent + period - margin(period);
  return Pause{sent + period / 2};
}

ElectionStep ElectionMachine::withhold(Instant now) {
  assert(claiming_ && !stopping_);
  claiming_ = false;
  if (claims_anew_) leadership_.reset();
  return wait(now);
}

/// The answer to a claim that was in flight when `stop` was called, or to the release.
ElectionStep ElectionMachine::written_while_stopping(const Result<LockRecord>& lock, bool claimed) {
  if (lock && claimed) {
    adopt(*lock);
    return ReadLock{};
  }
  if (lock) {
    seen_ = *lock;
    return Finished{};
  }
  const Fault fault = lock.error().fault;
  if (!claimed) return fault == Fault::Conflict ? ElectionStep(ReadLock{}) : Finished{};
  const bool refused = fault == Fault::Conflict || fault == Fault::AlreadyExists ||
                       retry_for(fault) == Retry::Never || fault == Fault::Forbidden;
  return refused ? ElectionStep(Finished{}) : ReadLock{};
}

ElectionStep ElectionMachine::not_written(Fault fault, Instant now) {
  if (fault == Fault::NotFound) end_leadership();
  if (claims_anew_ && !may_have_been_applied(fault)) leadership_.reset();
  // Somebody else may have written, or the answer to our own last write was lost: only a look can
  // tell, and until then nothing more is known than before.
  const bool raced = fault == Fault::Conflict || fault == Fault::AlreadyExists;
  return raced && leads(now) ? look_again(now) : wait(now);
}

ElectionStep ElectionMachine::wake(Instant now, WallTime wall, Work work) {
  try_began_ = now;
  reread_ = false;
  if (work == Work::Stuck) return wait(now);
  if (leads(now)) return take(wall);  // without reading first: one request a renewal
  return read();
}

ElectionStep ElectionMachine::look(Instant now) {
  try_began_ = now;
  reread_ = true;
  return read();
}

bool ElectionMachine::on_sighting(const LockRecord& seen, bool gone, Instant now) {
  if (stopping_ || newest_.empty()) return false;
  if (seen.version == newest_ || is_older_lock(seen.version, newest_)) return false;
  const bool replaced = seen_ && seen.uid != seen_->uid;
  const bool another = !ours(seen) && (holds() || seen.holder != holder());
  if (gone || replaced || !ours(seen)) doubt();
  if (gone) {
    observe_gone(seen, now);
    return true;
  }
  observe(seen, now);
  forget_a_reign_that_is_over();
  return replaced || another;
}

/// The write is told when the Lease shows it, the pair's second object: its version dates lists.
void ElectionMachine::on_half_sighting(const std::string& version) {
  if (stopping_ || newest_.empty() || is_older_lock(version, newest_)) return;
  if (first_of_joined(version) == first_of_joined(newest_)) count_a_write(version);
  newest_ = version;
}

void ElectionMachine::doubt() {
  valid_until_ = Instant::min();
  overtaken_ = true;
}

std::optional<ElectionStep> ElectionMachine::stop() {
  assert(!stopping_);
  stopping_ = true;
  const bool held = respected_until_ != Instant::min();
  end_leadership();
  if (held && holds()) {
    claiming_ = false;  // a renewal that comes after our look makes a conflict of the release
    return ReadLock{};
  }
  if (claiming_) return std::nullopt;
  return Finished{};
}

/// A leader tries again each period, counted from the beginning of the try, so that several fit
/// into what is left of its leadership; the others spread out, so that they do not meet, and look
/// when the leadership that they wait for has ended.
///
/// Their looks are counted from the beginning of a try, too, and are nearer together than
/// upstream's (up to 2.2 periods after its end): who was last renewed in the moment in which a
/// network healed has been seen 1.7 periods later at most, even if a look had just begun to hang
/// (for a third of the deadline, by default less than that), and is followed a lease and a quarter
/// of a period after that: within a lease and two periods.
ElectionStep ElectionMachine::wait(Instant now) {
  const Duration period = options_.retry_period;
  if (leads(now)) return Pause{std::max(now, try_began_ + period)};
  const Instant poll = std::max(now, try_began_ + random_.between(period, period * 17 / 10));
  const Instant leadership = holder().empty() || holds() ? Instant::min() : expiry();
  const Instant lapse = std::max(leadership, contend_from_);
  if (lapse < now) return Pause{poll};
  return Pause{std::min(poll, lapse + Duration{1} + random_.between({}, period / 4))};
}

}  // namespace nlc::election
