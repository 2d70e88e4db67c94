#pragma once

#include "controller/nodes/node_health.h"
#include "controller/rules/view.h"
#include "controller/server/api_availability.h"

namespace nlc::controller {

/// Until when a heartbeat keeps a node whose status is Unknown from a taint that says it is
/// unreachable: it lives, and its kubelet will say so before its grace is over. In the past for any
/// other.
Instant alive_until(View view, const NodeHealth& health, const ApiAvailability& availability,
                    Slot slot, Instant now);

/// Until when it keeps the pods of such a node, which is tainted already, from being evicted for
/// that: it may have said that it is Ready, and what is read of nodes be of the past. Not for ever:
/// some kubelets can renew their leases and cannot write their status.
Instant pods_stay_until(View view, const NodeHealth& health, const ApiAvailability& availability,
                        Slot slot, Instant now);

/// Until when they go on being Ready as well. Services would lose them each time that their kubelet
/// says so; but of one that died Services must not hear, so only a heartbeat that was seen to come
/// counts, where it would be seen if no more did.
Instant pods_stay_ready_until(View view, const NodeHealth& health,
                              const ApiAvailability& availability, Slot slot, Instant now);

}  // namespace nlc::controller
