#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "api/objects.h"
#include "controller/nodes/node_lifecycle.h"
#include "controller/options/policy.h"
#include "controller/pause/eviction_pace.h"
#include "controller/pause/pauses.h"
#include "controller/pause/policy_in_force.h"
#include "controller/pods/eviction_hold.h"
#include "controller/rules/view.h"

namespace nlc::controller {

/// What keeps a pod that is due: what the operator pauses, the pace at which he lets pods go, and
/// what of his ConfigMap is not known yet (docs/pause.md).
///
/// Pure, on one thread.
class EvictionHolds {
 public:
  /// `nodes` says in what zone a node is, and where pods leave by timeout nodes that were held take
  /// their turns from its tokens; nothing where nodes are judged by another. It is asked later
  /// only.
  EvictionHolds(View view, const Policy& policy, const NodeLifecycle* nodes);

  /// Before it is told to those who count zones.
  void node_stored(Slot slot, const api::Node& node, const api::Node* before, Instant now);
  void node_removed(Slot slot);
  /// The operator's ConfigMap, and how its watch stands: in force with the latter. The nodes for
  /// which something else is paused now.
  std::vector<Pauses::Change> follow(const PolicyAccess& access, Instant now);
  /// Others evicted until now.
  void take_over(Instant now) { pace_.take_over(now); }
  /// Somebody will be due, before which the ConfigMap is read by quorum: in time, so that nobody
  /// whose turn it is waits for it.
  void expect_evictions(Instant now);
  /// What of that node was due until then leaves at the pace of its zone.
  void hold_back(Slot node, Instant until) { pace_.held(node, until); }
  /// Something is remembered of what it held back; nobody leaves any more.
  bool remembers(Slot node) const { return pace_.remembers(node); }
  void let_be(Slot node) { pace_.forget(node); }

  /// When a pod that is due asks again; nothing: it may go.
  std::optional<Instant> until(const PodDue& pod, Instant now);
  void leaves(const PodDue& pod, Instant now);
  /// However many are due: none of them needs to be asked about.
  bool keeps_all() const { return pauses_.of_everything() >= Pause::Evictions; }

  /// Why a pod that is due does not go now, and when that ends; for people.
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
  std::optional<Held> why(const PodDue& pod, Instant now) const;
  /// Who pauses it, in the operator's own words.
  std::string paused_by(const PodDue& pod) const;
  /// Nothing is held for a disruption, though it is asked for: nobody counts zones here.
  bool holds_in_vain() const { return in_disruption_ && nodes_ == nullptr; }
  /// Some who are due may have to wait for others.
  bool lets_wait() const { return in_disruption_ || pace_.lets_wait(); }
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
