#include "tests/election/election_case.h"

#include <algorithm>
#include <cassert>

#include "election/leader_status.h"
#include "runtime/go_duration.h"

namespace nlc::election::testing {

std::vector<ElectionCase> election_cases() {
  const YAML::Node file =
      YAML::LoadFile(NLC_CONFORMANCE_DIR "/cases/election-informer.yaml")["cases"];
  std::vector<ElectionCase> cases;
  for (const YAML::Node& entry : file) {
    const std::string area = entry["area"].as<std::string>();
    if (!area.starts_with("election-") && area != "sidecar") continue;
    cases.push_back({.id = entry["id"].as<std::string>(),
                     .area = area,
                     .title = entry["title"].as<std::string>(),
                     .inputs = entry["inputs"],
                     .expected = entry["expected"]});
  }
  return cases;
}

std::map<std::string, std::string> deviations() {
  return YAML::LoadFile(NLC_CONFORMANCE_DIR "/deviations.yaml")["sentences"]
      .as<std::map<std::string, std::string>>();
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

Duration duration_of(const YAML::Node& node) {
  std::string text = node.as<std::string>();
  if (text.starts_with("+")) text.erase(0, 1);
  const std::optional<Duration> duration = parse_go_duration(text);
  assert(duration);
  return *duration;
}

Duration duration_or(const YAML::Node& node, Duration otherwise) {
  return node ? duration_of(node) : otherwise;
}

ElectionOptions options_of(const YAML::Node& inputs) {
  using namespace std::chrono_literals;
  return {.identity = inputs["self"] ? inputs["self"].as<std::string>() : "baz",
          .lease_namespace = "foo",
          .lease_name = "bar",
          .lease_duration = duration_or(inputs["L"], 10s),
          .renew_deadline = duration_or(inputs["D"], 5s),
          .retry_period = duration_or(inputs["P"], 2s)};
}

std::string shown(const YAML::Node& node) {
  YAML::Emitter out;
  out << YAML::Flow << node;
  return out.c_str();
}

void compare(Differences& differences, const std::string& what, const std::string& ours,
             const std::string& wanted) {
  if (ours != wanted) differences.push_back(what + ": " + ours + " instead of " + wanted);
}

void know_all(Differences& differences, const YAML::Node& node,
              const std::vector<std::string>& known) {
  for (const auto& entry : node) {
    const std::string key = entry.first.as<std::string>();
    if (std::ranges::find(known, key) == known.end()) differences.push_back("unknown: " + key);
  }
}

Differences run_config(const ElectionCase& one) {
  Differences differences;
  know_all(differences, one.inputs, {"L", "D", "P", "self", "flags"});
  know_all(differences, one.expected, {"error", "message", "L", "D", "P", "leaderElect"});
  const ElectionOptions defaults{.identity = "baz"};
  const bool of_defaults = one.inputs["flags"].IsDefined();
  const ElectionOptions options = of_defaults ? defaults : options_of(one.inputs);
  const auto bad = check(options);
  if (const YAML::Node error = one.expected["error"]) {
    compare(differences, "error", bad ? "true" : "false", shown(error));
  }
  if (const YAML::Node message = one.expected["message"]) {
    compare(differences, "message", bad ? bad->message : "", message.as<std::string>());
  }
  const auto duration = [&](const char* key, Duration ours) {
    if (!one.expected[key]) return;
    compare(differences, key, go_duration(ours), go_duration(duration_of(one.expected[key])));
  };
  duration("L", options.lease_duration);
  duration("D", options.renew_deadline);
  duration("P", options.retry_period);
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
  if (!one.inputs["elector"].IsDefined()) {
    status.lock = one.inputs["name"] ? one.inputs["name"].as<std::string>() : "";
    status.holds = one.inputs["holder"].as<std::string>() == "self";
    status.lease = duration_of(one.inputs["L"]);
    status.renewed = renewed;
    now += duration_of(one.inputs["sinceObservation"]);
  }
  const auto failure = renewal_failure(status, now, duration_of(one.inputs["timeout"]));
  compare(differences, "healthy", failure ? "false" : "true", shown(one.expected["healthy"]));
  if (const YAML::Node message = one.expected["message"]) {
    compare(differences, "message", failure.value_or(""), message.as<std::string>());
  }
  return differences;
}

}  // namespace nlc::election::testing
