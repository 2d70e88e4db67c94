#pragma once

#include <optional>

#include "program/flags.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::sim::scenario {

/// It lasts until its step ends, and for ever where that has no end.
bool lasts(const Action& action);

/// Lists, holds after the server was away, back-offs, and what is on its way.
inline constexpr Duration usual_delays = std::chrono::minutes(2);

/// From when on nothing goes wrong in a case any more, and nobody does anything but kubelets;
/// nothing when something goes wrong to its end, or may at any time.
std::optional<Duration> peace_begins(const Scenario& scenario, const program::Flags& flags);

/// Until somebody leads: the record of who is gone has to run out, perhaps after another wait of a
/// lease, for what a restore brought back is not believed; a process that lost the lock may have to
/// start anew.
Duration without_leader(const program::LeaderElectFlags& elect);

/// How long after that, and after its last heartbeat, a dead node is marked at the latest.
Duration marked_within(const Scenario& scenario, const program::Flags& flags);

}  // namespace nlc::sim::scenario
