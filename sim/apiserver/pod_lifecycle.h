#pragma once

#include <nlohmann/json.hpp>
#include <optional>

#include "runtime/time.h"

/// What is special about pods when they are deleted or their status is written
/// (spec/api-server.md "Deleting pods", spec/api-server.md "Writes").
namespace nlc::sim {

/// The grace of a first deletion: what was asked for, else the pod's own, else 0; always 0 for a
/// pod that has no node or has finished, because no kubelet will ever confirm it; a negative one
/// counts as 1.
long long grace_of_deletion(const nlohmann::json& pod, std::optional<long long> asked);

/// A writer that leaves observedGeneration out of a status or a condition does not clear it.
void keep_observed_generations(const nlohmann::json& before, nlohmann::json& after);

/// Sets the condition of that type; its transition time moves only when the status does.
void set_condition(nlohmann::json& pod, nlohmann::json condition, WallTime now);

}  // namespace nlc::sim
