#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "controller/server/api_availability.h"
#include "controller/server/wait_budget.h"
#include "controller/server/watch_progress.h"

namespace nlc::controller {

/// The server may be back from a backup, and nodes have yet to say what they had said: nobody is
/// evicted for what is known of them meanwhile. It may be, while no stream of a watch is open, for
/// only on one does it say whether it still has its history; where it has not; and where all was
/// listed anew because it went back.
///
/// Where there is no end of causes the budget of waits is spent. Then one that has come again and
/// again for fifteen seconds does not count. Another, of another watch or of another kind, is
/// waited for all the same.
///
/// Pure, on one thread.
class RestoreWait {
 public:
  /// `watches` are borrowed.
  explicit RestoreWait(const Watches& watches) : watches_(watches) {}

  /// The server could not go on with the history of the operator's ConfigMap, so often.
  void policy_expired(std::uint64_t times) { policy_expired_ = times; }
  /// It went back, and all has been listed since.
  void listed_anew(Instant now) { listed_.last = now; }
  /// Whether some watch could not be gone on with, since the last call.
  bool history_ended(Instant now) {
    bool ended = happened(policy_expired_, policy_expired_seen_, policy_, now);
    for (const Watched what : all_watched) {
      Stream& stream = stream_of(what);
      ended |= happened(watches_.progress(what).expired, stream.expired, stream.lost, now);
    }
    return ended;
  }
  /// The watches have come so far, and all of the above is told.
  void follow(Instant now) {
    follow_streams(now);
    if (budget_.is_whole(now)) {
      each_cause(*this, now, [](Cause& cause, bool) { cause.spends_since = Instant::max(); });
    }
    each_cause(*this, now, [now](Cause& cause, bool counts) {
      if (counts) cause.spends_since = std::min(cause.spends_since, now);
    });
    budget_.follow(last_end(now) > now, now);
    if (!budget_.is_spent(now)) return;
    each_cause(*this, now, [&](Cause& cause, bool) {
      if (cause.spends_since <= now - settling) cause.over = cause.last;
    });
  }

  bool waits(Instant now) const { return ends(now) > now; }
  /// One of its causes: no stream of some watch is open.
  bool awaits_stream(Instant now) const { return waits(now) && watches_.any_gap(now); }
  /// When it ends at the latest, where all goes on as it was last followed; not after `now` where
  /// it has.
  Instant ends(Instant now) const {
    const Instant end = last_end(now);
    return budget_.is_spent(now) ? end : std::min(end, budget_.lasts_until());
  }

 private:
  struct Cause {
    Instant last = Instant::min();
    Instant over = Instant::min();          ///< up to then none counts any more
    Instant spends_since = Instant::max();  ///< it was waited for again and again

    Instant end() const { return last > over ? last + settling : Instant::min(); }
  };
  struct Stream {
    std::uint64_t expired = 0;
    std::uint64_t breaks = 0;
    Cause lost;   ///< its history
    Cause ended;  ///< none has been open for a while
    Cause broke;  ///< the same at once, and whenever a try breaks off
  };

  static bool happened(std::uint64_t times, std::uint64_t& seen, Cause& cause, Instant now) {
    if (std::exchange(seen, times) == times) return false;
    cause.last = now;
    return true;
  }
  Stream& stream_of(Watched what) { return streams_[static_cast<std::size_t>(what)]; }

  /// A server that is back answers reads and takes deletions before a stream is open again.
  void follow_streams(Instant now) {
    for (const Watched what : all_watched) {
      const WatchProgress watch = watches_.progress(what);
      Stream& stream = stream_of(what);
      const bool breaks = std::exchange(stream.breaks, watch.breaks) != watch.breaks;
      if (!watch.is_gap(now)) continue;
      Cause& cause = watch.broke_off ? stream.broke : stream.ended;
      cause.last = std::max(cause.last, breaks ? now : *watch.left);
      closed_ = std::max(closed_, cause.last);
    }
  }

  /// Calls `visit(cause, whether it is waited for)` for each of `self`. Streams that ended are,
  /// while any is closed; and one that broke off before its history was lost, which was for that
  /// reason.
  template <typename Self, typename Visit>
  static void each_cause(Self& self, Instant now, Visit visit) {
    const auto tell = [&](auto& cause, bool counts) { visit(cause, counts && cause.end() > now); };
    const bool closed = now < self.closed_ + settling && self.watches_.any_gap(now);
    tell(self.listed_, true);
    tell(self.policy_, true);
    for (auto& stream : self.streams_) {
      tell(stream.lost, true);
      tell(stream.ended, closed);
      tell(stream.broke, closed || stream.lost.last >= stream.broke.last);
    }
  }
  Instant last_end(Instant now) const {
    Instant last = Instant::min();
    each_cause(*this, now, [&](const Cause& cause, bool counts) {
      if (counts) last = std::max(last, cause.end());
    });
    return last;
  }

  const Watches& watches_;
  std::uint64_t policy_expired_ = 0;
  std::uint64_t policy_expired_seen_ = 0;
  Cause listed_;
  Cause policy_;
  std::array<Stream, all_watched.size()> streams_{};
  Instant closed_ = Instant::min();  ///< the last of them
  WaitBudget budget_;
};

}  // namespace nlc::controller
