#include "sim/experiment/run.h"

#include <algorithm>
#include <cassert>
#include <set>

#include "sim/scenario/report.h"
#include "sim/scenario/stage/stage.h"
#include "sim/scenario/viewing.h"

namespace nlc::sim::experiment {
namespace {

using scenario::Scenario;

std::string ids_of(const std::vector<Scenario>& cases) {
  std::vector<std::string> ids;
  std::ranges::transform(cases, std::back_inserter(ids), &Scenario::id);
  return scenario::listed(std::move(ids), 10);
}

Result<Scenario> chosen(std::vector<Scenario> cases, const std::string& file,
                        const std::string& id) {
  if (cases.empty()) return bad_input(file + ": no case with a timeline found, one expected");
  if (id.empty() && cases.size() == 1) return std::move(cases.front());
  if (id.empty()) {
    return bad_input(file + ": " + std::to_string(cases.size()) +
                     " cases found; --only names the one to run: " + ids_of(cases));
  }
  const auto found = std::ranges::find(cases, id, &Scenario::id);
  if (found != cases.end()) return std::move(*found);
  return bad_input("--only " + id + ": " + file + " has no such case, it has " + ids_of(cases));
}

/// Whose heartbeats go on to the end of the run is well, and has not died with it.
std::set<std::size_t> endless_steps(const Scenario& scenario, Duration end) {
  std::set<std::size_t> endless;
  for (std::size_t i = 0; i < scenario.timeline.size(); ++i) {
    const scenario::Step& step = scenario.timeline[i];
    if (step.every && step.until + *step.every > end) endless.insert(i);
  }
  return endless;
}

std::vector<std::string> given_nodes(const Scenario& scenario) {
  std::vector<std::string> names;
  for (const nlohmann::json& object : scenario.given) {
    if (object.value("kind", "") == "Node") names.push_back(object["metadata"]["name"]);
  }
  return names;
}

/// Steps that wait for a fact need a look after every event; others go in one stride.
bool waits_for_facts(const Scenario& scenario) {
  return std::ranges::any_of(scenario.timeline,
                             [](const scenario::Step& step) { return step.when.has_value(); });
}

void play(scenario::Stage& stage, const Scenario& scenario, Duration end) {
  if (waits_for_facts(scenario)) {
    while (stage.next() < end) stage.run_until(stage.next());
  }
  stage.run_until(end);
}

}  // namespace

Result<Scenario> scenario_in(const std::string& file, const std::string& id) {
  Result<scenario::ScenarioFile> read = scenario::read_scenarios(file);
  if (!read) return std::move(read.error());
  Result<Scenario> found = chosen(std::move(read->cases), file, id);
  if (!found || found->problems.empty()) return found;
  return bad_input(scenario::problem_line(found->problems));
}

Measures measured_run(const Scenario& scenario, const Setting& setting, std::uint64_t seed) {
  auto stage = scenario::Stage::open(scenario, {.flags = setting, .seed = seed});
  assert(stage);
  const Duration grace = (*stage)->flags().loop.policy.monitor_grace;
  const Duration end = end_of(scenario);
  Meter meter(
      given_nodes(scenario),
      {.start = (*stage)->origin(), .grace = grace, .endless = endless_steps(scenario, end)});
  (*stage)->show_to(meter);
  play(**stage, scenario, end);
  return std::move(meter).finish((*stage)->origin() + end);
}

}  // namespace nlc::sim::experiment
