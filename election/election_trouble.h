#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "election/election_machine.h"
#include "election/election_options.h"
#include "election/leader_status.h"
#include "runtime/log.h"
#include "runtime/result.h"
#include "runtime/time.h"
#include "runtime/trouble.h"

namespace nlc::election {

/// What keeps a candidate from contending: told in the log when it begins, once a minute and when
/// it ends, and kept for the board. On the executor's thread.
class ElectionTrouble {
 public:
  ElectionTrouble(Log& log, const ElectionOptions& options) : log_(log), options_(options) {}

  /// `kind` decides whether this is logged again; `text` may differ each time (ports, durations).
  void met(std::string_view kind, const std::string& text, Instant now);
  /// The server did not do what it was asked.
  void refused(const Error& error, Instant now);
  /// The lock was written, or seen with somebody in it who has to be waited for.
  void able(Instant seen);
  void over(Instant now);
  /// A write of the lock was answered after so long: the first sign of a lease that is too short
  /// for its server (spec/incidents.md "Slow renewals").
  void wrote_in(Duration took);
  /// Waiting for another's lease to run out is a standby's normal state and not logged. One that is
  /// unusually long is told, and may be wanted; what keeps this candidate from it is trouble.
  void waits(const ElectionMachine& machine, Instant now);

  /// The board's lines about it.
  void show(LeaderStatus& status) const;

 private:
  void wait_long(const std::string& holder, Duration lease, Instant now);

  Log& log_;
  const ElectionOptions& options_;
  Trouble trouble_;
  std::string text_;     ///< there is now
  std::string refusal_;  ///< what the server will not allow, until it is seen to
  Instant able_until_ = Instant::min();
  std::optional<Duration> long_lease_;
  Trouble long_leases_;  ///< told as trouble is
  bool told_slow_ = false;
};

}  // namespace nlc::election
