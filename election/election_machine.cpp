#include "election/election_machine.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <utility>

namespace nlc::election {
namespace {

/// Clock rates of two machines may differ by a hundredth, and a thread may be late by a time slice.
Duration margin(Duration lease) { return lease / 100 + std::chrono::milliseconds(100); }

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

/// The last instant of the reign that was seen. A foreign record's duration counts if it is longer
/// than ours; without one ours does (S17).
Instant ElectionMachine::expiry() const {
  constexpr std::int64_t year = 365 * 24 * 3600;  // any more would overflow an Instant in the end
  const Duration theirs =
      std::chrono::seconds(std::clamp(seen_->duration_seconds.value_or(0), std::int64_t{0}, year));
  return changed_ + std::max(theirs, options_.lease_duration);
}

Instant ElectionMachine::holder_until() const {
  if (holder().empty()) return Instant::min();
  return holds() ? valid_until_ : expiry();
}

/// Change is told by version and uid, not by times with whole seconds (S18).
void ElectionMachine::observe(LockRecord lock, Instant now) {
  const bool same = seen_ && seen_->version == lock.version && seen_->uid == lock.uid;
  seen_ = std::move(lock);
  if (!same) changed_ = now;
}

/// The record as we would have it. Strategy and preferred holder are somebody else's and stay.
LockRecord ElectionMachine::claim(WallTime wall) const {
  LockRecord record;
  if (seen_) record = *seen_;
  const bool new_reign = !seen_ || !ours(*seen_);
  if (new_reign && seen_) ++record.transitions;
  record.transitions = std::clamp(record.transitions, std::int64_t{0}, transitions_max);
  if (new_reign || !record.acquired) record.acquired = wall;
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

/// Whoever deleted the lock did not end the reign of somebody who is cut off and has not heard. But
/// a lock may be deleted just because its record makes everybody wait for ever.
bool ElectionMachine::foreign_reign_outlives_its_lock(Instant now) const {
  if (!seen_ || holds() || seen_->holder.empty()) return false;
  return now <= std::min(expiry(), changed_ + 4 * options_.lease_duration);
}

ElectionStep ElectionMachine::take(WallTime wall) {
  claiming_ = true;
  if (!seen_) return CreateLock{claim(wall)};
  return WriteLock{claim(wall)};
}

ElectionStep ElectionMachine::on_read(Result<LockRecord> lock, Instant now, WallTime wall) {
  if (stopping_) return read_while_stopping(std::move(lock), now, wall);
  if (!lock && lock.error().fault == Fault::NotFound) {
    valid_until_ = Instant::min();
    if (foreign_reign_outlives_its_lock(now)) return wait(now);
    seen_.reset();
    return take(wall);
  }
  if (!lock) return wait(now);
  const bool replaced = seen_ && seen_->uid != lock->uid;
  observe(std::move(*lock), now);
  if (replaced || !ours(*seen_)) valid_until_ = Instant::min();
  if (leads(now)) ++slow_paths_;
  const bool free = ours(*seen_) || seen_->holder.empty() || now > expiry();
  return free ? take(wall) : wait(now);
}

ElectionStep ElectionMachine::read_while_stopping(Result<LockRecord> lock, Instant now,
                                                  WallTime wall) {
  const bool still_ours = lock && ours(*lock) && (!seen_ || lock->uid == seen_->uid);
  if (!still_ours) return Finished{};  // a late release must not blank a successor (S8)
  observe(std::move(*lock), now);
  return WriteLock{release(wall)};
}

ElectionStep ElectionMachine::on_written(Result<LockRecord> lock, Instant sent, Instant now) {
  const bool claimed = std::exchange(claiming_, false);
  if (stopping_) return written_while_stopping(lock, claimed);
  if (!lock) return not_written(lock.error().fault, now);
  observe(std::move(*lock), now);
  if (!ours(*seen_)) {
    valid_until_ = Instant::min();
    return wait(now);
  }
  valid_until_ = sent + options_.lease_duration - margin(options_.lease_duration);
  return Pause{sent + options_.retry_period};
}

/// Of a claim that was on its way when the stop came, or of the release.
ElectionStep ElectionMachine::written_while_stopping(const Result<LockRecord>& lock, bool claimed) {
  if (lock && claimed) return ReadLock{};
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
  if (fault == Fault::NotFound) valid_until_ = Instant::min();
  // Somebody else may have written, or the answer to our own last write was lost: only a look can
  // tell, and until then nothing more is known than before. One look a try, for somebody may write
  // all the time.
  const bool raced = fault == Fault::Conflict || fault == Fault::AlreadyExists;
  if (raced && leads(now) && !std::exchange(reread_, true)) return ReadLock{};
  return wait(now);
}

ElectionStep ElectionMachine::wake(Instant now, WallTime wall, Work work) {
  try_began_ = now;
  reread_ = false;
  if (work == Work::Stuck) return wait(now);
  if (leads(now)) return take(wall);  // without reading first: one request a renewal
  return ReadLock{};
}

ElectionStep ElectionMachine::look(Instant now) {
  try_began_ = now;
  reread_ = true;
  return ReadLock{};
}

bool ElectionMachine::on_sighting(const LockRecord& seen, bool gone, Instant now) {
  if (stopping_ || !seen_ || !is_older(seen_->version, seen.version)) return false;
  const bool replaced = seen.uid != seen_->uid;
  const bool ends_reign = gone || replaced || !ours(seen);
  if (ends_reign) valid_until_ = Instant::min();
  if (gone) return true;
  const bool turned = replaced || (seen.holder != seen_->holder && !ours(seen));
  observe(seen, now);
  return turned;
}

std::optional<ElectionStep> ElectionMachine::stop() {
  assert(!stopping_);
  stopping_ = true;
  const bool held = std::exchange(valid_until_, Instant::min()) != Instant::min();
  if (held && holds()) {
    claiming_ = false;  // a renewal that comes after our look makes a conflict of the release
    return ReadLock{};
  }
  if (claiming_) return std::nullopt;
  return Finished{};
}

/// A leader tries again each period, counted from the beginning of the try, so that several fit
/// into what is left of its reign; the others spread out, so that they do not meet, and look when
/// the reign that they wait for has ended.
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
  const Instant lapse = holder().empty() || holds() ? Instant::min() : expiry();
  if (lapse < now) return Pause{poll};
  return Pause{std::min(poll, lapse + Duration{1} + random_.between({}, period / 4))};
}

}  // namespace nlc::election
