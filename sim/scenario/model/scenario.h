#pragma once

#include <algorithm>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/result.h"
#include "sim/scenario/model/checks.h"
#include "sim/scenario/model/outcome.h"
#include "sim/scenario/model/steps.h"

/// A scenario file as values: what is there at the start, what happens when, and what is expected
/// then. docs/scenarios.md tells the words of the file.
namespace nlc::sim::scenario {

/// When the checks of one expectation have to be true. Both ends belong to the interval.
struct When {
  enum class Kind {
    Holds,     ///< during the whole interval
    Becomes,   ///< false before it, true at its end, and so until another expectation takes over
    At,        ///< at one moment: `from` and `until` are equal
    CountedIn  ///< what is counted happens in the interval
  };
  Kind kind = Kind::At;
  Duration from{0};
  Duration until{0};
};

struct Expectation {
  When when;
  std::vector<Check> that;  ///< all of them, together
  std::string only_for;     ///< releases, such as ">=1.23"; empty: all
  int line = 0;             ///< where it stands in its file
};

/// One case with a timeline. Offsets count from `start`, which is a moment in virtual time.
struct Scenario {
  std::string id;
  std::string title;
  std::string kind;  ///< of a conformance case, which may name what is nowhere; empty for others
  std::string applies_to;
  std::vector<std::string> refs;
  WallTime start;
  std::uint64_t seed = 7;  ///< of all that is left to chance
  Settings flags;
  Settings feature_gates;
  std::vector<nlohmann::json> given;  ///< whole objects, with their defaults
  std::vector<Step> timeline;
  std::vector<Expectation> expect;
  /// A step that cannot be taken when its time comes is left out; else the case fails by it.
  bool skips_impossible = false;
  /// What of it could not be understood, each with FILE:LINE: the case fails by that.
  std::vector<Failure> problems;
  int line = 0;
};

/// Whether its timeline has such an action of that kind.
template <typename Kind, typename Such>
bool has_step(const Scenario& scenario, Such such) {
  return std::ranges::any_of(scenario.timeline, [&](const Step& step) {
    const Kind* action = step.as<Kind>();
    return action != nullptr && such(*action, step);
  });
}

template <typename Kind>
bool has_step(const Scenario& scenario) {
  return has_step<Kind>(scenario, [](const Kind&, const Step&) { return true; });
}

struct ScenarioFile {
  std::vector<Scenario> cases;
  /// Entries of its `unit` section, which are left unread: tests/conformance runs them.
  std::size_t units = 0;
};

/// A file that is no scenario file is refused: "FILE:LINE: what was found, what was expected". What
/// one case alone does wrong is a problem of that case. `name` stands for FILE.
Result<ScenarioFile> read_scenarios(const std::string& path);
Result<ScenarioFile> read_scenario_text(std::string_view text, std::string_view name);

}  // namespace nlc::sim::scenario
