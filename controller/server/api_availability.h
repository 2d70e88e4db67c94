#pragma once

#include <algorithm>
#include <optional>

#include "controller/options/policy.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Names the epoch of `AvailableTime`: a clock that stands still while we are blind.
struct AvailableClock {
  using duration = Duration;
  using rep = duration::rep;
  using period = duration::period;
  using time_point = std::chrono::time_point<AvailableClock, duration>;
  static constexpr bool is_steady = true;
};

/// Kubelets look every 10 s at what a server says of their nodes, and correct it.
inline constexpr Duration settling = std::chrono::seconds(15);

/// A moment in time during which the server was proved to take writes. Silence of nodes is measured
/// in it and cannot be subtracted from an `Instant` by mistake.
using AvailableTime = AvailableClock::time_point;

/// Time in which nothing proved that the server takes writes is not silence (design: no verdict
/// from silence, part a). A proof is a Lease that moved, a kubelet's or ours (or a status, where no
/// node has one): a server may take every other write, and refuse those by which kubelets say that
/// they live. An answered read is none. A gap of more than `blind_after` between two proofs is
/// blind: the whole gap is taken off every node's silence.
///
/// Invariant: `at` never runs ahead of the boot clock, and between two proofs less than
/// `blind_after` apart it keeps pace with it.
class ApiAvailability {
 public:
  explicit ApiAvailability(Duration blind_after, Instant start)
      : blind_after_(blind_after), last_proof_(start) {}

  /// The server took a write then.
  void prove(Instant when) { prove_between(when, when); }
  /// A heartbeat moved, and is seen now. Where they are not shown at once it may have at any time
  /// since they were shown last: a gap may have lasted until now, and another have begun then.
  void heartbeat_seen(Instant now) {
    if (shown_ != Shown::OfAnotherTime) prove_between(shown_until(now), now);
  }
  /// Heartbeats have been shown up to then, and will be at once; or when they are next listed; or
  /// nobody knows of what time those are that are shown since, and they prove nothing.
  enum class Shown { AtOnce, InLists, OfAnotherTime };
  void heartbeats_shown(Instant until, Shown from_now_on) {
    shown_until_ = until;
    shown_ = from_now_on;
  }

  /// What was sent after that is not known yet.
  Instant shown_until(Instant now) const;

  /// Nothing shows that the server took writes until now: the next proof ends a gap.
  void doubt() { doubted_ = true; }
  /// Nodes could not say how they are until now, though the server took writes.
  void resume(Instant now) { resumed_ = now; }

  /// Whether nodes have had the time to say, since the last gap ended, what they could not say
  /// before: what is known of them may be of then.
  bool settled(Instant now) const { return !doubted_ && now >= settles_at().value_or(now); }
  /// The same of gaps alone, in which another state may have taken the place of the present one.
  bool settled_after_gap(Instant now) const {
    return !doubted_ && now >= settles_after_gap().value_or(now);
  }
  std::optional<Instant> settles_after_gap() const;
  /// When all of that is; nothing when it is so, or nobody knows.
  std::optional<Instant> settles_at() const;

  /// How far available time has come. While blind it stands where the last proof left it.
  AvailableTime at(Instant now) const;
  /// How far it may turn out to have come: where it is blind, heartbeats that wait beside what is
  /// seen now may show that the server took writes since the last proof. What is seen now is no
  /// older.
  AvailableTime at_latest(Instant now) const;

  bool blind(Instant now) const { return now - last_proof_ > blind_after_; }
  /// For how long the server has taken writes, as far as can be told: since the last gap, if there
  /// was one.
  Duration well_for(Instant now) const {
    if (blind(now)) return Duration{0};
    return gap_ended_ ? now - *gap_ended_ : Duration::max();
  }
  /// When a grace will end can be told: the server takes writes, and heartbeats are shown.
  bool foresees(Instant now) const { return !blind(now) && shown_until(now) == now; }
  Instant last_proof() const { return last_proof_; }

  /// All blind time that is over.
  Duration closed_gaps() const { return closed_gaps_; }
  /// All blind time up to now, the open gap included.
  Duration blind_time(Instant now) const;

  /// When available time will have come to `then` if proofs keep coming.
  Instant reaches(AvailableTime then) const {
    return Instant{then.time_since_epoch()} + closed_gaps_;
  }

 private:
  void prove_between(Instant earliest, Instant latest);
  /// What is blind up to `now` and not in `closed_gaps_`.
  Duration open_gap(Instant now) const {
    return std::max(now - std::max(last_proof_, gaps_closed_until_), Duration{0});
  }

  const Duration blind_after_;
  Instant last_proof_;  ///< the earliest that it may be of
  Duration closed_gaps_{0};
  Instant gaps_closed_until_ = Instant::min();
  std::optional<Instant> shown_until_;
  Shown shown_ = Shown::AtOnce;
  bool doubted_ = false;
  std::optional<Instant> gap_ended_;  ///< the last one
  std::optional<Instant> resumed_;    ///< without a gap
};

}  // namespace nlc::controller
