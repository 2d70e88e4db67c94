#pragma once

#include <optional>

#include "program/flags.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::sim::scenario {

/// From when on nothing goes wrong in a case any more, and nobody does anything but kubelets;
/// nothing when something goes wrong to its end, or may at any time.
std::optional<Duration> peace_begins(const Scenario& scenario, const program::Flags& flags);

/// How long after that, and after its last heartbeat, a dead node is marked at the latest.
Duration marked_within(const Scenario& scenario, const program::Flags& flags);

}  // namespace nlc::sim::scenario
