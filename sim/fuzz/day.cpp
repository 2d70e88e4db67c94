#include "sim/fuzz/day.h"

#include "runtime/go_duration.h"

namespace nlc::sim::fuzz {
namespace {

void list(std::string& text, const std::string& key, const std::vector<Line>& lines) {
  text += "  " + key + ":\n";
  for (const Line& line : lines) {
    for (const std::string& one : line.texts) text += "  - {" + one + "}\n";
  }
}

}  // namespace

std::string scenario_text(const Day& day) {
  std::string text = "cases:\n- id: FUZZ-" + std::to_string(day.seed) + "\n  title: Day " +
                     std::to_string(day.seed) + ", trouble until " + go_duration(day.trouble_ends) +
                     "\n  start: '2026-01-01T12:00:00Z'\n  seed: " + std::to_string(day.seed) +
                     "\n  flags: {";
  for (const Line& flag : day.flags) text += (text.back() == '{' ? "" : ", ") + flag.texts.front();
  text += "}\n";
  list(text, "given", day.given);
  list(text, "timeline", day.timeline);
  const std::string end = go_duration(day.ends);
  text += "  expect:\n  - {when: {holds: [0s, " + end + "]}, that: [{rules: kept}]}\n" +
          "  - {when: {at: " + end + "}, that: [{settled: 60s}]}\n";
  return text;
}

}  // namespace nlc::sim::fuzz
