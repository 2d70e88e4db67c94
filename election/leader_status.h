#pragma once

#include <optional>
#include <string>

#include "runtime/published.h"
#include "runtime/time.h"

namespace nlc::election {

/// How an election stands, as one candidate sees it.
struct LeaderStatus {
  std::string lock;      ///< its name
  std::string leader;    ///< as last seen; empty: nobody
  Instant leader_until;  ///< beyond it nobody knows
  bool holds = false;    ///< the record names this candidate
  Instant valid_until;   ///< of its own leadership; in the past when it does not lead
  Instant renewed;       ///< when its last acknowledged renewal was sent
  Duration lease{0};
  std::optional<Instant> stuck_since;  ///< no renewal since then, for the work does not move
  std::string trouble;                 ///< of contending, in words; empty: none
  /// Of the leader, where it is unusually long: somebody holds the lock by hand, perhaps.
  std::optional<Duration> long_lease;
  /// The server's last words on a lock that it will not let this candidate have: a right, the
  /// namespace or a good name is missing. Empty: none such. Stays through errors that pass.
  std::string refusal;
  /// Until when what was last seen of the lock counts: a lease after this candidate wrote it, or
  /// saw whom it has to wait for.
  Instant able_until = Instant::min();

  /// This candidate neither leads nor could take over, and no trying again will change that.
  bool shut_out(Instant now) const { return !refusal.empty() && !leads(now) && now > able_until; }
  bool leads(Instant now) const { return now < valid_until; }
  /// A name is given only for as long as it can be true (contrib#2930).
  std::string leader_at(Instant now) const { return now < leader_until ? leader : std::string(); }
};

/// What is wrong with a candidate that holds the lock and could not renew it for longer than its
/// lease and `tolerance`; nothing when all is well. For liveness checks (spec/leader-election.md
/// "Health check").
inline std::optional<std::string> renewal_failure(const LeaderStatus& status, Instant now,
                                                  Duration tolerance) {
  const bool late = now - status.renewed > status.lease + tolerance;
  if (!status.holds || !late) return std::nullopt;
  return "failed election to renew leadership on lease " + status.lock;
}

/// Lets other threads see how the election stands, even while the election's own is stuck.
using LeaderStatusBoard = Published<LeaderStatus>;

}  // namespace nlc::election
