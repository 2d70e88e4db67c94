#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "runtime/result.h"
#include "sim/scenario/model/scenario.h"
#include "sim/scenario/stage/stage.h"

namespace nlc::sim::scenario {

/// When the timeline of a case and all of its expectations are over.
Duration end_of(const Scenario& scenario);

/// Who looks on while a case is played that nobody judges.
struct Viewing {
  Settings flags;  ///< win over those of the case
  std::uint64_t seed = 7;
  /// Looks come at every multiple of it; 0: after each moment in which something happened.
  Duration every{0};
  std::function<void(Stage&)> begin = [](Stage&) {};
  std::function<void(const Stage&)> look;
};

/// Plays it to its end; goes as the same case with the same flags and seed goes everywhere. Fails
/// when the controller does not take the flags.
std::optional<Error> view(const Scenario& scenario, const Viewing& viewing);

}  // namespace nlc::sim::scenario
