#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "sim/scenario/run.h"

/// Cases as short as their question: two nodes that are Ready at first, of which node1 heartbeats
/// for ever and node0 never, with the controller started at once and a grace of 40 s.
namespace nlc::sim::scenario::testing {

inline constexpr std::string_view two_nodes =
    "  - {apiVersion: v1, kind: Node, metadata: {name: node0, creationTimestamp: "
    "'2012-01-01T00:00:00Z'}, status: {conditions: [{type: Ready, status: 'True', "
    "lastHeartbeatTime: '2015-01-01T12:00:00Z', lastTransitionTime: '2015-01-01T12:00:00Z'}]}}\n"
    "  - {apiVersion: v1, kind: Node, metadata: {name: node1, creationTimestamp: "
    "'2012-01-01T00:00:00Z'}, status: {conditions: [{type: Ready, status: 'True', "
    "lastHeartbeatTime: '2015-01-01T12:00:00Z', lastTransitionTime: '2015-01-01T12:00:00Z'}]}}\n";

inline constexpr std::string_view one_pod =
    "  - {apiVersion: v1, kind: Pod, metadata: {namespace: default, name: pod0}, spec: {nodeName: "
    "node0, tolerations: [{operator: Exists}]}, status: {conditions: [{type: Ready, status: "
    "'True'}]}}\n";

struct Parts {
  std::vector<std::string> flags;
  std::string given = std::string(two_nodes) + std::string(one_pod);
  std::string start = "{at: 0s, start: controller}";
  std::vector<std::string> timeline;
  std::vector<std::string> expect;
};

inline std::string text_of(const Parts& parts) {
  std::string text = "cases:\n- id: T-1\n  title: a small case\n  start: '2015-01-01T12:00:00Z'\n";
  text += "  flags: {node-monitor-grace-period: 40s, node-monitor-period: 5s";
  for (const std::string& flag : parts.flags) text += ", " + flag;
  text += "}\n  given:\n" + parts.given + "  timeline:\n  - " + parts.start + "\n";
  const bool has_node1 = parts.given.find("name: node1") != std::string::npos;
  text += has_node1
              ? "  - {from: 0s, until: 10m, every: 10s, heartbeat: {node: node1, ready: 'True'}}\n"
              : "  - {at: 10m, note: the end}\n";
  for (const std::string& step : parts.timeline) text += "  - " + step + "\n";
  text += "  expect:\n";
  if (parts.expect.empty()) text += "  - {when: {at: 0s}, that: [{process: alive}]}\n";
  for (const std::string& expectation : parts.expect) text += "  - " + expectation + "\n";
  return text;
}

inline Scenario case_of(const Parts& parts) {
  Result<ScenarioFile> file = read_scenario_text(text_of(parts), "small.yaml");
  if (!file) ADD_FAILURE() << file.error().path;
  if (!file) return {};
  if (parts.expect.empty()) file->cases.at(0).expect.clear();
  return file->cases.at(0);
}

/// What could not be understood of it.
inline std::string problem_of(const Parts& parts) {
  const Scenario scenario = case_of(parts);
  if (scenario.problems.size() != 1) return std::to_string(scenario.problems.size()) + " problems";
  return scenario.problems[0].expectation + " " + scenario.problems[0].seen;
}

inline std::string expecting(const std::string& when, const std::string& that) {
  return "{when: {" + when + "}, that: [" + that + "]}";
}

inline Outcome play(const Parts& parts, const RunOptions& options = {}) {
  return run_scenario(case_of(parts), options);
}

/// What the first failure of the case saw; empty when it passed.
inline std::string seen_in(const Parts& parts) {
  const Outcome outcome = play(parts);
  return outcome.failures.empty() ? "" : outcome.failures.front().seen;
}

}  // namespace nlc::sim::scenario::testing
