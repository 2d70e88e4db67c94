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
  const Duration theirs = std::chrono::seconds(seen_->duration_seconds.value_or(0));
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

ElectionStep ElectionMachine::on_read(Result<api::Lease> lock, Instant now, WallTime wall) {
  if (stopping_) {
    const bool still_ours = lock && ours(*lock) && seen_ && lock->uid == seen_->uid;
    if (!still_ours) return Finished{};
    observe(std::move(*lock), now);
    return stop(wall);
  }
  if (!lock && lock.error().fault == Fault::NotFound) {
    valid_until_ = Instant::min();
    seen_.reset();
    return CreateLock{claim(wall)};
  }
  if (!lock) return wait_as_candidate(now);
  const bool replaced = seen_ && seen_->uid != lock->uid;
  observe(std::move(*lock), now);
  if (replaced || !ours(*seen_)) valid_until_ = Instant::min();
  if (!ours(*seen_) && !expired(now)) return wait_as_candidate(now);
  return WriteLock{claim(wall)};
}

ElectionStep ElectionMachine::on_written(Result<api::Lease> lock, Instant sent, Instant now) {
  if (stopping_) {
    if (!lock && lock.error().fault == Fault::Conflict) return ReadLock{};
    return Finished{};
  }
  if (!lock) {
    // Somebody else may have written: only a look can tell, and until then nothing more is known
    // than before.
    if (lock.error().fault == Fault::Conflict || lock.error().fault == Fault::AlreadyExists) {
      return leads(now) ? ElectionStep(ReadLock{}) : wait_as_candidate(now);
    }
    if (lock.error().fault == Fault::NotFound) return end_reign(now);
    return wait_as_candidate(now);
  }
  observe(std::move(*lock), now);
  valid_until_ = sent + options_.lease_duration - margin(options_.lease_duration);
  return Pause{sent + options_.retry_period};
}

ElectionStep ElectionMachine::wake(Instant now, WallTime wall) {
  if (leads(now)) return WriteLock{claim(wall)};  // without reading first: one request a renewal
  return ReadLock{};
}

ElectionStep ElectionMachine::stop(WallTime wall) {
  const bool held = std::exchange(valid_until_, Instant::min()) != Instant::min();
  const bool release = (held || stopping_) && seen_ && ours(*seen_);
  stopping_ = true;
  if (!release) return Finished{};
  api::Lease lease = *seen_;
  lease.holder.clear();
  lease.duration_seconds = 1;
  lease.acquired = wall;
  lease.renewed = wall;
  return WriteLock{std::move(lease)};
}

/// A leader whose renewal failed tries again each period; the others spread out, so that they do
/// not meet.
ElectionStep ElectionMachine::wait_as_candidate(Instant now) {
  const Duration period = options_.retry_period;
  if (leads(now)) return Pause{now + period};
  return Pause{now + random_.between(period, period * 22 / 10)};
}

ElectionStep ElectionMachine::end_reign(Instant now) {
  valid_until_ = Instant::min();
  return wait_as_candidate(now);
}

}  // namespace nlc::election
