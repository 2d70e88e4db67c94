#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>

#include "election/contest_schedule.h"
#include "election/election_options.h"
#include "election/lease_validity.h"
#include "election/lock/lock_record.h"
#include "election/lock/own_claim.h"
#include "election/lock/seen_lock.h"
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
struct Finished {
  /// The lock was ours and could not be given back, as far as is known: it runs out by itself.
  bool left_behind = false;
};
using ElectionStep = std::variant<ReadLock, CreateLock, WriteLock, Pause, Finished>;

/// Whether the work for which somebody leads makes progress.
enum class Work : std::uint8_t { Moving, Stuck };

/// One candidate for one lock (spec/leader-election.md "Validity by send time").
///
/// Pure. Its leadership lasts until the send time of the last acknowledged renewal plus the lease,
/// less a margin: whatever requests do, it ends there. A foreign holder, another uid or a lock that
/// is gone end it at once. Times that others wrote into the record are never compared with a clock:
/// a foreign leadership has expired when its record has not changed for its duration, by our own
/// boot clock.
///
/// A record is ours if this process wrote it since it last began to lead, which is told by uid,
/// transitions and acquireTime. One under our name that another process wrote, or an earlier life
/// of this one, is foreign.
///
/// A restore of the server may erase a claim before others have read it, and nothing shows that to
/// either side. So a claim that ends a leadership by time opens nothing before it was renewed a
/// retry period later; until all who are in touch must have read of it each renewal lasts for a
/// period only; and who was out of touch for so long claims nothing for a lease duration
/// (docs/decisions/0032-a-claim-may-be-erased-before-it-is-read.md).
///
/// A record older than what was seen already neither begins nor prolongs leadership. An answer that
/// is older than what was known when its request was sent shows that the server went back in time:
/// then it is not known who leads, and nothing is claimed for a lease duration.
///
/// Inputs must follow: look (on_read after ReadLock | on_written, or withhold, after CreateLock or
/// WriteLock | wake or look after Pause)*; `on_change`, `on_half_change` and `stop` at any time.
class ElectionMachine {
 public:
  ElectionMachine(ElectionOptions options, Random random);

  /// Reads the lock now: to begin with, or instead of waiting out the pause, if it may.
  ElectionStep look(Instant now);
  /// Nothing could be done with what is read while a rewind is waited out; and watches may show
  /// something at any rate.
  bool may_look(Instant now) const {
    return !schedule_.waits_out_a_rewind(now) && schedule_.may_look_early(now);
  }
  /// Absent: an Error with Fault::NotFound.
  ElectionStep on_read(Result<LockRecord> lock, Instant now, WallTime wall);
  /// Of a CreateLock or WriteLock whose request was sent at `sent`.
  ElectionStep on_written(Result<LockRecord> lock, Instant sent, Instant now);
  /// The pause is over. While the work is stuck we neither renew nor contend: another may do
  /// better.
  ElectionStep wake(Instant now, WallTime wall, Work work = Work::Moving);

  /// The claim in hand is not sent after all. Not while stopping.
  ElectionStep withhold(Instant now);

  /// A watch showed the record, or that it is gone. True: the lock should be read now; decisions
  /// are made from that read alone. What is older than what we know is ignored.
  bool on_change(const LockRecord& seen, bool gone, Instant now);
  /// The same of one object of a pair, with which the pair is at `version`. It cannot be compared
  /// with the joined record: where it is gone or somebody else's leadership ends, and no answer
  /// that is on its way begins it again. What is older than that version from now on shows that the
  /// server went back, though nobody read the pair in between.
  bool on_half_change(const LockRecord& half, bool gone, const std::string& version, Instant now);

  /// Gives the lock back if it is still ours, then finishes. The leadership ends with the call.
  /// Nothing: the claim in hand has to be awaited first, for it may be what makes the lock ours.
  std::optional<ElectionStep> stop();

  /// Until when this candidate may act; in the past when it does not lead.
  Instant valid_until() const { return validity_.until(); }
  bool leads(Instant now) const { return now < validity_.until(); }
  /// Until when others wait for the end of what the server acknowledged to us, whether we lead by
  /// it or not; in the past when the lock is not ours.
  Instant respected_until() const { return holds() ? validity_.respected_until() : Instant::min(); }

  /// The holder as last seen; empty when there is none.
  const std::string& holder() const { return lock_.holder(); }
  /// Until when that holder is to be believed: the end of our own leadership, or of a foreign one
  /// as far as we know.
  Instant holder_until() const;
  /// The record as last seen is of our present leadership, be that still valid or not.
  bool holds() const { return lock_.record() && claim_.covers(*lock_.record()); }
  /// What the record of somebody else says that his leadership lasts; nothing: there is none.
  std::optional<Duration> foreign_lease() const;

  /// How often a leader had to read before it renewed.
  std::uint64_t slow_paths() const { return slow_paths_; }
  /// Writes of the lock that the server was seen to take, by whomever: the first that is seen is
  /// none.
  std::uint64_t lock_writes() const { return lock_.writes(); }
  bool waits_out_a_rewind(Instant now) const { return schedule_.waits_out_a_rewind(now); }
  /// How often the server went back in time, or may have: the lock was missing, or another one, and
  /// nobody had seen it deleted.
  std::uint64_t rewinds() const { return rewinds_; }

 private:
  /// A write that would make or keep the lock ours is on its way.
  struct ClaimUnderWay {
    bool anew = false;  ///< it begins a leadership
    LeaseValidity::Before before = LeaseValidity::Before::Ended;
  };

  Instant foreign_until() const;
  Instant unheard_until() const;
  Duration unheard_for() const;
  bool is_released() const;
  void observe(LockRecord lock, Instant looked, Instant now);
  LeaseValidity::Before before_a_claim() const;
  void doubt();
  ElectionStep read();
  ElectionStep look_again(Instant now);
  ElectionStep on_absent(Instant now, WallTime wall);
  ElectionStep take(LeaseValidity::Before before, WallTime wall);
  ElectionStep go_back(LockRecord lock, Instant now);
  ElectionStep not_written(Fault fault, bool anew, Instant now);
  ElectionStep read_while_stopping(Result<LockRecord> lock, Instant now, WallTime wall);
  ElectionStep written_while_stopping(const Result<LockRecord>& lock, bool claimed, Instant now);
  ElectionStep wait(Instant now);

  const ElectionOptions options_;
  SeenLock lock_;
  OwnClaim claim_;
  LeaseValidity validity_;
  ContestSchedule schedule_;
  std::optional<ClaimUnderWay> under_way_;
  std::optional<Instant> missing_since_;  ///< and nobody saw it deleted, or we were not there
  bool follows_unread_ = false;  ///< so does the claim that was sent last, until it lets us lead
  std::uint64_t slow_paths_ = 0;
  std::uint64_t rewinds_ = 0;
  bool reread_ = false;  ///< in this try, after a conflict
  bool stopping_ = false;
};

}  // namespace nlc::election
