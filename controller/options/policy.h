#pragma once

#include "controller/options/feature_gates.h"
#include "runtime/time.h"

namespace nlc::controller {

/// Kubelets renew their leases as often, and look whether their status has to be posted.
inline constexpr Duration heartbeat_period = std::chrono::seconds(10);

/// The numbers behind every decision; the flags of kube-controller-manager set them
/// (spec/node-lifecycle.md "Flags").
struct Policy {
  Duration monitor_period = std::chrono::seconds(5);
  Duration monitor_grace = std::chrono::seconds(50);
  Duration startup_grace = std::chrono::seconds(60);
  double eviction_rate = 0.1;             ///< nodes per second and zone
  double secondary_eviction_rate = 0.01;  ///< the same, in a partly disrupted large zone
  int large_zone = 50;                    ///< a zone is large when it has more nodes than this
  double unhealthy_zone_threshold = 0.55;
  /// False: nodes get no NoExecute taints, their pods go when `pod_eviction_timeout` has run out.
  bool evict_by_taints = true;
  Duration pod_eviction_timeout = std::chrono::minutes(5);
  bool hold_pods_ready_in_full_disruption = false;
  FeatureGates gates;
  /// Nodes that become not ready so close to each other are counted in their zone before any of
  /// them is granted a taint.
  Duration gathering = std::chrono::milliseconds(50);
  Duration blind_after = std::chrono::seconds(10);  ///< a longer gap between proofs is blind time
  Duration probe_after = std::chrono::seconds(5);   ///< without a proof for so long we ask for one
};

}  // namespace nlc::controller
