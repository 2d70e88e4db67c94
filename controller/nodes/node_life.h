#pragma once

#include "controller/nodes/node_health.h"
#include "controller/rules/view.h"
#include "controller/server/api_availability.h"

namespace nlc::controller {

/// A node whose status is Unknown, but whose heartbeats move, lives: its kubelet will say so before
/// its grace is over. Until then it is spared what an unreachable node would meet. Each answer lies
/// in the past for any other node.
struct NodeLife {
  const View view;
  const NodeHealth& health;
  const ApiAvailability& availability;

  /// Until when it gets no taint that says it is unreachable.
  Instant alive_until(Slot slot, Instant now) const;

  /// Until when its pods are not evicted for such a taint, if it has one already: it may have said
  /// that it is Ready, and what is read of nodes may be older. Not for ever, as some kubelets can
  /// renew their leases and cannot write their status.
  Instant pods_stay_until(Slot slot, Instant now) const;

  /// Until when its pods go on being Ready as well. Services would lose them each time that their
  /// kubelet says so. But Services must not keep the pods of a dead node: only a heartbeat counts
  /// that was seen to come, and only while it would be noticed if no more did.
  Instant pods_stay_ready_until(Slot slot, Instant now) const;
};

}  // namespace nlc::controller
