#pragma once

#include <optional>

#include "api/objects.h"
#include "controller/options/policy.h"
#include "controller/server/api_availability.h"

namespace nlc::controller {

/// The signs of life of one node as its objects show them. The values come from other machines'
/// clocks: they are compared only with their own predecessors, never with a clock of ours
/// (spec/node-lifecycle.md "Heartbeats").
struct Heartbeats {
  bool has_ready = false;          ///< the node carries a Ready condition
  bool never_posted = false;       ///< written by us, for its kubelet never wrote one
  std::optional<WallTime> status;  ///< lastHeartbeatTime of that condition
  std::optional<WallTime> lease;   ///< renewTime of its lease; the epoch where it has none
};

/// As `Heartbeats::lease` says it.
WallTime renewal_of(const api::NodeLease& lease);

Heartbeats heartbeats_of(const api::Node& node, const api::NodeLease* lease);

/// What is remembered of a node's heartbeats from one monitor pass to the next.
struct HeartbeatMemory {
  Heartbeats last;
  AvailableTime last_moved;
  bool heard = false;  ///< it moved before our eyes: otherwise it may have been silent for long,
                       ///< as may one whose lease was just seen first
};

/// It has posted a status or a lease, at whatever time.
bool ever_moved(const Heartbeats& seen);

/// A node seen for the first time has just moved, unless nothing of it ever did: then its silence
/// began at its creation, `age` ago.
HeartbeatMemory first_memory(const Heartbeats& seen, AvailableTime now, Duration age);

/// What newer objects leave. A status heartbeat that differs in any direction is life, so is a
/// Ready condition that appears (unless we wrote it), so is a renewTime that differs or appears: a
/// kubelet whose clock was set back renews with smaller times (against D-NH-6). An unchanged lease
/// counts only once (against D-NH-1). `now` may lie before the last monitor pass, when a stream
/// brings what came before a read was answered: life is never taken back.
HeartbeatMemory next_memory(const HeartbeatMemory& before, const Heartbeats& seen,
                            AvailableTime now);

/// Whether a kubelet has renewed its lease since: so the server takes the writes by which others
/// say that they live. That statuses are taken says nothing of leases, also of a node that has
/// none: where leases are refused, who has just come cannot write his. Only where no node is known
/// to have one do statuses count. `seen` is of a newer object, or a lease of another uid; what is
/// there for the first time may be old, and so may be a lease with an earlier time: a backup brings
/// back one that was deleted since.
bool proves_writes(const Heartbeats& before, const Heartbeats& seen, bool leases_known);

/// Whether a time in it is later than any that was heard: its kubelet has written since, whatever
/// its version says. A server that was restored counts its versions anew, and one that is late
/// cannot know of it.
bool shows_later_write(const Heartbeats& before, const Heartbeats& seen);

/// What a look at an object from the past leaves, after the server went back in time: nothing of it
/// is life. What comes later is compared with it.
HeartbeatMemory rewound_memory(const HeartbeatMemory& before, const Heartbeats& seen);

/// The last moment at which the node still counts as alive; it is silent right after. A grace that
/// is shorter than the monitor period counts as that period: whoever moves between two passes
/// lives.
AvailableTime grace_end(const HeartbeatMemory& memory, const Policy& policy);

}  // namespace nlc::controller
