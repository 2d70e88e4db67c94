#pragma once

#include <nlohmann/json.hpp>

#include "runtime/time.h"

/// What is special about pods when their status is written (spec/api-server.md "Writes").
namespace nlc::sim {

/// A writer that leaves observedGeneration out of a status or a condition does not clear it.
void keep_observed_generations(const nlohmann::json& before, nlohmann::json& after);

/// Sets the condition of that type; its transition time moves only when the status does.
void set_condition(nlohmann::json& pod, nlohmann::json condition, WallTime now);

}  // namespace nlc::sim
