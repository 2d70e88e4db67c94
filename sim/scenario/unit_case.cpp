#include "sim/scenario/unit_case.h"

#include <map>
#include <string_view>

#include "sim/scenario/unit_answers.h"
#include "sim/scenario/unit_words.h"

namespace nlc::sim::scenario {
namespace {

using Json = nlohmann::json;
using Answer = Json (*)(const UnitCase&);

Json sharding_answer(const UnitCase&) {
  throw Unanswerable{
      "no such component: one thread decides for all nodes and pods, so there is nothing to shard"};
}

constexpr std::pair<std::string_view, Answer> answers[] = {
    {"QU", queue_answer},        {"TW", timer_answer},      {"MT", patience_answer},
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

}  // namespace

Outcome run_unit(const UnitCase& unit) {
  Outcome outcome{.id = unit.id, .title = unit.title, .failures = failures_of(unit)};
  outcome.verdict = outcome.failures.empty() ? Verdict::Passed : Verdict::Failed;
  return outcome;
}

}  // namespace nlc::sim::scenario
