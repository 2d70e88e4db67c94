#pragma once

#include <optional>
#include <string_view>

#include "runtime/backoff.h"
#include "runtime/random.h"
#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::informer {

/// Why something is waited for.
struct WaitCause {
  std::string_view reason;
  std::optional<Fault> fault = std::nullopt;  ///< nothing for the ends that are no refusals
  std::optional<Duration> retry_after = std::nullopt;
};

/// When a server may be asked again.
///
/// Pure. Promises: every way back to the server passes one back-off or one budget
/// (spec/incidents.md "Reopening without delay"). Whole lists have a back-off of their own: between
/// a list that the server began to answer and the next one there is always one of its waits,
/// whatever ended the streams and lists in between, so a list after a long healthy life comes soon
/// and lists in a row come every half minute at most. Only a healthy stream ends the time of long
/// waits (spec/incidents.md "Back-off that forgets"). A server's Retry-After is obeyed, up to 10 s.
class RequestPace {
 public:
  explicit RequestPace(const BackoffOptions& backoff) : backoff_(backoff), list_backoff_(backoff) {}

  /// A request leaves.
  void asked(Instant now);
  /// The same, for the beginning of a list.
  void asked_for_list(Instant now);
  /// The server began to answer the last list that was asked for.
  void list_served() { list_served_ = true; }
  /// A stream made progress for long enough.
  void was_healthy();

  /// Whether a stream may be resumed without a wait, which then is paid for. One a second, five at
  /// once: a server that cuts each stream after its first event must not be flooded.
  bool may_reopen(Instant now);
  /// How long to wait before the next request, which begins a list or does not.
  Instant wait(const WaitCause& cause, bool begins_list, Random& random, Instant now);
  /// When a list that nobody expected may begin: at once, but not before a Retry-After of the
  /// server is over; and the second time without a healthy stream in between after the back-off of
  /// lists, counted from when the last list began. Of two that are wanted before one is begun the
  /// second waits no longer than the first.
  Instant list_anew(Random& random);

  /// While waiting: the server has just answered somebody else. Until when to wait now; nothing: as
  /// long as before. May be called at any rate.
  ///
  /// Cut short are waits before requests that cost the server little:
  /// - before a stream is resumed or a page asked for again, whatever ended it (no connection, a
  ///   reset, a close, Unauthorized, Forbidden, a timeout, 5xx);
  /// - before a list of which the server answered nothing yet, after the same faults.
  /// Never cut short are
  /// - what the server asked for: Retry-After up to 10 s, and all of a wait after throttling where
  ///   it named no time;
  /// - waits between whole lists that it began to answer (or that it will never take).
  /// The next try comes two seconds after the last one at the earliest, so a server that refuses
  /// for ever is asked once in two seconds at most.
  std::optional<Instant> hurry(Instant now);

 private:
  Backoff backoff_;       ///< of openings
  Backoff list_backoff_;  ///< of whole lists
  static constexpr double reopenings_max = 5;
  double reopenings_ = reopenings_max;  ///< that need no wait
  Instant refilled_;
  Instant tried_;              ///< when the server was last asked
  Instant not_before_;         ///< by the server's last Retry-After
  Instant until_;              ///< end of the wait in hand
  bool may_hurry_ = false;     ///< that wait may be cut short
  bool list_served_ = false;   ///< the last list that was begun
  bool list_ordered_ = false;  ///< by `list_anew`, and not begun yet
  bool listed_anew_ = false;   ///< since the last healthy stream
  Instant list_begun_;
};

}  // namespace nlc::informer
