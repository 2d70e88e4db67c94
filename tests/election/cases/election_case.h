#pragma once

#include <map>
#include <ostream>
#include <string>
#include <vector>

#include "election/election_options.h"
#include "runtime/time.h"
#include "yaml/json.h"

/// The conformance cases of leader election (tests/conformance/cases/election-informer.yaml), each
/// run against what we built. How a case is run follows from the shape of its inputs, so that
/// further cases of the same shapes need no code.
namespace nlc::election::testing {

struct ElectionCase {
  std::string id;
  std::string area;
  std::string title;
  yaml::Value inputs;
  yaml::Value expected;
};

/// As gtest names it where it fails.
inline void PrintTo(const ElectionCase& one, std::ostream* out) { *out << one.id; }

/// Those of the areas `election-*` and `sidecar`.
std::vector<ElectionCase> election_cases();

/// Why a case does not hold as written, by its id: tests/conformance/deviations.yaml.
std::map<std::string, std::string> deviations();

/// What does not hold; empty when all of the case does. A shape or an expectation that nobody here
/// knows is a difference, too.
using Differences = std::vector<std::string>;
Differences run_case(const ElectionCase& one);

// The areas, one function each.
Differences run_config(const ElectionCase& one);
Differences run_script(const ElectionCase& one);  ///< attempts, pairs, coordinated election
Differences run_release(const ElectionCase& one);
Differences run_health(const ElectionCase& one);
Differences run_lock(const ElectionCase& one);
Differences run_story(const ElectionCase& one);  ///< loops and safety, against an embedded server
Differences run_sidecar(const ElectionCase& one);

/// "10s", "-1000h", "+8s".
Duration duration_of(const yaml::Value& node);
Duration duration_or(const yaml::Value& node, Duration otherwise);
/// L, D, P and self of the inputs, with the file's defaults.
ElectionOptions options_of(const yaml::Value& inputs);

std::string shown(const yaml::Value& node);
/// As a list of these words is shown.
std::string shown(const std::vector<std::string>& words);
/// Adds a line when the two differ.
void compare(Differences& differences, const std::string& what, const std::string& ours,
             const std::string& wanted);
/// The same for those of L, D and P that are expected.
void compare_timing(Differences& differences, const ElectionOptions& ours,
                    const yaml::Value& expected);
/// Adds a line for each key of `node` that is none of `known`.
void know_all(Differences& differences, const yaml::Value& node,
              const std::vector<std::string>& known);

}  // namespace nlc::election::testing
