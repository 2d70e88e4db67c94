#include "sim/fuzz/day.h"

#include <algorithm>

#include "runtime/go_duration.h"
#include "sim/fuzz/day_name.h"

namespace nlc::sim::fuzz {
namespace {

void list(std::string& text, const std::string& key, const std::vector<Line>& lines) {
  text += "  " + key + ":\n";
  for (const Line& line : lines) {
    for (const std::string& one : line.texts) text += "  - {" + one + "}\n";
  }
}

std::string says_ready(const std::string& status) {
  return "}, status: {conditions: [{type: Ready, status: '" + status + "'}]}";
}

}  // namespace

std::string during(Span span) {
  return "from: " + go_duration(span.from) + ", until: " + go_duration(span.until);
}

std::string replica_words(const std::string& name) {
  return name.empty() ? "" : ", replica: " + name;
}

std::string node_words(const std::string& name, const std::string& labels, const char* ready) {
  const std::string labelled = labels.empty() ? "" : ", labels: {" + labels + "}";
  return "apiVersion: v1, kind: Node, metadata: {name: " + name + labelled + says_ready(ready);
}

std::string pod_words(const std::string& name, const std::string& spec) {
  return "apiVersion: v1, kind: Pod, metadata: {name: " + name + "}, spec: {" + spec +
         says_ready("True");
}

std::string policy_words(std::string_view data) {
  return "apiVersion: v1, kind: ConfigMap, metadata: {namespace: kube-system, name: "
         "node-lifecycle-controller-policy}, data: {" +
         std::string(data) + "}";
}

std::string outage_tolerations(const std::string& seconds) {
  const auto of = [&](const char* taint) {
    return std::string("{key: node.kubernetes.io/") + taint +
           ", operator: Exists, effect: NoExecute, tolerationSeconds: " + seconds + "}";
  };
  return "[" + of("unreachable") + ", " + of("not-ready") + "]";
}

std::vector<std::string> ghost_words(const std::string& name, const std::string& labels,
                                     Duration at) {
  using std::chrono::seconds;
  return {"at: " + go_duration(at) + ", apply: {" + node_words(name, labels, "False") + "}",
          "at: " + go_duration(at + seconds(2)) + ", delete: {kind: Node, name: " + name + "}",
          "at: " + go_duration(at + seconds(4)) + ", replay: {kind: Node, name: " + name +
              ", as_of: " + go_duration(at + seconds(1)) + ", as_new: true}"};
}

std::vector<std::string> kubelet_words(const std::string& node, Duration from, Duration until,
                                       const std::string& how, const char* ready) {
  const std::string span = during({from, until}) + ", every: 10s, ";
  return {span + "renew_lease: {node: " + node + how + "}",
          span + "heartbeat: {node: " + node + ", ready: '" + ready + "', only_changes: true" +
              how + "}"};
}

void add_flag(Day& day, const std::string& name, std::string_view value, const std::string& kind) {
  day.flags.push_back({.kind = kind, .texts = {name + ": " + std::string(value)}});
}

bool has(const std::vector<Line>& lines, std::string_view kind) {
  return std::ranges::any_of(lines, [&](const Line& line) { return line.kind.starts_with(kind); });
}

bool by_timeouts(const Day& day) { return has(day.flags, "flag: by timeouts"); }

std::string scenario_text(const Day& day) {
  std::string text = "cases:\n- id: FUZZ-" + std::to_string(day.seed) + "\n  title: Day " +
                     day_name(day.seed) + ", trouble until " + go_duration(day.trouble_ends) +
                     "\n  start: '2026-01-01T12:00:00Z'\n  seed: " + std::to_string(day.seed) +
                     "\n  skip_impossible: true\n  flags: {";
  for (const Line& flag : day.flags) text += (text.back() == '{' ? "" : ", ") + flag.texts.front();
  text += "}\n";
  list(text, "given", day.given);
  list(text, "timeline", day.timeline);
  const std::string end = go_duration(day.ends);
  text += "  expect:\n  - {when: {holds: [0s, " + end + "]}, that: [{rules: kept}]}\n";
  if (day.settles) text += "  - {when: {at: " + end + "}, that: [{settled: 60s}]}\n";
  return text;
}

}  // namespace nlc::sim::fuzz
