#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "controller/server/api_availability.h"
#include "controller/server/watch_progress.h"
#include "runtime/planted.h"

namespace nlc::controller {

/// What comes back after a gap in the proofs may be a restored server that has come further
/// meanwhile than it was before: new streams go on where the old ones were, and no version shows
/// it. A stream that is still the same, also one that began with a list meanwhile, comes from a
/// server that never went.
///
/// So it is while a process starts: before all has been listed once, nothing is held against
/// anything. And so it is while leases are listed anew, by which alone a restore is seen, however
/// long that takes.
///
/// A server that has no more of the history that one watch is to go on with has begun anew. Where
/// another goes on that had broken off, that may be behind a restore: what it brought last may be
/// undone, and its version given again before anybody asked.
///
/// Before a write of a lease of ours is known, the lock's by whomever or the probe's, there is no
/// version that a restored server would have to refuse or be older than; and one from before the
/// server may have become another would be taken by whichever comes back. So where a stream broke
/// off in the minute before it that write bears nothing out, and all is listed anew. Where one is
/// known the next shows it, and is asked for.
///
/// Pure, on one thread.
class GapCheck {
 public:
  /// Of what is watched, since the last call: Ended, where a watch could not go on.
  enum class History : std::uint8_t { GoesOn, Ended };

  /// Not before all has been listed. True: another server may be back.
  bool follow(const Watches& watches, const ApiAvailability& availability, History history,
              Instant now) {
    const bool began_anew = history == History::Ended;
    const Duration gaps = availability.closed_gaps();
    const bool closed = std::exchange(gaps_, gaps) != gaps;
    const WatchProgress leases = watches.progress(Watched::Leases);
    const bool lists_leases = leases.synced && leases.version.empty();
    const bool listed = std::exchange(lists_leases_, lists_leases) && !lists_leases;
    const bool goes_on_behind_it =
        (began_anew &&
         some_goes_on(watches, &WatchProgress::breaks, &WatchProgress::breaks_at_list, {})) ||
        ((closed || starts_) &&
         some_goes_on(watches, &WatchProgress::restarts, &WatchProgress::restarts_at_list,
                      restarts_at_proof_)) ||
        (listed && some_goes_on(watches, &WatchProgress::breaks, &WatchProgress::breaks_at_list,
                                breaks_before_list_));
    const bool seen = !planted("gap-bridged-by-watches");
    const bool may_be_another = goes_on_behind_it && seen;
    note_breaks(watches, now);
    const Instant proof = availability.last_proof();
    // What a list shows later proves a moment before streams broke off; what they had brought by
    // then is seen at once.
    const bool is_of_streams = proof >= broke_ || now - seen_at_once <= broke_;
    const bool is_new = std::exchange(proof_, proof) != proof;
    if ((is_new && is_of_streams) || starts_) {
      restarts_at_proof_ = counts(watches, &WatchProgress::restarts);
    }
    if (!lists_leases) breaks_before_list_ = counts(watches, &WatchProgress::breaks);
    starts_ = false;
    if (may_be_another || (began_anew && seen)) knows_a_write_ = false;
    return may_be_another;
  }

  /// Somebody is to write a lease: a stream broke off less than a minute ago, and no write that was
  /// sent since is known. One may show that the server is another; later it is not worth a list of
  /// everything.
  bool awaits_write(const Watches& watches, Instant now) const {
    return sent_ < broke_ && now - std::chrono::minutes(1) <= broke_ &&
           some_goes_on(watches, &WatchProgress::breaks, &WatchProgress::breaks_at_list, {});
  }
  /// The server took a write of such a lease. True: another server may be back, and no write from
  /// before could show it.
  bool written(const Watches& watches, Instant sent, Instant now) {
    note_breaks(watches, now);  // of the moment since they were followed
    const bool may_be_another = !std::exchange(knows_a_write_, true) && awaits_write(watches, now);
    sent_ = std::max(sent_, sent);
    return may_be_another;
  }

 private:
  /// As often as watches are followed, at least.
  static constexpr Duration seen_at_once = std::chrono::seconds(1);

  using Count = std::uint64_t WatchProgress::*;
  using Counts = PerWatch<std::uint64_t>;

  /// Where another was left since then. One that is being listed will be of now.
  static bool some_goes_on(const Watches& watches, Count left, Count left_at_list,
                           const Counts& then) {
    return std::ranges::any_of(all_watched, [&](Watched what) {
      const WatchProgress watch = watches.progress(what);
      const std::uint64_t well = std::max(watch.*left_at_list, then[what]);
      return !watch.version.empty() && watch.*left > well;
    });
  }

  static Counts counts(const Watches& watches, Count left) {
    Counts all;
    for (const Watched what : all_watched) all[what] = watches.progress(what).*left;
    return all;
  }

  void note_breaks(const Watches& watches, Instant now) {
    const Counts breaks = counts(watches, &WatchProgress::breaks);
    if (std::exchange(breaks_, breaks) != breaks) broke_ = now;
  }

  Duration gaps_{0};
  Instant proof_ = Instant::min();
  Counts breaks_;
  Instant broke_ = Instant::min();  ///< when one last did; min: never
  bool starts_ = true;
  /// Of the lock, by whomever, or of the probe's lease: this server, as far as is known.
  bool knows_a_write_ = false;
  Instant sent_ = Instant::min();  ///< the last one
  bool lists_leases_ = false;
  Counts restarts_at_proof_;   ///< when the server was last seen well
  Counts breaks_before_list_;  ///< when leases were last watched
};

}  // namespace nlc::controller
