#pragma once

#include <optional>

#include "sim/rules/rule_inputs.h"
#include "sim/scenario/model/scenario.h"

namespace nlc::sim::scenario {

/// When the last backup before a restore was taken; nothing where there is none, so that nothing
/// is restored.
std::optional<Duration> backup_of(const Step& restore, const Scenario& scenario);

struct RestoreLimits {
  Duration blind_after{0};     ///< for so long nobody notices that the server takes no writes
  Duration without_leader{0};  ///< so long it may take until somebody leads again
};

/// What replicas may not come to know of the restores of a case.
rules::RuleInputs::Restores restores_of(const Scenario& scenario, const RestoreLimits& limits);

}  // namespace nlc::sim::scenario
