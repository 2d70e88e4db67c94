#pragma once

#include <optional>
#include <string>

#include "client/limits/room.h"
#include "controller/pods/eviction_checks.h"
#include "controller/writes/pending_writes.h"

namespace nlc::controller {

/// True: the operator holds a pod that is due, and it waits until he is to be asked again.
inline bool wait_if_held(const PodDue& pod, const EvictionChecks& checks, PendingWrites::Slot slot,
                         Instant now, PendingWrites& pending) {
  const std::optional<Instant> later = checks.held_until ? checks.held_until(pod) : std::nullopt;
  if (later > now) pending.wait(slot, *later, now);
  return later.has_value();
}

/// The last before a step of a pod that may leave is requested. Nothing: it has a place in the
/// room, and who counts such steps knows of it; else what is to become of the pod. The node must
/// have been read since `confirmed_since`.
inline std::optional<PendingWrites::Choice> request_step(const PodDue& pod,
                                                         const EvictionChecks& checks,
                                                         Instant confirmed_since,
                                                         const PendingWrites::Trial& trial,
                                                         client::Room& room) {
  const std::string node(pod.node);
  if (checks.confirmed && !checks.confirmed(node, confirmed_since)) {
    return PendingWrites::Choice::Leave;
  }
  if (const auto lack = trial.take_place(room)) return lack;
  if (checks.requested) checks.requested(pod);
  return std::nullopt;
}

}  // namespace nlc::controller
