#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "client/limits/room.h"
#include "controller/pods/eviction_checks.h"
#include "controller/rules/decision.h"
#include "controller/rules/view.h"
#include "controller/writes/pending_writes.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Evicts all pods of nodes whose eviction timeout has run out: the path of
/// `--enable-taint-manager=false` (spec/node-lifecycle.md "Eviction by timeout"). Which nodes these
/// are, and at what pace they come, is for `NodeLifecycle` to say; here it is about their pods.
///
/// For as long as a node is being evicted its pods are evicted, those that come later too, each for
/// itself: one that cannot be deleted holds up no other (against D-LG-3). Pods of DaemonSets are
/// spared, told by their owner and not by their labels (against D-LG-2); so are finished pods. A
/// terminating pod is not deleted again but told to be lost, so that users see why it lingers.
///
/// Pure, on one thread; the view has been changed already when an observation is told.
class TimeoutEviction {
 public:
  TimeoutEviction(View view, std::uint64_t seed) : view_(view), pending_(seed) {}

  /// The pods of that node leave from now on. Says how many there are, exempt ones included.
  std::size_t begin(std::string_view node, Instant now);
  /// What has not been asked for yet will not be.
  void end(std::string_view node, Instant now);

  void pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, Instant now);
  void pod_removed(Slot slot);

  /// The server lost what it had accepted: it was restored from a backup.
  void doubt_accepted(Instant now) { pending_.doubt_accepted(now); }

  std::vector<Decision> due(Instant now, client::Room& room, const MayEvict& may_evict,
                            const EvictionChecks& checks = {});
  std::optional<Instant> next_due(Instant now) const { return pending_.next_after(now); }

  const PendingWrites& pending() const { return pending_; }

  /// Of an `EvictLostPod`: its status was taken, or refused: that it goes matters more than why.
  void marked(const PodRef& pod, Instant now);
  void not_marked(const PodRef& pod, const Error& error, Instant now);
  void evicted(const PodRef& pod, Instant now);
  /// Of its deletion. True, for that is to be told.
  bool refused(const PodRef& pod, const Error& error, Instant now);
  /// The write never left this process: nothing was learned.
  void not_sent(const PodRef& pod, Instant now);

  /// What became of a node's turn: a pod of it leaves, or it has none that is to; or a write about
  /// one failed.
  struct TurnResult {
    std::string node;
    bool failed = false;
  };
  /// Since the last call.
  std::vector<TurnResult> take_turns() { return std::exchange(turns_, {}); }

 private:
  bool wanted(const api::Pod& pod) const;

  const View view_;
  std::map<std::string, Instant, std::less<>> nodes_;  ///< being evicted, since then
  std::set<Slot> begun_;      ///< something of their eviction was asked for
  std::set<Slot> marked_;     ///< the deletion is next
  std::set<Slot> conflicts_;  ///< their status met one
  PendingWrites pending_;
  std::vector<TurnResult> turns_;
};

}  // namespace nlc::controller
