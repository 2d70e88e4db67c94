#pragma once

#include <cstdint>
#include <optional>
#include <utility>

#include "controller/server/api_availability.h"
#include "controller/server/bounded_wait.h"
#include "controller/server/watch_progress.h"

namespace nlc::controller {

/// Time without a stream of leases. What was renewed in it may have been lost: a server that was
/// restored from a backup that is younger than anything we had seen looks as if nothing had
/// happened. Whoever lives renews his lease again. Where no stream can be opened that is waited for
/// once, when the last one is left, and whenever another stream breaks off, as all do when a server
/// is restored. Where it was restored a moment ago it probably was again, and who renews rarely is
/// waited for. A process that stood still finds that a stream has ended, and not since when.
///
/// Pure, on one thread.
class LeaseGaps {
 public:
  struct Circumstances {
    std::uint64_t breaks = 0;  ///< of whatever else is watched, so often
    bool restored = false;     ///< the server is known to have been
    bool stood_still = false;  ///< this process did, until a moment ago
  };
  void follow(const WatchProgress& leases, const Circumstances& known, Instant now) {
    settling_ = known.restored ? 2 * settling : settling;
    if (leases.is_gap(now) && std::exchange(left_, *leases.left) != *leases.left) note(left_);
    if (std::exchange(ended_, leases.gap_ended) != leases.gap_ended) note(ended_);
    const bool restarted = std::exchange(restarts_, leases.restarts) != leases.restarts;
    if (restarted && known.stood_still) note(now);
    const bool broke = std::exchange(breaks_, known.breaks) != known.breaks;
    if (broke && leases.synced && !leases.open) note(now);
  }

  /// When everybody who lives will have renewed his lease since; nothing where that is over.
  std::optional<Instant> settles_at(Instant now) const {
    return now < wait_.ends() ? std::optional(wait_.ends()) : std::nullopt;
  }

 private:
  void note(Instant gap) { wait_.begin(gap, settling_); }

  Duration settling_ = settling;
  Instant left_ = Instant::min();
  Instant ended_ = Instant::min();
  BoundedWait wait_;
  std::uint64_t restarts_ = 0;
  std::uint64_t breaks_ = 0;
};

}  // namespace nlc::controller
