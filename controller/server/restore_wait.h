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
/// evicted for what is known of them for fifteen seconds. Each of these is a cause:
///
/// - all was listed anew, because the server went back;
/// - the server no longer has the history that a watch, or that of the operator's ConfigMap, is to
///   go on with;
/// - no stream of a watch has been open for a while, or one broke off, or a try did. That counts
///   until all are open again: a server that is back takes deletions before it says on a stream
///   what it lost. Where it did lose its history it goes on counting.
///
/// Where causes follow one another the budget is spent at some time. What was waited for longer
/// than those fifteen seconds, for it came again, does not count then. What is new, of another
/// watch or of another kind, does.
///
/// Pure, on one thread. What happened is told first, then `follow` is called; the rest says what is
/// so since then.
class RestoreWait {
 public:
  /// `watches` are borrowed.
  explicit RestoreWait(const Watches& watches) : watches_(watches) {}

  /// It went back, and all has been listed since.
  void listed_anew(Instant now) { causes_[listed].last = now; }
  /// The server could not go on with the history of the operator's ConfigMap, so often.
  void policy_expired(std::uint64_t times) { policy_expired_ = times; }
  /// Whether that, or a watch, could not be gone on with since the last call.
  bool follow_history(Instant now) {
    bool lost = std::exchange(policy_expired_seen_, policy_expired_) != policy_expired_;
    if (lost) causes_[policy_lost].last = now;
    for (const Watched what : all_watched) {
      const std::uint64_t expired = watches_.progress(what).expired;
      if (std::exchange(counts_of(what).expired, expired) == expired) continue;
      of(what, Lost).last = now;
      lost = true;
    }
    return lost;
  }
  void follow(Instant now) {
    follow_streams(now);
    const bool quiet = budget_.is_quiet(now);
    for (Cause& cause : causes_) {
      if (quiet) cause.spent = {};
      if (cause.is_waited_for(followed_)) cause.spent += std::min(now, cause.end()) - followed_;
    }
    followed_ = now;
    let_go(now);
    see_what_counts(now);
    const auto waits = [now](const Cause& cause) { return cause.is_waited_for(now); };
    budget_.follow(std::ranges::any_of(causes_, waits), now);
    let_go(now);
  }

  bool waits(Instant now) const { return ends(now) > now; }
  /// A stream that is closed is one of the causes.
  bool awaits_stream(Instant now) const {
    return std::ranges::any_of(all_watched, [&](Watched what) {
      return of(what, Ended).is_waited_for(now) || of(what, Broke).is_waited_for(now);
    });
  }
  /// When it ends, if no other cause comes; not after `now` where it has.
  Instant ends(Instant now) const {
    Instant last = Instant::min();
    for (const Cause& cause : causes_) {
      if (!cause.is_waited_for(now)) continue;
      const Instant spent_at = budget_.lasts_until();
      const bool will_be_let_go = cause.spent + (spent_at - followed_) > settling;
      last = std::max(last, will_be_let_go ? std::min(cause.end(), spent_at) : cause.end());
    }
    return last;
  }

 private:
  struct Cause {
    Instant last = Instant::min();
    Instant let_go = Instant::min();  ///< up to then none counts any more
    bool waited = false;              ///< when it was last followed
    Duration spent{0};                ///< so long

    Instant end() const { return last > let_go ? last + settling : Instant::min(); }
    bool is_waited_for(Instant now) const { return waited && end() > now; }
  };
  enum Kind : std::uint8_t { Lost, Ended, Broke };
  struct Counts {
    std::uint64_t expired = 0;
    std::uint64_t breaks = 0;
  };

  static constexpr std::size_t listed = 0;
  static constexpr std::size_t policy_lost = 1;
  static constexpr std::size_t place_of(Watched what, Kind kind) {
    return 2 + 3 * static_cast<std::size_t>(what) + kind;
  }
  Cause& of(Watched what, Kind kind) { return causes_[place_of(what, kind)]; }
  const Cause& of(Watched what, Kind kind) const { return causes_[place_of(what, kind)]; }
  Counts& counts_of(Watched what) { return counts_[static_cast<std::size_t>(what)]; }

  void follow_streams(Instant now) {
    for (const Watched what : all_watched) {
      const WatchProgress watch = watches_.progress(what);
      const bool breaks = std::exchange(counts_of(what).breaks, watch.breaks) != watch.breaks;
      if (!watch.is_gap(now)) continue;
      Cause& cause = of(what, watch.broke_off ? Broke : Ended);
      cause.last = std::max(cause.last, breaks ? now : *watch.left);
    }
  }
  void see_what_counts(Instant now) {
    const bool closed = watches_.any_gap(now);
    for (Cause& cause : causes_) cause.waited = cause.end() > now;
    for (const Watched what : all_watched) {
      for (const Kind kind : {Ended, Broke}) {
        Cause& stream = of(what, kind);
        stream.waited &= closed || of(what, Lost).last >= stream.last;
      }
    }
  }
  void let_go(Instant now) {
    if (!budget_.is_spent(now)) return;
    for (Cause& cause : causes_) {
      if (cause.spent > settling) cause.let_go = cause.last;
    }
  }

  const Watches& watches_;
  std::uint64_t policy_expired_ = 0;
  std::uint64_t policy_expired_seen_ = 0;
  std::array<Counts, all_watched.size()> counts_{};
  std::array<Cause, 2 + 3 * all_watched.size()> causes_{};
  WaitBudget budget_;
  Instant followed_;
};

}  // namespace nlc::controller
