#pragma once

#include <optional>
#include <span>

#include "sim/scenario/model/steps.h"
#include "sim/scenario/reading/fields.h"

/// The kinds of steps, each with its reader. `step_of` finds the one that a step names.
namespace nlc::sim::scenario {

struct ActionKind {
  const char* key;
  Action (*read)(const YAML::Node&, Problems&);
};

/// What the API server or the way to it does badly.
std::span<const ActionKind> server_actions();

/// What happens to the controller's processes and their machines; nothing when the step is of
/// another kind. `step` is the whole step: some of these have their keys beside them.
std::optional<Action> controller_action_of(Fields& step);

}  // namespace nlc::sim::scenario
