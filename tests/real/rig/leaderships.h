#pragma once

#include <optional>
#include <string>
#include <vector>

#include "audit.h"

namespace nlc::real {

/// Which Lease is contended for.
struct LockName {
  std::string space;
  std::string name;
};

/// From the write that took a lock to the write with which it was given back or taken by another,
/// as the server saw them.
struct Leadership {
  std::string holder;             ///< the identity in the lock
  std::string credential;         ///< of the token it wrote with
  WallTime taken{};               ///< when the write that took it was received
  std::vector<WallTime> renewed;  ///< when its acknowledged renewals were received, `taken` first
  Duration lease{};
  std::optional<WallTime> ended;  ///< when the write that ended it was received

  /// Whether its holder may have been right to send what the server received at `moment`: a later
  /// moment than this can only be too late.
  bool covers(WallTime moment) const;
};

/// In order. A lock that was deleted ends the leadership of whoever held it.
std::vector<Leadership> leaderships_of(const std::vector<AuditLine>& lines, const LockName& lock);

/// What somebody who took the lock did not own: leaderships that began while the last holder's
/// lease had neither run out nor been given back. A line of text for each; empty when all is well.
std::string usurpations(const std::vector<Leadership>& leaderships);

/// The requests of the controller's account that change the cluster, whatever became of them, save
/// those that serve the election itself.
std::vector<AuditLine> controllers_writes(const std::vector<AuditLine>& lines,
                                          const LockName& lock);

/// Those of `actions` whose sender did not lead when the server received them.
std::vector<AuditLine> writes_outside(const std::vector<Leadership>& leaderships,
                                      const std::vector<AuditLine>& actions);

}  // namespace nlc::real
