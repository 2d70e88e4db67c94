#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "sim/scenario/outcome.h"

namespace nlc::sim::scenario {

/// One entry of a file's `unit` section: what goes into one component, and what should come out.
struct UnitCase {
  std::string id;
  std::string area;
  std::string component;
  std::string title;
  nlohmann::json input;
  nlohmann::json output;
  int line = 0;  ///< where it stands in its file
};

/// Asks the component of ours that does this work. A case fails with words when there is none, or
/// when its input has operations or keys that nobody here knows.
Outcome run_unit(const UnitCase& unit);

}  // namespace nlc::sim::scenario
