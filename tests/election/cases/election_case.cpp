#include "tests/election/cases/election_case.h"

#include <absl/strings/str_join.h>
#include <algorithm>
#include <cassert>

#include "election/leader_status.h"
#include "runtime/go_duration.h"
#include "tests/yaml_file.h"

namespace nlc::election::testing {

std::vector<ElectionCase> election_cases() {
  const yaml::Value file = tests::yaml_file(NLC_CONFORMANCE_DIR "/cases/election-informer.yaml");
  std::vector<ElectionCase> cases;
  for (const yaml::Value& entry : file["cases"].list) {
    const std::string area = entry["area"].text;
    if (!area.starts_with("election-") && area != "sidecar") continue;
    cases.push_back({.id = entry["id"].text,
                     .area = area,
                     .title = entry["title"].text,
                     .inputs = entry["inputs"],
                     .expected = entry["expected"]});
  }
  return cases;
}

std::map<std::string, std::string> deviations() {
  const yaml::Value file = tests::yaml_file(NLC_CONFORMANCE_DIR "/deviations.yaml");
  return yaml::json_of(file["sentences"]);
}

Differences run_case(const ElectionCase& one) {
  using Runner = Differences (*)(const ElectionCase&);
  static const std::map<std::string, Runner> runners{
      {"election-config", run_config},    {"election-attempt", run_script},
      {"election-multilock", run_script}, {"election-coordinated", run_script},
      {"election-release", run_release},  {"election-health", run_health},
      {"election-lock", run_lock},        {"election-loop", run_story},
      {"election-safety", run_story},     {"sidecar", run_sidecar}};
  const auto runner = runners.find(one.area);
  if (runner == runners.end()) return {"nobody runs the area " + one.area};
  return runner->second(one);
}

Duration duration_of(const yaml::Value& node) {
  std::string text = node.text;
  if (text.starts_with("+")) text.erase(0, 1);
  const std::optional<Duration> duration = parse_go_duration(text);
  assert(duration);
  return *duration;
}

Duration duration_or(const yaml::Value& node, Duration otherwise) {
  return node.is_defined() ? duration_of(node) : otherwise;
}

ElectionOptions options_of(const yaml::Value& inputs) {
  using namespace std::chrono_literals;
  return {.identity = inputs["self"].is_defined() ? inputs["self"].text : "baz",
          .lease_namespace = "foo",
          .lease_name = "bar",
          .lease_duration = duration_or(inputs["L"], 10s),
          .renew_deadline = duration_or(inputs["D"], 5s),
          .retry_period = duration_or(inputs["P"], 2s)};
}

std::string shown(const yaml::Value& node) {
  if (node.is_text()) return node.text;
  std::vector<std::string> parts;
  for (const yaml::Value& element : node.list) parts.push_back(shown(element));
  for (const auto& [key, line, value] : node.map) parts.push_back(key + ": " + shown(value));
  return shown(parts);
}

std::string shown(const std::vector<std::string>& words) {
  return "[" + absl::StrJoin(words, ", ") + "]";
}

void compare(Differences& differences, const std::string& what, const std::string& ours,
             const std::string& wanted) {
  if (ours != wanted) differences.push_back(what + ": " + ours + " instead of " + wanted);
}

void compare_timing(Differences& differences, const ElectionOptions& ours,
                    const yaml::Value& expected) {
  const auto duration = [&](const char* key, Duration mine) {
    if (!expected[key].is_defined()) return;
    compare(differences, key, go_duration(mine), go_duration(duration_of(expected[key])));
  };
  duration("L", ours.lease_duration);
  duration("D", ours.renew_deadline);
  duration("P", ours.retry_period);
}

void know_all(Differences& differences, const yaml::Value& node,
              const std::vector<std::string>& known) {
  for (const auto& [key, line, value] : node.map) {
    if (std::ranges::find(known, key) == known.end()) differences.push_back("unknown: " + key);
  }
}

Differences run_config(const ElectionCase& one) {
  Differences differences;
  know_all(differences, one.inputs, {"L", "D", "P", "self", "flags"});
  know_all(differences, one.expected, {"error", "message", "L", "D", "P", "leaderElect"});
  const ElectionOptions defaults{.identity = "baz"};
  const bool of_defaults = one.inputs["flags"].is_defined();
  const ElectionOptions options = of_defaults ? defaults : options_of(one.inputs);
  const auto bad = check(options);
  if (const yaml::Value& error = one.expected["error"]; error.is_defined()) {
    compare(differences, "error", bad ? "true" : "false", shown(error));
  }
  if (const yaml::Value& message = one.expected["message"]; message.is_defined()) {
    compare(differences, "message", bad ? bad->message : "", message.text);
  }
  compare_timing(differences, options, one.expected);
  return differences;
}

Differences run_health(const ElectionCase& one) {
  Differences differences;
  know_all(differences, one.inputs,
           {"elector", "L", "timeout", "name", "holder", "sinceObservation"});
  know_all(differences, one.expected, {"healthy", "message"});
  LeaderStatus status;
  const Instant renewed = Instant{} + std::chrono::hours(1);
  Instant now = renewed;
  if (!one.inputs["elector"].is_defined()) {
    status.lock = one.inputs["name"].text;
    status.holds = one.inputs["holder"].text == "self";
    status.lease = duration_of(one.inputs["L"]);
    status.renewed = renewed;
    now += duration_of(one.inputs["sinceObservation"]);
  }
  const auto failure = renewal_failure(status, now, duration_of(one.inputs["timeout"]));
  compare(differences, "healthy", failure ? "false" : "true", shown(one.expected["healthy"]));
  if (const yaml::Value& message = one.expected["message"]; message.is_defined()) {
    compare(differences, "message", failure.value_or(""), message.text);
  }
  return differences;
}

}  // namespace nlc::election::testing
