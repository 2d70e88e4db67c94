#pragma once

#include "program/flags.h"
#include "sim/rules/rules.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::sim::scenario {

/// What the rules that hold on every day have to know of a case: the flags, and when its server
/// takes no heartbeats.
rules::RuleInputs rule_inputs_of(const Scenario& scenario, const program::Flags& flags,
                                 Instant origin);

}  // namespace nlc::sim::scenario
