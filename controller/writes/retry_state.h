#pragma once

#include <cstdint>
#include <optional>

#include "runtime/random.h"
#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Where one write that is wanted stands: free, on its way, or waiting. None is given up: it is
/// wanted for as long as the world differs, and none is repeated without a wait that grows.
///
/// A refusal that will not change by itself (a policy, a missing right) is tried again after ten
/// seconds, a minute, and then every five minutes; any other failure up to 15 s; a server's
/// Retry-After is kept to, up to 10 s, and doubles from there. Who does not lead has not failed and
/// tries again in a moment. A write that was taken and has to be done again soon, because somebody
/// undoes it, waits like a refusal.
///
/// Calls follow: begin (succeeded | met_conflict | failed | not_sent).
class RetryState {
 public:
  bool in_flight() const { return in_flight_; }
  bool may_begin(Instant now) const { return !in_flight_ && now >= not_before_; }
  /// The next try repeats what failed.
  bool is_repeated() const { return failures_ > 0 || undone_ > 0; }
  /// It was not taken when it was tried last.
  bool has_failed() const { return failures_ > 0; }
  /// The last failure will not change by itself: a policy, a missing right.
  bool was_refused() const { return refused_; }
  /// The write was taken or failed lately: what comes next depends on that.
  bool has_history() const { return is_repeated() || taken_.has_value(); }
  /// When the write may be tried again; nothing when it is not waiting.
  std::optional<Instant> retry_at(Instant now) const;

  void begin();

  void succeeded(Instant now);
  /// The same is wanted again. True: what was written did not last, and now it waits.
  bool did_not_last(Instant now, Random& random);
  /// What was taken has given way to something else of ours, or to what its object said of itself.
  void gave_way();

  /// The object was another by then, and has been read: tried again at once. Whoever meets a second
  /// conflict waits, for the server may call something else a conflict. True: a second one.
  bool met_conflict(Instant now, Random& random);

  void failed(Instant now, Random& random, const Error& error);

  /// The write never left this process: free again, and nothing was learned.
  void not_sent();

  /// It is wanted no more: the next time is a first one, except for what became of those taken, and
  /// as soon as after a first refusal, for it may be wanted again in a moment.
  void forget_failures(Instant now);

  /// What was refused for good may be taken now: others of its kind have been.
  void hurry();

 private:
  Instant not_before_ = Instant::min();
  std::optional<Instant> taken_;  ///< when it was taken last, if that has not been undone
  std::int16_t failures_ = 0;     ///< in a row
  std::int16_t undone_ = 0;       ///< how often in a row what was taken did not last
  bool in_flight_ = false;
  bool refused_ = false;
  bool conflicted_ = false;
};

/// When one that was refused for good is taken after all, a policy or a right may have been changed
/// for all of its kind: they are to hurry. Seldom, for it may have been changed for that one only.
class RefusalRelease {
 public:
  /// `taken` has been taken now, and does not know it yet. True: the others hurry.
  bool begins_with(const RetryState& taken, Instant now);

 private:
  std::optional<Instant> last_;
};

}  // namespace nlc::controller
