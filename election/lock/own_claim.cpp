#include "election/lock/own_claim.h"

namespace nlc::election {

void OwnClaim::begin(const std::optional<LockRecord>& seen, const LockRecord& record) {
  claimed_ = Claimed{.uid = seen ? std::string(first_of_joined(seen->uid)) : std::string(),
                     .base = seen ? seen->version : std::string(),
                     .acquired = record.acquired,
                     .transitions = record.transitions};
}

void OwnClaim::adopt(const LockRecord& acknowledged) {
  claimed_ = Claimed{.uid = std::string(first_of_joined(acknowledged.uid)),
                     .acquired = acknowledged.acquired,
                     .transitions = acknowledged.transitions,
                     .acknowledged = true};
}

void OwnClaim::observe(const std::optional<LockRecord>& lock) {
  if (!claimed_ || (lock && covers(*lock))) return;
  const bool at_base = claimed_->base == (lock ? lock->version : std::string());
  if (claimed_->acknowledged || !at_base) claimed_.reset();
}

/// By acquireTime as well: two processes of one name that claim the same state of the lock write
/// the same count.
bool OwnClaim::covers(const LockRecord& lock) const {
  if (!claimed_ || lock.holder != identity_) return false;
  const bool same_lock = claimed_->uid.empty() || claimed_->uid == first_of_joined(lock.uid);
  return same_lock && lock.transitions == claimed_->transitions &&
         lock.acquired == claimed_->acquired;
}

bool OwnClaim::covers_half(const LockRecord& half) const {
  if (!claimed_) return false;
  LockRecord ours;
  ours.holder = identity_;
  ours.transitions = claimed_->transitions;
  ours.acquired = claimed_->acquired;
  return is_of_one_leadership(half, ours);
}

}  // namespace nlc::election
