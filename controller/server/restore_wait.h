#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

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
/// Causes that come again and again would spare the dead for ever. When a minute was spent on them
/// those that took thirty seconds of it by themselves, for they came again, do not count for
/// fifteen. What is new, of another watch or of another kind, does; but when four minutes were
/// spent nothing does. Rest gives back what was spent before it (`WaitAccount`), as a whole and for
/// each cause. Time in which the server takes no writes does neither: nobody could be evicted.
///
/// Pure, on one thread. What happened is told first, then `follow` is called; the rest says what is
/// so since then.
class RestoreWait {
 public:
  /// `watches` are borrowed.
  RestoreWait(const Watches& watches, Instant start) : watches_(watches), followed_(start) {}

  /// It went back, and all has been listed since.
  void listed_anew(Instant now) { causes_[listed].last = now; }
  /// The server could not go on with the history of the operator's ConfigMap, so often.
  void policy_expired(std::uint64_t times) { policy_expired_ = times; }
  /// Whether that, or a watch, could not be gone on with since the last call.
  bool follow_history(Instant now);
  /// `blind`: nothing proves that the server takes writes.
  void follow(Instant now, bool blind);

  bool waits(Instant now) const { return ends(now) > now; }
  /// A stream that is closed is one of the causes.
  bool awaits_stream(Instant now) const;
  /// When it ends, if no other cause comes; not after `now` where it has.
  Instant ends(Instant now) const;

 private:
  struct Cause {
    Instant last = Instant::min();
    bool counts = true;
    bool came_again = false;         ///< too often: none counts up to the end of the free time
    Instant ended = Instant::min();  ///< or will have, as it was last followed
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
  Seen& seen_of(Watched what) { return seen_[static_cast<std::size_t>(what)]; }

  Instant end_of(const Cause& cause) const;
  void follow_streams(Instant now);
  void see_what_counts(Instant now);
  void account(Instant now, bool blind);
  void let_go(Instant now);

  const Watches& watches_;
  std::uint64_t policy_expired_ = 0;
  std::uint64_t policy_expired_seen_ = 0;
  std::array<Seen, all_watched.size()> seen_{};
  std::array<Cause, 2 + 3 * all_watched.size()> causes_{};
  WaitAccount minute_;  ///< of all together, since the free time was over
  WaitAccount all_;     ///< the same, free time or not
  Instant free_until_ = Instant::min();
  Instant followed_;
};

}  // namespace nlc::controller
