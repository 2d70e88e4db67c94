#include "sim/scenario/deviations.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "sim/scenario/reading/fields.h"
#include "sim/scenario/reading/file_text.h"
#include "sim/scenario/reading/read_checks.h"
#include "sim/scenario/reading/yaml_value.h"

namespace nlc::sim::scenario {
namespace {

long long issue_of(const Yaml& node) {
  const nlohmann::json value = json_of(node);
  if (!value.is_number_integer()) refuse(node, "the number of an issue");
  return value.get<long long>();
}

Reason reason_of(const std::string& name, const Yaml& node, Problems& problems) {
  Fields fields(node, "a reason", problems);
  Reason reason{.name = name, .title = fields.need_text("title")};
  reason.releases_text = fields.need_text("releases");
  const std::optional<Releases> releases = read_releases(reason.releases_text);
  if (!releases) {
    throw Malformed{node.line, "releases \"" + reason.releases_text + "\" of " + name +
                                   " found, all, '>=1.37', <=1.36 or 1.18..1.20 expected"};
  }
  reason.releases = *releases;
  reason.defects = fields.texts("defects");
  if (const Yaml& issues = fields.find("issues"); issues.is_defined()) {
    for (const Yaml& issue : each_of(issues)) reason.issues.push_back(issue_of(issue));
  }
  reason.users = fields.need_text("users");
  reason.ours = fields.need_text("ours");
  reason.better = fields.need_text("better");
  reason.proved_by = fields.texts("proved_by");
  fields.finish();
  return reason;
}

Deviation deviation_of(const Yaml& node, Problems& problems) {
  Fields fields(node, "a deviating case", problems);
  Deviation deviation{.id = fields.need_text("id"), .reason = fields.need_text("reason")};
  deviation.line = fields.line();
  deviation.better = fields.text("better");
  if (const Yaml& expect = fields.find("expect"); expect.is_defined()) {
    deviation.expect = expectations_of(expect, problems);
  }
  fields.finish();
  if (deviation.expect.empty()) {
    throw Malformed{deviation.line,
                    deviation.id + " found without what holds in its place, expect expected"};
  }
  return deviation;
}

void add_case(Deviations& deviations, Deviation deviation) {
  const auto known = std::ranges::find(deviations.reasons, deviation.reason, &Reason::name);
  if (known == deviations.reasons.end()) {
    throw Malformed{deviation.line, "the reason \"" + deviation.reason +
                                        "\" found, one of those under reasons expected"};
  }
  if (deviations.find(deviation.id) != nullptr) {
    throw Malformed{deviation.line, deviation.id + " found again, each case once expected"};
  }
  deviations.cases.push_back(std::move(deviation));
}

/// The first problem is the file's.
void refuse_problems(const Problems& problems) {
  if (problems.found.empty()) return;
  const Failure& first = problems.found.front();
  const std::size_t colon = first.expectation.rfind(':');
  throw Malformed{std::stoi(first.expectation.substr(colon + 1)), first.seen};
}

Deviations deviations_of(const Yaml& root, const std::string& file) {
  Problems problems{.file = file};
  Fields fields(root, "a file of deviations", problems);
  Deviations deviations;
  const Yaml& reasons = fields.need("reasons");
  if (!reasons.is_map()) throw Malformed{reasons.line, "no map of reasons found, one expected"};
  for (const Yaml::Entry& reason : reasons.map) {
    deviations.reasons.push_back(reason_of(reason.key, reason.value, problems));
  }
  for (const Yaml& entry : each_of(fields.need("cases"))) {
    add_case(deviations, deviation_of(entry, problems));
  }
  for (const char* key : {"unit", "sentences"}) fields.find(key);
  fields.finish();
  refuse_problems(problems);
  return deviations;
}

}  // namespace

const Deviation* Deviations::find(std::string_view id) const {
  const auto found = std::ranges::find(cases, id, &Deviation::id);
  return found == cases.end() ? nullptr : &*found;
}

const Reason& Deviations::reason_of(const Deviation& deviation) const {
  const auto found = std::ranges::find(reasons, deviation.reason, &Reason::name);
  assert(found != reasons.end());
  return *found;
}

Result<Deviations> read_deviation_text(std::string_view text, std::string_view name) {
  try {
    return deviations_of(yaml::read(text), std::string(name));
  } catch (const Malformed& found) {
    return malformed(name, found.line, found.words);
  }
}

Result<Deviations> read_deviations(const std::string& path) {
  Result<std::string> text = text_of_file(path);
  if (!text) return std::move(text.error());
  return read_deviation_text(*text, path);
}

Outcome settled(Outcome as_written, const Outcome& ours) {
  if (as_written.failures.empty()) {
    as_written.verdict = Verdict::Failed;
    as_written.failures = {{"listed as deviating", "it passes as written"}};
  } else if (!ours.failures.empty()) {
    as_written.verdict = Verdict::Failed;
    as_written.failures.clear();
    for (const Failure& failure : ours.failures) {
      as_written.failures.push_back({"of ours: " + failure.expectation, failure.seen});
    }
  } else {
    as_written.verdict = Verdict::Deviating;
  }
  return as_written;
}

Outcome run_listed(const Scenario& scenario, const Deviation* listed, const RunOptions& options) {
  Outcome as_written = run_scenario(scenario, options);
  if (listed == nullptr) return as_written;
  RunOptions ours = options;
  ours.expect = listed->expect;
  ours.trace = nullptr;
  return settled(std::move(as_written), run_scenario(scenario, ours));
}

}  // namespace nlc::sim::scenario
