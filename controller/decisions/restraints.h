#pragma once

#include "controller/nodes/node_lifecycle.h"
#include "controller/server/api_server_health.h"
#include "runtime/planted.h"

namespace nlc::controller {

/// What holds all of a kind back, whoever they are about: doubts about the API server, and a total
/// disruption.
///
/// Pure, on one thread; what is borrowed outlives this.
class Restraints {
 public:
  struct Options {
    bool evicts_by_timeout = false;
    bool pods_stay_ready = false;  ///< in a total disruption
  };
  Restraints(const ApiServerHealth& server, const NodeLifecycle& nodes, const Options& options)
      : server_(server), nodes_(nodes), options_(options) {}

  /// No pod is evicted for what is known of its node.
  bool hold_evictions(Instant now) const {
    if (planted("evictions-never-held")) return false;
    // In a total disruption taints of ours are on their way out, however long that takes.
    return server_.doubtful(now) || server_.unsettled(now) || nodes_.zones().all_disrupted();
  }

  /// No node gets its turn while what is known of it may be of before the server was back; nor,
  /// where pods leave by timeout, while they would be held: all who had it meanwhile would leave at
  /// once.
  NodeLifecycle::Evictions of_zones(Instant now) const {
    const bool held = options_.evicts_by_timeout ? hold_evictions(now)
                                                 : server_.doubtful(now) || server_.was_away(now);
    return held ? NodeLifecycle::Evictions::Held : NodeLifecycle::Evictions::Allowed;
  }

  /// No pod is marked NotReady.
  bool hold_pod_marks(Instant now) const {
    if (server_.doubtful(now) || server_.availability().blind(now)) return true;
    return options_.pods_stay_ready && nodes_.zones().all_disrupted();
  }

 private:
  const ApiServerHealth& server_;
  const NodeLifecycle& nodes_;
  const Options options_;
};

}  // namespace nlc::controller
