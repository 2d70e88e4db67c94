#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "controller/rules/decision.h"
#include "controller/rules/view.h"
#include "controller/zones/token_bucket.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Those who wait for the tokens of one bucket, however many, without asking all the time.
class PacedLine : public TokenBucket {
 public:
  using TokenBucket::TokenBucket;

  /// When one who found none asks again: each at a moment of his own, and nobody later than in
  /// `recheck_max`, for the rate may be another by then.
  Instant ask_again(Instant now);

  static constexpr Duration recheck_max = std::chrono::seconds(10);

 private:
  Instant last_ = Instant::min();  ///< who asks again last
};

/// A line for each step of an eviction. Many whose first step was let through may be held, or hang,
/// before their second: with a token for both they would be deleted all at once.
class PacedSteps {
 public:
  PacedSteps(double tokens_per_second, Instant now)
      : marks_(tokens_per_second, now), deletions_(tokens_per_second, now) {}

  PacedLine& of(EvictionStep step) { return step == EvictionStep::Mark ? marks_ : deletions_; }
  const PacedLine& of(EvictionStep step) const {
    return step == EvictionStep::Mark ? marks_ : deletions_;
  }
  void take_all(Instant now);
  void set_rate(double tokens_per_second, Instant now);

 private:
  PacedLine marks_;
  PacedLine deletions_;
};

/// At what pace pods leave that are due:
///   - what a pause, or a disruption, has held leaves node by node, at the rate of its zone;
///   - in a second leave as many as the operator allows, in all and in each zone. For a minute
///     after a takeover, or after its zone left disruption, a quarter of that.
/// Both hold for the marks that say why pods go, and for their deletions. Where there is no limit,
/// and nothing was held, nobody waits and nothing is remembered.
///
/// Pure, on one thread.
class EvictionPace {
 public:
  static constexpr Duration slow_start = std::chrono::minutes(1);
  static constexpr double slow_share = 0.25;

  /// 0: no limit.
  struct Limits {
    double pods_per_second = 0;
    double pods_per_second_and_zone = 0;
  };
  void set_limits(Limits limits, Instant now);
  /// Another process evicted until now: the slow start begins.
  void take_over(Instant now);

  /// Pods of that node that were due until then leave when it is the node's turn, and not before.
  void held(Slot node, Instant until) { held_[node] = std::max(held_[node], until); }
  bool remembers(Slot node) const { return held_.contains(node) || turns_.contains(node); }
  void forget(Slot node) {
    held_.erase(node);
    turns_.erase(node);
  }
  /// Calls `visit(node)` for each of which a pause held something, which may have left meanwhile.
  template <typename Visit>
  void each_held(Visit visit) const {
    for (const auto& [node, until] : held_) visit(node);
  }

  /// Whether a pod that is due may have to wait for others.
  bool may_delay() const {
    return !held_.empty() || limits_.pods_per_second > 0 || limits_.pods_per_second_and_zone > 0;
  }

  /// Where a pod that is due stands.
  struct Place {
    std::optional<Slot> node;           ///< nothing: it is gone
    std::string zone;                   ///< of such nodes, one of their own
    double nodes_per_second = 0;        ///< that were held
    std::optional<Instant> recovered;   ///< the zone left disruption then
    std::optional<Instant> held_until;  ///< for a disruption of it
    /// Of its zone, where nodes that wait there begin to lose their pods with a token as well.
    TokenBucket* turns = nullptr;
  };
  enum class Wait : std::uint8_t {
    Not,
    NodesTurn,  ///< what was held leaves node by node
    PodsTurn    ///< so many in a second
  };
  /// What that step of a pod waits for that has been due since `since`. Asking makes the lines it
  /// stands in, at the rates of this moment.
  Wait ask(const Place& place, Instant since, EvictionStep step, Instant now);
  /// What such a pod waits for in either step, for people, as of the last that asked in its zone.
  Wait current_wait(const Place& place, Instant since, Instant now) const;
  /// When that wait ends for somebody of the zone; nothing: nobody knows.
  std::optional<Instant> until(const Place& place, Wait wait) const;
  /// When the pod that asked, and has to wait, asks again.
  Instant ask_again(const Place& place, EvictionStep step, Wait wait, Instant now);
  /// Call when that step of the pod is requested: takes a token of each line it stood in.
  void requested(const Place& place, Instant since, EvictionStep step, Instant now);

 private:
  struct Zone {
    std::optional<PacedSteps> nodes;
    std::optional<PacedSteps> pods;
    std::optional<Instant> recovered;
  };
  /// When each step of a node's pods had its turn, for the last time.
  using Turns = std::array<Instant, 2>;
  bool awaits_turn(const Place& place, Instant since, EvictionStep step) const;
  Wait current_wait(const Place& place, Instant since, EvictionStep step, Instant now) const;
  bool is_slow(const Place& place, Instant now) const;
  double zone_limit(const Place& place, Instant now) const;
  /// Its lines, at the rates of this moment; made where they were not there.
  Zone& follow(const Place& place, Instant now);
  const Zone* known(const Place& place) const;

  Limits limits_;
  std::optional<PacedSteps> all_;
  std::map<std::string, Zone> zones_;
  std::map<Slot, Instant> held_;
  std::map<Slot, Turns> turns_;
  Instant slow_until_ = Instant::min();
};

}  // namespace nlc::controller
