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

/// Runs it against the component of ours that does this work. A case whose component we do not have
/// fails with words that say so.
Outcome run_unit(const UnitCase& unit);

}  // namespace nlc::sim::scenario
