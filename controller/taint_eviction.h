#pragma once

#include <absl/container/flat_hash_map.h>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "controller/attempt.h"
#include "controller/decision.h"
#include "controller/moment.h"
#include "controller/tolerations.h"
#include "controller/view.h"
#include "informer/string_map.h"
#include "runtime/random.h"
#include "runtime/result.h"

namespace nlc::controller {

/// Evicts pods from nodes with NoExecute taints, whoever set them, when their tolerations run out
/// (behaviour.md §13).
///
/// A pod's deadline follows the taints and tolerations as they are now: it is worked out again
/// whenever either changes (against D-TE-2). Patience with a taint counts from its first sight; a
/// taint that is written again, and the swap of not-ready for unreachable, do not start it anew.
/// Terminating and finished pods are left alone. An eviction that fails is wished again until the
/// world no longer wants it (against D-TE-1).
///
/// Pure, on one thread; the view has been changed already when an observation is told.
class TaintEviction {
 public:
  TaintEviction(View view, std::uint64_t seed, Comparisons comparisons = Comparisons::Off)
      : view_(view), comparisons_(comparisons), random_(seed) {}

  /// `before`: the same node as it was; nothing when it is new.
  void node_stored(const api::Node& node, const api::Node* before, Moment at);
  /// The countdowns of its pods go on (behaviour.md §13.2), until a node of that name is there.
  void node_removed(const api::Node& node) { taints_.erase(node.name); }
  void pod_stored(Slot slot, const api::Pod& pod, const api::Pod* before, Moment at);
  void pod_removed(Slot slot) { forget(slot); }

  /// While the server's clock is proven close to ours, a taint's `timeAdded` may show that it is
  /// older than our first sight of it; of taints that are known already as well.
  void trust_wall_clock(bool close, Moment at);

  std::vector<Decision> due(Instant now);
  std::optional<Instant> next_due() const;

  void evicted(const PodRef& pod);
  void refused(const PodRef& pod, const Error& error, Instant now);

  /// Pods whose running countdown ended without eviction since the last call.
  std::vector<PodRef> take_cancelled() { return std::exchange(cancelled_, {}); }

  std::size_t countdowns() const { return agenda_.size(); }
  /// Evictions that failed and wait to be tried again.
  std::size_t waiting() const { return waiting_; }

 private:
  struct Countdown {
    std::string uid;
    Instant pod_since;  ///< when the pod came to a node that was tainted already
    Instant deadline;
    std::optional<Instant> due;  ///< its place in the agenda: the deadline, or a later retry
    Attempt attempt;
    bool tried = false;
    bool evicted = false;  ///< accepted by the server; its end is only to be seen yet
  };

  void evaluate(Slot slot, Instant pod_since, Instant now);
  void evaluate_pods_of(const std::string& node, Instant now);
  void go_on(Slot slot, Countdown& countdown, Instant now);
  void schedule(Slot slot, Countdown& countdown, Instant due);
  void unschedule(Slot slot, Countdown& countdown);
  void cancel(Slot slot, const api::Pod& pod);
  void forget(Slot slot);
  Countdown* find(const PodRef& pod, Slot& slot);
  Instant first_sight(const api::Taint& taint, const std::vector<SeenTaint>& before,
                      const std::vector<api::Taint>& now_there, Moment at) const;

  const View view_;
  const Comparisons comparisons_;
  Random random_;
  bool wall_clock_close_ = false;
  informer::StringMap<std::vector<SeenTaint>> taints_;  ///< of tainted nodes only
  std::map<Slot, Countdown> countdowns_;
  std::set<std::pair<Instant, Slot>> agenda_;
  std::size_t waiting_ = 0;
  std::vector<PodRef> cancelled_;
};

}  // namespace nlc::controller
