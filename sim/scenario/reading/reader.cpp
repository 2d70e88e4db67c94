#include <map>
#include <optional>

#include "runtime/utf8.h"
#include "sim/scenario/model/scenario.h"
#include "sim/scenario/reading/file_text.h"
#include "sim/scenario/reading/known_names.h"
#include "sim/scenario/reading/limits.h"
#include "sim/scenario/reading/manifest.h"
#include "sim/scenario/reading/node_patterns.h"
#include "sim/scenario/reading/object_names.h"
#include "sim/scenario/reading/patches.h"
#include "sim/scenario/reading/read_checks.h"
#include "sim/scenario/reading/read_steps.h"
#include "sim/scenario/reading/replica_names.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

constexpr std::size_t longest_id = 100;

WallTime start_of(Fields& fields) {
  const Yaml& node = fields.find("start");
  if (!node.is_defined()) return *parse_rfc3339("2026-01-01T00:00:00Z");
  const std::optional<WallTime> start = parse_rfc3339(scalar_text(node, "a timestamp"));
  if (!start) refuse(node, "a timestamp such as 2026-01-01T12:00:00Z");
  return *start;
}

std::optional<std::uint64_t> seed_of(Fields& fields) {
  const Yaml& node = fields.find("seed");
  if (!node.is_defined()) return std::nullopt;
  const nlohmann::json seed = json_of(node);
  if (!seed.is_number_integer()) refuse(node, "a whole number for seed");
  if (!seed.is_number_unsigned() && seed.get<std::int64_t>() < 0) refuse(node, "seed of 0 or more");
  return seed.get<std::uint64_t>();
}

/// It stands in every line about the case.
std::string id_of(Fields& fields) {
  std::string id = fields.need_text("id");
  if (id.empty() || id.size() > longest_id || one_line(id) != id) {
    refuse(fields.find("id"),
           "an id of one line and at most " + std::to_string(longest_id) + " bytes");
  }
  return id;
}

void check_names(const Scenario& scenario, Problems& problems) {
  check_replica_names(scenario, problems);
  // Cases that tell of upstream may speak of what is not there: it does not, either.
  if (!scenario.kind.empty()) return;
  const KnownNames known(scenario);
  check_object_names(scenario, known, problems);
  check_patches(scenario, known, problems);
}

void read_contents(Fields& fields, Scenario& scenario) {
  scenario.title = error_line(fields.text("title"));
  scenario.kind = fields.text("kind");
  scenario.applies_to = fields.text("applies_to");
  scenario.refs = fields.texts("refs");
  scenario.seed = seed_of(fields).value_or(scenario.seed);
  scenario.start = start_of(fields);
  scenario.skips_impossible = fields.truth("skip_impossible").value_or(false);
  scenario.flags = settings_of(fields.find("flags"));
  scenario.feature_gates = settings_of(fields.find("feature_gates"));
  Problems& problems = fields.problems();
  if (const Yaml& given = fields.find("given"); given.is_defined()) {
    scenario.given = given_of(given, scenario.start, problems);
  }
  if (const Yaml& timeline = fields.find("timeline"); timeline.is_defined()) {
    for (const Yaml& step : each_of(timeline)) {
      scenario.timeline.push_back(step_of(step, problems));
    }
  }
  resolve_patterns(scenario, problems);
  const Yaml& expect = fields.need("expect");
  some_of(expect, "an expectation");
  scenario.expect = expectations_of(expect, problems);
  check_names(scenario, problems);
  check_limits(scenario, problems);
}

/// What a case does wrong is its own problem; without an id it could not even be told of.
Scenario scenario_of(const Yaml& node, const std::string& file) {
  Problems problems{.file = file};
  Fields fields(node, "a case", problems);
  Scenario scenario{.id = id_of(fields)};
  scenario.line = fields.line();
  // Told by the authors for readers, or another way to run the same case.
  for (const char* key : {"area", "source", "verified", "stepped"}) fields.find(key);
  try {
    read_contents(fields, scenario);
    fields.finish();
  } catch (Malformed& malformed) {
    problems.add(std::move(malformed));
  }
  scenario.problems = std::move(problems.found);
  return scenario;
}

const std::vector<Yaml>& list_in(const Yaml& root, const char* key) {
  const Yaml& list = root[key];
  if (!list.is_defined() || list.is_list() || list.is_null()) return list.list;
  refuse(list, std::string("a list of ") + key);
}

ScenarioFile file_of(const Yaml& root, const std::string& name) {
  if (!root.is_map()) refuse(root, "a map with cases");
  ScenarioFile file;
  std::map<std::string, int> lines;
  for (const Yaml& node : list_in(root, "cases")) {
    const Scenario& scenario = file.cases.emplace_back(scenario_of(node, name));
    const auto [first, is_new] = lines.emplace(scenario.id, scenario.line);
    if (is_new) continue;
    throw Malformed{scenario.line, "the id " + scenario.id + " found a second time, an id of " +
                                       "its own expected (line " + std::to_string(first->second) +
                                       " has it)"};
  }
  file.units = list_in(root, "unit").size();
  // To say that nothing failed where nothing ran would be a lie.
  if (file.cases.empty() && file.units == 0) {
    throw Malformed{root.line, "no case found, cases expected"};
  }
  return file;
}

}  // namespace

Result<ScenarioFile> read_scenario_text(std::string_view text, std::string_view name) {
  try {
    return file_of(yaml::read(text), std::string(name));
  } catch (const Malformed& found) {
    return malformed(name, found.line, found.words);
  }
}

Result<ScenarioFile> read_scenarios(const std::string& path) {
  Result<std::string> text = text_of_file(path);
  if (!text) return std::move(text.error());
  return read_scenario_text(*text, path);
}

}  // namespace nlc::sim::scenario
