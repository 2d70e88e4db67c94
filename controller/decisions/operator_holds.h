#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "controller/nodes/node_lifecycle.h"
#include "controller/options/policy.h"
#include "controller/pause/eviction_pace.h"
#include "controller/pause/pauses.h"
#include "controller/pause/policy_in_force.h"
#include "controller/pods/eviction_checks.h"
#include "controller/rules/view.h"

namespace nlc::controller {

/// What keeps a pod that is due: what the operator pauses, the pace at which he lets pods go, and
/// what of his ConfigMap is not known yet (docs/pause.md).
///
/// Pure, on one thread.
class OperatorHolds {
 public:
  /// `nodes` says in what zone a node is, and where pods leave by timeout nodes that were held take
  /// their turns from its tokens; nothing where nodes are judged by another. It is asked later
  /// only.
  OperatorHolds(View view, const Policy& policy, const NodeLifecycle* nodes);

  /// Tell it of a node before those who count zones are told.
  void node_stored(Slot slot, const api::Node& node, const api::Node* before, Instant now);
  void node_removed(Slot slot);
  /// Takes the operator's ConfigMap over, and how its watch stands, on which depends what is in
  /// force. Returns the nodes for which something else is paused now.
  std::vector<Pauses::Change> follow(const PolicyAccess& access, Instant now);
  /// Another process evicted until now.
  void take_over(Instant now) { pace_.take_over(now); }
  /// Somebody will be due soon. Has the ConfigMap read by quorum before, so that nobody whose turn
  /// it is waits for it.
  void expect_evictions(Instant now);
  /// Pods of that node that were due until then leave at the pace of its zone.
  void hold_back(Slot node, Instant until) { pace_.held(node, until); }
  /// Whether something is remembered of what was held back of that node.
  bool remembers(Slot node) const { return pace_.remembers(node); }
  /// Nobody leaves that node any more.
  void forget(Slot node) { pace_.forget(node); }

  /// Asks whether a pod that is due may go. Nothing: it may; else when to ask again. Has the
  /// operator's ConfigMap read where that was too long ago.
  std::optional<Instant> ask(const PodDue& pod, Instant now);
  /// Call when the step of that pod is requested.
  void requested(const PodDue& pod, Instant now);
  /// Whether everything is paused: however many are due, none needs to be asked about.
  bool keeps_all() const { return pauses_.of_everything() >= Pause::Evictions; }

  /// Why a pod that is due does not go now, and when that ends.
  struct Held {
    enum class By : std::uint8_t {
      Pause,
      Disruption,
      PolicyUnread,  ///< the quorum read of the ConfigMap fails
      NodesTurn,
      PodsTurn
    } by = By::Pause;
    std::optional<Instant> until;
  };
  std::optional<Held> held_by(const PodDue& pod, Instant now) const;
  /// What pauses that pod, in the operator's own words.
  std::string paused_by(const PodDue& pod) const;
  /// Whether the operator asks to hold evictions in disrupted zones where nobody counts zones, so
  /// that nothing is held.
  bool disruption_hold_has_no_zones() const { return in_disruption_ && nodes_ == nullptr; }
  /// Whether a pod that is due may have to wait for others.
  bool may_delay() const { return in_disruption_ || pace_.may_delay(); }
  /// Calls `visit(node)` for each of which something was held, and may have left meanwhile.
  template <typename Visit>
  void each_held(Visit visit) const {
    pace_.each_held(visit);
  }

  Pauses& pauses() { return pauses_; }
  const Pauses& pauses() const { return pauses_; }
  PolicyInForce& in_force() { return in_force_; }
  const PolicyInForce& in_force() const { return in_force_; }

 private:
  bool is_in_disruption(std::optional<Slot> node) const;
  void keep_what_a_disruption_held(Instant now);
  void keep_what_its_zone_held(Slot node, Instant now);
  double rate_of_held(double zones_rate) const;
  EvictionPace::Place place_of(std::string_view node) const;
  std::optional<Held::By> keeps(const PodDue& pod, const EvictionPace::Place& place) const;

  const View view_;
  const Policy& policy_;
  const NodeLifecycle* const nodes_;
  PolicyInForce in_force_;
  bool in_disruption_ = false;  ///< nobody leaves a zone that is disrupted
  Pauses pauses_;
  EvictionPace pace_;
};

}  // namespace nlc::controller
