#include "sim/experiment/grid.h"

#include <absl/strings/str_join.h>
#include <absl/strings/str_split.h>
#include <algorithm>

#include "sim/scenario/stage/program_flags.h"

namespace nlc::sim::experiment {
namespace {

/// Without the program's name, the newline, and the hint at a help text that is another program's.
std::string bare(std::string line) {
  if (const std::size_t colon = line.find(": "); colon != line.npos) line.erase(0, colon + 2);
  while (!line.empty() && line.back() == '\n') line.pop_back();
  const std::string_view hint = " (see --help)";
  if (line.ends_with(hint)) line.resize(line.size() - hint.size());
  return line;
}

bool knows(const program::CommandLine& line) {
  return line.text.find("not expected") == std::string::npos;
}

/// Why one value of the axis cannot be; empty when it can.
std::string fault_of(const Axis& axis, const std::string& value) {
  if (value.empty()) return "a value is empty; values stand between commas, such as 2s,5s";
  if (std::ranges::count(axis.values, value) > 1) return "the value " + value + " is there twice";
  const program::CommandLine line = scenario::read_program_flags({{axis.flag, value}});
  if (line.flags) return {};
  return knows(line) ? bare(line.text) : "the controller has no flag --" + axis.flag;
}

}  // namespace

Result<Axis> axis_of(std::string_view text) {
  const std::string given = "--vary " + std::string(text) + ": ";
  const std::size_t equals = text.find('=');
  std::string_view flag = text.substr(0, equals);
  while (flag.starts_with('-')) flag.remove_prefix(1);
  if (equals == text.npos || flag.empty()) {
    return bad_input(given + "must be FLAG=VALUE,…, such as node-monitor-period=2s,5s");
  }
  Axis axis{.flag = std::string(flag),
            .values = absl::StrSplit(std::string(text.substr(equals + 1)), ',')};
  for (const std::string& value : axis.values) {
    const std::string fault = fault_of(axis, value);
    if (!fault.empty()) return bad_input(given + fault);
  }
  return axis;
}

std::vector<Setting> settings_of(const std::vector<Axis>& axes) {
  std::vector<Setting> settings{{}};
  for (const Axis& axis : axes) {
    std::vector<Setting> longer;
    for (const Setting& setting : settings) {
      for (const std::string& value : axis.values) {
        longer.push_back(setting);
        longer.back().emplace_back(axis.flag, value);
      }
    }
    settings = std::move(longer);
  }
  return settings;
}

Result<controller::Policy> policy_of(const Setting& scenario, const Setting& setting) {
  Setting all = scenario;
  for (const auto& [flag, value] : setting) scenario::set_flag(all, flag, value);
  const program::CommandLine line = scenario::read_program_flags(all);
  if (line.flags) return line.flags->loop.policy;
  return bad_input("--" + absl::StrJoin(all, " --", absl::PairFormatter("=")) + ": " +
                   bare(line.text));
}

std::string values_of(const Setting& setting) {
  return absl::StrJoin(setting, ", ",
                       [](std::string* text, const auto& flag) { *text += flag.second; });
}

}  // namespace nlc::sim::experiment
