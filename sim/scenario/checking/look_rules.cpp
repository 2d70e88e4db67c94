#include "sim/rules/reference_model.h"
#include "sim/scenario/checking/look.h"

namespace nlc::sim::scenario {

Seen look_at(const RulesCheck&, const Stage& stage) {
  const auto& broken = stage.rules()->broken();
  if (!broken) return {.holds = true, .what = {}};
  return {.holds = false, .what = "rule \"" + broken->rule + "\": " + broken->what};
}

Seen look_at(const SettledCheck& check, const Stage& stage) {
  const std::vector<std::string> found = rules::differences(
      stage.storage(), *stage.rules(), stage.origin() + stage.offset(), check.quiet);
  if (found.empty()) return {.holds = true, .what = {}};
  std::string what = "settled: " + found.front();
  if (found.size() > 1) what += " (and " + std::to_string(found.size() - 1) + " more)";
  return {.holds = false, .what = what};
}

}  // namespace nlc::sim::scenario
