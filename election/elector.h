#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/limits/gate.h"
#include "client/transport.h"
#include "election/election_machine.h"
#include "election/election_options.h"
#include "election/election_trouble.h"
#include "election/leader_status.h"
#include "election/leadership_events.h"
#include "election/lock/lock.h"
#include "election/lock/lock_watch.h"
#include "election/migration_check.h"
#include "metrics/metrics.h"
#include "runtime/callback_scope.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"

/// Leader election, the one header to read. Promises that of all candidates for a lock at most one
/// holds an open gate at any moment, whatever the network, the server, the clocks of calendars or a
/// stopped process do; that a lock which is free is taken in milliseconds; and that once the
/// network is well somebody leads within a lease and three retry periods, or half a renew deadline
/// if that is longer. Does not promise that a write begun by a former leader cannot arrive late:
/// let each write carry the resourceVersion or uid that it was decided on. Nor can a lock that
/// somebody deletes, or a storage that is restored to a time in which nobody held it, protect a
/// leader from a candidate that never saw it: nothing tells the two of each other.
namespace nlc::election {

/// What an elector stands on; everything outlives it.
struct ElectorEnv {
  client::Transport& transport;
  const Clock& clock;
  Executor& executor;
  Log& log;
  /// Opened while this process leads, and never for longer than its lease is valid.
  client::Gate& gate;
  std::uint64_t seed = 0;
  metrics::ElectionMetrics metrics = {};   ///< without them nothing is counted
  LeaderStatusBoard* board = nullptr;      ///< for other threads
  std::function<Instant()> last_worked{};  ///< when the work last moved; none: not asked
};

/// What the elector tells: on the executor, in order, never from within a call to it, and nothing
/// after its end.
struct ElectorEvents {
  std::function<void(bool leading)> on_change;            ///< this process began or ceased to lead
  std::function<void(const std::string&)> on_new_leader;  ///< in order; empty: nobody
  /// The server took a write of the lock, by whomever: ours was acknowledged, or a read or a watch
  /// shows a newer version than was seen last. Not told when a lock is first seen, nor when the
  /// last look is so long ago that this may have been written any time, nor of a pair whose Lease
  /// has not moved. With the version of the Lease then; empty where the lock has none. The last
  /// write of ours that was acknowledged was sent at `sent`.
  std::function<void(const std::string& version, Instant sent)> on_lock_written;
  /// A read shows the lock as it was before: the server went back in time. Or it shows none, or
  /// another, and no watch told of the deletion: then it may have. Whatever else was read from it
  /// may be older than what is known, or never have been.
  std::function<void()> on_server_went_back;
};

/// A candidate. Contests from construction on, and again after every loss; its trouble is told in
/// the log when it begins, once a minute and when it ends, and stands on the board. Before it takes
/// a lock that it does not hold it looks for locks of another kind (MigrationCheck). On the
/// executor's thread; the gate and the board may be read from any.
class Elector {
 public:
  /// `options` have passed `check`.
  Elector(ElectorEnv env, ElectionOptions options, ElectorEvents events);
  ~Elector();

  /// Ends the leadership, gives the lock back if it is still ours, and calls `done` when that is
  /// over or `timeout` has passed; nothing is sent after that. Further calls join the first.
  /// Whoever worked under this leadership has to have ended before: a successor may begin in the
  /// same millisecond.
  void stop(Duration timeout, std::function<void()> done);

  bool leading() const { return machine_.leads(env_.clock.now()); }
  /// So long nobody else leads, though our gate may be shut; in the past when the lock is not ours.
  Instant respected_until() const { return machine_.respected_until(); }
  LeaderStatus leader_status() const;

 private:
  void perform(const ElectionStep& step);
  void begin(const ReadLock&);
  void begin(const CreateLock& step);
  void begin(const WriteLock& step);
  void begin(const Pause& step);
  void begin(const Finished& step);
  void check_then(std::function<void()> send);
  void check_early();
  void found(Result<LockRecord> lock);
  std::function<void(Result<LockRecord>)> on_answer();
  void answered(Result<LockRecord> lock, Instant sent);
  void wake();
  Work work();
  void follow();
  void tell_watches();
  void lock_seen(const LockPlace& place, const LockChange& change);
  bool look_is_due();
  void publish();
  void tell_write();
  void tell_leader();
  void tell_change(bool leads);
  void tell(std::function<void()> event);

  ElectorEnv env_;
  const ElectionOptions options_;
  const ElectorEvents events_;
  ElectionMachine machine_;
  Lock lock_;
  MigrationCheck migration_check_;
  LeadershipEvents leadership_events_;
  ElectionTrouble trouble_;
  /// What others were told last.
  struct Told {
    bool leading = false;
    std::string leader;
    std::uint64_t slow_paths = 0;
    std::uint64_t writes = 0;
    Instant wrote = Instant::min();
    Instant looked = Instant::min();
    std::string lease_version;
    std::uint64_t rewinds = 0;
  } told_;
  bool writing_ = false;             ///< a write of ours is under way
  Instant wrote_ = Instant::min();   ///< the last write that was acknowledged was sent then
  Instant looked_ = Instant::min();  ///< a read or a write of ours was answered then
  Instant renewed_;
  std::optional<Instant> stuck_since_;
  bool checking_ = false;       ///< a claim waits for the check
  bool look_wanted_ = false;    ///< a watch showed something that a look has to confirm
  bool look_failed_ = false;    ///< the last one; its pause is not over
  std::optional<Timer> pause_;  ///< in hand
  Timer end_of_validity_;
  Timer stop_timeout_;
  std::vector<std::unique_ptr<LockWatch>> watches_;  ///< one for each object of the lock
  std::vector<std::function<void()>> on_stopped_;
  bool finished_ = false;
  CallbackScope callbacks_;  ///< what is told ends with it
};

}  // namespace nlc::election
