#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "election/election_options.h"
#include "election/lock_object.h"
#include "runtime/random.h"
#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::election {

/// What the driver has to do next. Whatever it was waiting for before is over.
struct ReadLock {};
struct CreateLock {
  LockRecord record;
};
struct WriteLock {
  LockRecord record;
};
struct Pause {
  Instant until;
};
/// Nothing more: the candidate has stopped.
struct Finished {};
using ElectionStep = std::variant<ReadLock, CreateLock, WriteLock, Pause, Finished>;

/// Whether the work for which somebody leads makes progress.
enum class Work : std::uint8_t { Moving, Stuck };

/// One candidate for one lock (informer-election.md §1, with the safety of §1.12).
///
/// Pure. Its reign lasts until the send time of the last acknowledged renewal plus the lease, less
/// a margin: whatever requests do, it ends there. A foreign holder, another uid or a lock that is
/// gone end it at once. Times that others wrote into the record are never compared with a clock: a
/// foreign reign has expired when its record has not changed for its duration, by our own boot
/// clock.
///
/// Inputs must follow: start (on_read after ReadLock | on_written after CreateLock or WriteLock |
/// wake or look after Pause)*; `on_sighting` and `stop` at any time.
class ElectionMachine {
 public:
  ElectionMachine(ElectionOptions options, Random random);

  ElectionStep start(Instant now) { return look(now); }

  /// Absent: an Error with Fault::NotFound.
  ElectionStep on_read(Result<LockRecord> lock, Instant now, WallTime wall);
  /// Of a CreateLock or WriteLock whose request was sent at `sent`.
  ElectionStep on_written(Result<LockRecord> lock, Instant sent, Instant now);
  /// The pause is over. Work that is stuck is neither led nor contended for: another may do better.
  ElectionStep wake(Instant now, WallTime wall, Work work = Work::Moving);

  /// A watch showed the record, or that it is gone. True: worth a look now, which alone decides
  /// what becomes of the lock. What is older than what we know says nothing.
  bool on_sighting(const LockRecord& seen, bool gone, Instant now);
  /// Instead of the rest of a pause.
  ElectionStep look(Instant now);

  /// Gives the lock back if it is still ours, then finishes. The reign ends with the call. Nothing:
  /// the claim in hand has to be awaited first, for it may be what makes the lock ours.
  std::optional<ElectionStep> stop();

  /// Until when this candidate may act; in the past when it does not lead.
  Instant valid_until() const { return valid_until_; }
  bool leads(Instant now) const { return now < valid_until_; }

  /// The holder as last seen; empty when there is none.
  const std::string& holder() const { return seen_ ? seen_->holder : nobody_; }
  /// Until when that holder is to be believed: the end of our own reign, or of a foreign one as far
  /// as we know.
  Instant holder_until() const;
  bool holds() const { return seen_ && ours(*seen_); }

  /// How often a leader had to read before it renewed.
  std::uint64_t slow_paths() const { return slow_paths_; }

 private:
  bool ours(const LockRecord& lock) const { return lock.holder == options_.identity; }
  Instant expiry() const;
  bool foreign_reign_outlives_its_lock(Instant now) const;
  void observe(LockRecord lock, Instant now);
  LockRecord claim(WallTime wall) const;
  LockRecord release(WallTime wall) const;
  ElectionStep take(WallTime wall);
  ElectionStep read_while_stopping(Result<LockRecord> lock, Instant now, WallTime wall);
  ElectionStep written_while_stopping(const Result<LockRecord>& lock, bool claimed);
  ElectionStep not_written(Fault fault, Instant now);
  ElectionStep wait(Instant now);

  const ElectionOptions options_;
  Random random_;
  std::optional<LockRecord> seen_;  ///< the last good record; nothing: there is no lock
  Instant changed_;                 ///< when it was last seen to change
  Instant valid_until_ = Instant::min();
  Instant try_began_;
  std::uint64_t slow_paths_ = 0;
  bool reread_ = false;    ///< in this try, after a conflict
  bool claiming_ = false;  ///< a write that would make or keep the lock ours is on its way
  bool stopping_ = false;
  const std::string nobody_;
};

}  // namespace nlc::election
