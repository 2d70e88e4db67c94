#include "election/election_machine.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace nlc::election {
namespace {

/// Clock rates of two machines may differ by a thousandth, and a thread may be late by a time
/// slice.
Duration margin(Duration lease) { return lease / 1000 + std::chrono::milliseconds(100); }

std::int64_t whole_seconds(Duration duration) {
  return std::chrono::floor<std::chrono::seconds>(duration).count();
}

}  // namespace

ElectionMachine::ElectionMachine(ElectionOptions options, Random random)
    : options_(std::move(options)), random_(random) {
  assert(!options_.identity.empty());
  assert(whole_seconds(options_.lease_duration) >= 1);
  assert(options_.lease_duration > options_.renew_deadline);
}

/// A foreign record's duration counts if it is longer than ours; without one ours does (S17).
bool ElectionMachine::expired(Instant now) const {
  constexpr std::int64_t year = 365 * 24 * 3600;  // any more would overflow an Instant in the end
  const Duration theirs =
      std::chrono::seconds(std::clamp(seen_->duration_seconds.value_or(0), std::int64_t{0}, year));
  const bool released = seen_->holder.empty();
  return released || now > changed_ + std::max(theirs, options_.lease_duration);
}

/// Change is told by version and uid, not by times with whole seconds (S18).
void ElectionMachine::observe(api::Lease lock, Instant now) {
  const bool same =
      seen_ && seen_->resource_version == lock.resource_version && seen_->uid == lock.uid;
  seen_ = std::move(lock);
  if (!same) changed_ = now;
}

/// The record as we would have it. Strategy and preferred holder are somebody else's and stay.
api::Lease ElectionMachine::claim(WallTime wall) const {
  api::Lease lease;
  if (seen_) lease = *seen_;
  lease.namespace_ = options_.lease_namespace;
  lease.name = options_.lease_name;
  if (!seen_ || !ours(*seen_) || !lease.acquired) {
    lease.acquired = wall;
    if (seen_) ++lease.transitions;
  }
  lease.holder = options_.identity;
  lease.duration_seconds = whole_seconds(options_.lease_duration);
  lease.renewed = wall;
  return lease;
}

api::Lease ElectionMachine::release(WallTime wall) const {
  api::Lease lease = *seen_;
  lease.holder.clear();
  lease.duration_seconds = 1;
  lease.acquired = wall;
  lease.renewed = wall;
  return lease;
}

ElectionStep ElectionMachine::take(WallTime wall) {
  claiming_ = true;
  if (!seen_) return CreateLock{claim(wall)};
  return WriteLock{claim(wall)};
}

ElectionStep ElectionMachine::on_read(Result<api::Lease> lock, Instant now, WallTime wall) {
  if (stopping_) return read_while_stopping(std::move(lock), now, wall);
  if (!lock && lock.error().fault == Fault::NotFound) {
    valid_until_ = Instant::min();
    seen_.reset();
    return take(wall);
  }
  if (!lock) return wait(now);
  const bool replaced = seen_ && seen_->uid != lock->uid;
  observe(std::move(*lock), now);
  if (replaced || !ours(*seen_)) valid_until_ = Instant::min();
  if (!ours(*seen_) && !expired(now)) return wait(now);
  return take(wall);
}

ElectionStep ElectionMachine::read_while_stopping(Result<api::Lease> lock, Instant now,
                                                  WallTime wall) {
  const bool still_ours = lock && ours(*lock) && (!seen_ || lock->uid == seen_->uid);
  if (!still_ours) return Finished{};  // a late release must not blank a successor (S8)
  observe(std::move(*lock), now);
  return WriteLock{release(wall)};
}

ElectionStep ElectionMachine::on_written(Result<api::Lease> lock, Instant sent, Instant now) {
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
ElectionStep ElectionMachine::written_while_stopping(const Result<api::Lease>& lock, bool claimed) {
  if (lock) return claimed ? ElectionStep(ReadLock{}) : Finished{};
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

ElectionStep ElectionMachine::wake(Instant now, WallTime wall) {
  try_began_ = now;
  reread_ = false;
  if (leads(now)) return take(wall);  // without reading first: one request a renewal
  return ReadLock{};
}

std::optional<ElectionStep> ElectionMachine::stop(WallTime wall) {
  assert(!stopping_);
  stopping_ = true;
  const bool held = std::exchange(valid_until_, Instant::min()) != Instant::min();
  if (held && seen_ && ours(*seen_)) {
    claiming_ = false;  // a renewal that came first makes a conflict of the release
    return WriteLock{release(wall)};
  }
  if (claiming_) return std::nullopt;
  return Finished{};
}

/// A leader tries again each period, counted from the beginning of the try, so that several fit
/// into what is left of its reign; the others spread out, so that they do not meet.
ElectionStep ElectionMachine::wait(Instant now) {
  const Duration period = options_.retry_period;
  if (leads(now)) return Pause{std::max(now, try_began_ + period)};
  return Pause{now + random_.between(period, period * 22 / 10)};
}

}  // namespace nlc::election
