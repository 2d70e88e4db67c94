#pragma once

#include <optional>
#include <span>

#include "sim/scenario/model/steps.h"
#include "sim/scenario/reading/fields.h"

/// The kinds of steps, each with its reader. `step_of` finds the one that a step names.
namespace nlc::sim::scenario {

struct ActionKind {
  const char* key;
  const char* what;  ///< as refusals call its map
  Action (*read)(Fields&);
  bool may_be_null = false;  ///< it has nothing to say, or need not say it
};

/// What the API server or the way to it does badly.
std::span<const ActionKind> server_actions();

/// What happens to the machines of the controller's processes.
std::span<const ActionKind> machine_actions();

/// What happens to these processes themselves; nothing when the step is of another kind. `step` is
/// the whole step: these have their keys beside them.
std::optional<Action> controller_action_of(Fields& step);

}  // namespace nlc::sim::scenario
