#include "tests/conformance/unit_run.h"

#include <string_view>
#include <utility>

#include "sim/scenario/deviations.h"
#include "tests/conformance/unit_answers.h"
#include "tests/conformance/unit_words.h"

namespace nlc::conformance {
namespace {

using sim::scenario::Verdict;

using Json = nlohmann::json;
using Answer = Json (*)(const UnitCase&);

Json sharding_answer(const UnitCase&) {
  throw Unanswerable{
      "no such component: one thread decides for all nodes and pods, so there is nothing to shard"};
}

constexpr std::pair<std::string_view, Answer> answers[] = {
    {"QU", queue_answer},        {"TW", timer_answer},      {"MT", deadline_answer},
    {"ZK", zone_key_answer},     {"XD", exclusion_answer},  {"HE", health_answer},
    {"ZS", zone_state_answer},   {"RQ", zone_rate_answer},  {"TR", taint_removal_answer},
    {"TA", taint_adding_answer}, {"TL", taint_list_answer}, {"TO", toleration_answer},
    {"FL", flags_answer},        {"SH", sharding_answer}};

Json answer_to(const UnitCase& unit) {
  std::string known;
  for (const auto& [area, answer] : answers) {
    if (area == unit.area) return answer(unit);
    known += (known.empty() ? "" : " ") + std::string(area);
  }
  throw Unanswerable{"no component for the area \"" + unit.area + "\"; there are " + known};
}

/// An input may be anything: what the runners did not foresee in it fails the case, not the file.
std::vector<Failure> failures_of(const UnitCase& unit) {
  const std::string wanted = "the output is " + unit.output.dump();
  try {
    return differences(unit.output, answer_to(unit));
  } catch (const Unanswerable& none) {
    return {{wanted, none.why}};
  } catch (const Json::exception& shape) {
    return {{wanted, std::string("the input has another shape: ") + shape.what()}};
  }
}

/// Where there is nothing to ask, a sentence is all there can be.
Outcome run_ours(const UnitCase& unit, const UnitDeviation& listed) {
  if (!listed.output) return {};
  UnitCase ours = unit;
  ours.output = *listed.output;
  return run_unit(ours);
}

}  // namespace

Outcome run_unit(const UnitCase& unit) {
  Outcome outcome{.id = unit.id, .title = unit.title, .failures = failures_of(unit)};
  outcome.verdict = outcome.failures.empty() ? Verdict::Passed : Verdict::Failed;
  return outcome;
}

Outcome run_listed(const UnitCase& unit, const UnitDeviation* listed) {
  Outcome as_written = run_unit(unit);
  if (listed == nullptr) return as_written;
  return sim::scenario::settled(std::move(as_written), run_ours(unit, *listed));
}

}  // namespace nlc::conformance
