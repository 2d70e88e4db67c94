#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/limits/room.h"
#include "controller/pods/eviction_checks.h"
#include "controller/pods/seen_taints.h"
#include "controller/rules/decision.h"
#include "controller/rules/moment.h"
#include "controller/rules/tolerations.h"
#include "controller/rules/view.h"
#include "controller/writes/pending_writes.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Evicts pods from nodes with NoExecute taints, whoever set them, when their tolerations run out
/// (spec/taint-eviction.md).
///
/// A pod's deadline follows the taints and tolerations as they are now: it is worked out again
/// whenever either changes (against D-TE-2). A toleration counts from when its taint was first seen
/// (`SeenTaints`), or from the pod's coming when that was later.
///
/// No taint evicts anybody that has not been read of the live node since, and those that stand for
/// its own condition nobody before `MayEvict` agrees. A deletion names the version of the pod that
/// it was decided on, so that no toleration is overlooked that the live pod has.
/// Terminating and finished pods are left alone. An eviction that fails is tried again until the
/// world no longer wants it (against D-TE-1), and so is one that was accepted and did not happen.
///
/// Pure, on one thread; the view has been changed already when an observation is told.
class TaintEviction {
 public:
  TaintEviction(View view, std::uint64_t seed, Comparisons comparisons = Comparisons::Off)
      : view_(view), comparisons_(comparisons), taints_(view), pending_(seed) {}

  /// `before`: the same node as it was; nothing when it is new.
  void node_stored(const api::Node& node, const api::Node* before, Moment at);
  /// Timers of its pods go on until its name is there again (spec/taint-eviction.md "Node events"),
  /// or nodes have been listed.
  void node_removed(const api::Node& node) { taints_.forget(node.name); }
  /// Some list has been taken over. Who is not in one of nodes may have been well before he went,
  /// unseen.
  void listed(Instant now);
  void pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, Moment at);
  void pod_removed(Slot slot, const api::Pod& pod);

  /// See `SeenTaints`.
  void trust_wall_clock(bool close, Moment at);

  /// The server lost what it had accepted: it was restored from a backup.
  void doubt_accepted(Instant now) { pending_.doubt_accepted(now); }

  std::vector<Decision> due(Instant now, client::Room& room, const MayEvict& may_evict,
                            const EvictionChecks& checks = {});
  std::optional<Instant> next_due(Instant now) const { return pending_.next_after(now); }

  /// Of an `EvictPod`: its condition was taken, the deletion comes next; so it does when the
  /// condition is refused for good, not answered, or refused again.
  void marked(const PodRef& pod, Instant now);
  void not_marked(const PodRef& pod, const Error& error, Instant now);
  void evicted(const PodRef& pod, Instant now);
  /// False: the pod had changed, which is no trouble. It has been read; if it is due still, it is
  /// asked for again.
  bool refused(const PodRef& pod, const Error& error, Instant now);
  /// The write never left this process: nothing was learned.
  void not_sent(const PodRef& pod, Instant now);

  /// Pods whose running timer ended without eviction since the last call.
  std::vector<PodRef> take_cancelled() { return std::exchange(cancelled_, {}); }
  /// Pods whose timer was to end when their deletion was on its way already.
  std::vector<PodRef> take_overtaken() { return std::exchange(overtaken_, {}); }

  const SeenTaints& taints() const { return taints_; }
  /// What is remembered of a pod on a tainted node.
  struct Timer {
    std::optional<Instant> came;           ///< to a node that was tainted already
    std::optional<Instant> deadline;       ///< nothing: it may stay for ever
    std::optional<Instant> unconditional;  ///< the same, without taints of the node's condition
    bool begun = false;                    ///< something was asked for already
    bool marked = false;                   ///< the deletion is next
    bool mark_refused = false;             ///< once
    bool accepted = false;                 ///< by the server; its effect is yet to be seen
    std::optional<Instant> read = {};      ///< when it was, for it had changed
  };
  /// Null: it is on no tainted node.
  const Timer* timer_of(Slot slot) const {
    const auto found = timers_.find(slot);
    return found == timers_.end() ? nullptr : &found->second;
  }
  /// Those whose time runs wait, and are troubled when they failed.
  const PendingWrites& pending() const { return pending_; }
  Comparisons comparisons() const { return comparisons_; }

 private:
  void forget_timers(const std::string& node, Moment at);
  void evaluate_pods_of(const std::string& node, Moment at);
  void evaluate(Slot slot, Moment at);
  void follow(Slot slot, const api::Pod& pod, const std::vector<SeenTaint>& taints, Moment at);
  Instant came(const api::Pod& pod, const Timer& timer, Moment at) const;
  void cancel(Slot slot, const api::Pod& pod, Instant now);
  void let_stay(Slot slot, const api::Pod& pod, Instant now);
  void end(Slot slot, const api::Pod& pod, Instant now);
  void forget(Slot slot);
  EvictPod eviction_of(Slot slot, const Timer& timer, Try attempt) const;

  const View view_;
  const Comparisons comparisons_;
  SeenTaints taints_;
  std::map<Slot, Timer> timers_;
  PendingWrites pending_;
  std::vector<PodRef> cancelled_;
  std::vector<PodRef> overtaken_;
};

}  // namespace nlc::controller
