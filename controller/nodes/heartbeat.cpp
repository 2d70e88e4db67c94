#include "controller/nodes/heartbeat.h"

#include <algorithm>

#include "controller/rules/conditions.h"
#include "runtime/planted.h"

namespace nlc::controller {
namespace {

bool status_moved(const Heartbeats& before, const Heartbeats& seen) {
  // A Ready condition that vanishes is no fresh start (spec/node-lifecycle.md "Health entry").
  if (!seen.has_ready) return false;
  if (!before.has_ready) return !seen.never_posted;
  return before.status != seen.status;
}

bool lease_moved(const Heartbeats& before, const Heartbeats& seen) {
  return seen.lease && seen.lease != before.lease;
}

}  // namespace

Heartbeats heartbeats_of(const api::Node& node, const api::NodeLease* lease) {
  Heartbeats seen;
  if (const api::NodeCondition* ready = node.condition(api::condition::ready)) {
    seen.has_ready = true;
    seen.never_posted = ready->reason == reason_never_updated;
    seen.status = ready->last_heartbeat;
  }
  if (lease != nullptr) seen.lease = renewal_of(*lease);
  return seen;
}

WallTime renewal_of(const api::NodeLease& lease) { return lease.renewed.value_or(WallTime{}); }

bool ever_moved(const Heartbeats& seen) { return seen.has_ready || seen.lease; }

HeartbeatMemory first_memory(const Heartbeats& seen, AvailableTime now, Duration age) {
  if (planted("first-seen-is-silent")) return {.last = seen, .last_moved = now - age};
  return {.last = seen, .last_moved = ever_moved(seen) ? now : now - std::max(age, Duration{0})};
}

HeartbeatMemory next_memory(const HeartbeatMemory& before, const Heartbeats& seen,
                            AvailableTime now) {
  HeartbeatMemory after{.last = seen, .last_moved = before.last_moved, .heard = before.heard};
  const bool status = status_moved(before.last, seen);
  const bool lease = lease_moved(before.last, seen);
  if (status || lease) after.last_moved = std::max(now, before.last_moved);
  // Leases are listed beside nodes: one that is there for the first time may be old.
  if (status || (lease && before.last.lease)) after.heard = true;
  // A lease that vanishes must not count again when it comes back as it was.
  if (!seen.lease) after.last.lease = before.last.lease;
  return after;
}

bool proves_writes(const Heartbeats& before, const Heartbeats& seen, bool leases_known) {
  if (before.lease) return seen.lease && *seen.lease > *before.lease;
  return !leases_known && !seen.lease && before.has_ready && status_moved(before, seen);
}

bool shows_later_write(const Heartbeats& before, const Heartbeats& seen) {
  const auto is_later = [](const std::optional<WallTime>& then,
                           const std::optional<WallTime>& now) {
    return then && now && *now > *then;
  };
  return is_later(before.lease, seen.lease) || is_later(before.status, seen.status);
}

HeartbeatMemory rewound_memory(const HeartbeatMemory& before, const Heartbeats& seen) {
  HeartbeatMemory after = next_memory(before, seen, before.last_moved);
  after.last_moved = before.last_moved;
  after.heard = before.heard;
  return after;
}

AvailableTime grace_end(const HeartbeatMemory& memory, const Policy& policy) {
  if (!memory.last.has_ready) return memory.last_moved + policy.startup_grace;
  return memory.last_moved + std::max(policy.monitor_grace, policy.monitor_period);
}

}  // namespace nlc::controller
