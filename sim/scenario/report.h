#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "sim/scenario/model/outcome.h"

/// What is told of outcomes: pure text.
namespace nlc::sim::scenario {

struct Tally {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t deviating = 0;
};
Tally tally_of(const std::vector<Outcome>& outcomes);

/// "passed", "failed", "deviating".
std::string_view name_of(Verdict verdict);

/// One line for a failed case: id, title, the first expectation that failed, what was seen.
std::string failure_line(const Outcome& outcome);

/// One line for a case that cannot be understood, of its problems: "FILE:LINE: WHAT found, WHAT
/// expected", the first of them.
std::string problem_line(const std::vector<Failure>& problems);

/// "a, b, …": so many at most.
std::string listed(std::vector<std::string> words, std::size_t most);

/// "183 passed, 0 failed, 103 deviating".
std::string tally_line(const Tally& tally);

/// {passed, failed, deviating, cases: [{id, outcome, failures: [{expectation, seen}]}]}.
nlohmann::ordered_json report_json(const std::vector<Outcome>& outcomes);

}  // namespace nlc::sim::scenario
