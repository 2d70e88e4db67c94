#include "sim/scenario/report.h"

#include <absl/strings/str_join.h>
#include <cassert>
#include <cstdlib>

#include "runtime/utf8.h"

namespace nlc::sim::scenario {
namespace {

using OrderedJson = nlohmann::ordered_json;

OrderedJson json_of(const Outcome& outcome) {
  OrderedJson failures = OrderedJson::array();
  for (const Failure& failure : outcome.failures) {
    failures.push_back({{"expectation", failure.expectation}, {"seen", failure.seen}});
  }
  return {{"id", outcome.id}, {"outcome", name_of(outcome.verdict)}, {"failures", failures}};
}

/// `line`, which tells the first of them.
std::string first_of(const std::vector<Failure>& failures, std::string line) {
  if (failures.size() > 1) line += " (and " + std::to_string(failures.size() - 1) + " more)";
  return error_line(line);
}

}  // namespace

std::string_view name_of(Verdict verdict) {
  switch (verdict) {
    case Verdict::Passed:
      return "passed";
    case Verdict::Failed:
      return "failed";
    case Verdict::Deviating:
      return "deviating";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

Tally tally_of(const std::vector<Outcome>& outcomes) {
  Tally tally;
  for (const Outcome& outcome : outcomes) {
    switch (outcome.verdict) {
      case Verdict::Passed:
        ++tally.passed;
        break;
      case Verdict::Failed:
        ++tally.failed;
        break;
      case Verdict::Deviating:
        ++tally.deviating;
        break;
    }
  }
  return tally;
}

std::string failure_line(const Outcome& outcome) {
  assert(!outcome.failures.empty());
  const Failure& first = outcome.failures.front();
  return first_of(outcome.failures,
                  outcome.id + (outcome.title.empty() ? "" : " " + outcome.title) + ": expected " +
                      first.expectation + "; seen: " + first.seen);
}

std::string problem_line(const std::vector<Failure>& problems) {
  assert(!problems.empty());
  const Failure& first = problems.front();
  return first_of(problems, first.expectation + ": " + first.seen);
}

std::string listed(std::vector<std::string> words, std::size_t most) {
  if (words.size() > most) {
    words.resize(most);
    words.emplace_back("…");
  }
  return absl::StrJoin(words, ", ");
}

std::string tally_line(const Tally& tally) {
  return std::to_string(tally.passed) + " passed, " + std::to_string(tally.failed) + " failed, " +
         std::to_string(tally.deviating) + " deviating";
}

OrderedJson report_json(const std::vector<Outcome>& outcomes) {
  const Tally tally = tally_of(outcomes);
  OrderedJson cases = OrderedJson::array();
  for (const Outcome& outcome : outcomes) cases.push_back(json_of(outcome));
  return {{"passed", tally.passed},
          {"failed", tally.failed},
          {"deviating", tally.deviating},
          {"cases", std::move(cases)}};
}

}  // namespace nlc::sim::scenario
