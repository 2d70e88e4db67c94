#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "controller/server/api_availability.h"
#include "controller/server/wait_account.h"
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
/// Causes that come again and again would spare the dead for ever. When a minute was spent on them,
/// each that was waited for longer than thirty seconds by itself, for it came again, is let go:
/// what came of it up to then, and comes in the next fifteen seconds, is not waited for. What is
/// new, of another watch or of another kind, is; but when four minutes were spent all are let go.
/// Rest gives back what was spent before it (`WaitAccount`), as a whole and for each cause. While
/// nothing proves that the server takes writes, and until nodes have settled after that, nothing is
/// spent and nothing given back: nobody could be evicted anyway.
///
/// Pure, on one thread. What happened is told first, then `follow` is called; the rest says what is
/// so since then.
class RestoreWait {
 public:
  /// What is handed in is borrowed.
  RestoreWait(const Watches& watches, const ApiAvailability& availability, Instant start)
      : watches_(watches), availability_(availability), followed_(start) {}

  /// The server went back, and all has been listed since.
  void listed_anew(Instant now) { causes_[listed].last = now; }
  /// The server could not go on with the history of the operator's ConfigMap, so often.
  void policy_expired(std::uint64_t times) { policy_expired_ = times; }
  /// Whether that, or a watch, could not be gone on with since the last call.
  bool follow_history(Instant now);
  void follow(Instant now);

  bool waits(Instant now) const { return ends(now) > now; }
  /// A stream that is closed is one of the causes.
  bool awaits_stream(Instant now) const;
  /// When the wait ends, if no other cause comes; not after `now` where it has.
  Instant ends(Instant now) const;

 private:
  struct Cause {
    Instant last = Instant::min();
    bool counts = true;
    bool let_go = false;                    ///< what came before the end of the last free time
    Instant waited_until = Instant::min();  ///< as far as was known when it was last followed
    WaitAccount account;
  };
  enum Kind : std::uint8_t { Lost, Ended, Broke };
  struct Seen {
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

  Instant end_of(const Cause& cause) const;
  void follow_streams(Instant now);
  void see_what_counts(Instant now);
  void account(Instant now);
  void begin_free_time(Instant now);

  const Watches& watches_;
  const ApiAvailability& availability_;
  std::uint64_t policy_expired_ = 0;
  std::uint64_t policy_expired_seen_ = 0;
  PerWatch<Seen> seen_;
  std::array<Cause, 2 + 3 * all_watched.size()> causes_{};
  WaitAccount since_free_;  ///< of all together, since the last free time was over
  WaitAccount in_all_;      ///< the same, free time or not
  Instant free_until_ = Instant::min();
  Instant followed_;
};

}  // namespace nlc::controller
