#pragma once

#include <optional>
#include <string>
#include <variant>

#include "api/lease.h"
#include "runtime/random.h"
#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::election {

struct ElectionOptions {
  std::string identity;
  std::string lease_namespace = "kube-system";
  std::string lease_name = "node-lifecycle-controller";
  Duration lease_duration = std::chrono::seconds(15);  ///< whole seconds, at least one
  Duration renew_deadline = std::chrono::seconds(10);  ///< one try may take a third of it
  Duration retry_period = std::chrono::seconds(2);
};

/// What the driver has to do next. Whatever it was waiting for before is over.
struct ReadLock {};
struct CreateLock {
  api::Lease lease;
};
struct WriteLock {
  api::Lease lease;
};
struct Pause {
  Instant until;
};
/// Nothing more: the candidate has stopped.
struct Finished {};
using ElectionStep = std::variant<ReadLock, CreateLock, WriteLock, Pause, Finished>;

/// One candidate for one Lease (informer-election.md §1, with the safety of §1.12).
///
/// Pure. Its reign lasts until the send time of the last acknowledged renewal plus the lease, less
/// a margin: whatever requests do, it ends there. A foreign holder, another uid or a lease that is
/// gone end it at once. Times that others wrote into the lease are never compared with a clock: a
/// foreign reign has expired when its record has not changed for its duration, by our own boot
/// clock.
///
/// Inputs must follow: start (on_read after ReadLock | on_written after CreateLock or WriteLock |
/// wake after Pause)*; `stop` at any time.
class ElectionMachine {
 public:
  ElectionMachine(ElectionOptions options, Random random);

  ElectionStep start() { return ReadLock{}; }

  /// Absent: an Error with Fault::NotFound.
  ElectionStep on_read(Result<api::Lease> lock, Instant now, WallTime wall);
  /// Of a CreateLock or WriteLock whose request was sent at `sent`.
  ElectionStep on_written(Result<api::Lease> lock, Instant sent, Instant now);
  ElectionStep wake(Instant now, WallTime wall);

  /// Gives the lease back if it is ours, then finishes. The reign ends with the call. Nothing: the
  /// claim in hand has to be awaited first, for it may be what makes the lease ours.
  std::optional<ElectionStep> stop(WallTime wall);

  /// Until when this candidate may act; in the past when it does not lead.
  Instant valid_until() const { return valid_until_; }
  bool leads(Instant now) const { return now < valid_until_; }

  /// The holder as last seen; empty when there is none.
  const std::string& holder() const { return seen_ ? seen_->holder : nobody_; }

 private:
  bool ours(const api::Lease& lock) const { return lock.holder == options_.identity; }
  bool expired(Instant now) const;
  void observe(api::Lease lock, Instant now);
  api::Lease claim(WallTime wall) const;
  api::Lease release(WallTime wall) const;
  ElectionStep take(WallTime wall);
  ElectionStep read_while_stopping(Result<api::Lease> lock, Instant now, WallTime wall);
  ElectionStep written_while_stopping(const Result<api::Lease>& lock, bool claimed);
  ElectionStep not_written(Fault fault, Instant now);
  ElectionStep wait(Instant now);

  const ElectionOptions options_;
  Random random_;
  std::optional<api::Lease> seen_;  ///< the last good object; never an empty one
  Instant changed_;                 ///< when its record was last seen to change
  Instant valid_until_ = Instant::min();
  Instant try_began_;
  bool reread_ = false;    ///< in this try, after a conflict
  bool claiming_ = false;  ///< a write that would make or keep the lease ours is on its way
  bool stopping_ = false;
  const std::string nobody_;
};

}  // namespace nlc::election
