#include "sim/scenario/stage/case_flags.h"

#include "sim/scenario/stage/program_flags.h"

namespace nlc::sim::scenario {
namespace {

/// Those that our program knows. The others belong to releases whose rules are not ours.
std::string gates_of(const Scenario& scenario) {
  std::string gates;
  for (const auto& [name, value] : scenario.feature_gates) {
    const std::string gate = name + "=" + value;
    if (!controller::read_feature_gates({gate})) continue;
    gates += (gates.empty() ? "" : ",") + gate;
  }
  return gates;
}

/// There is one replica unless the case says otherwise: it acts from the start. Several contend.
Settings settings_of(const Scenario& scenario, const Settings& wins) {
  Settings settings = scenario.flags;
  const bool stands_by = has_step<StartController>(
      scenario, [](const auto& start, const Step&) { return start.held_until.has_value(); });
  const bool named = has_step<StartController>(
      scenario, [](const auto& start, const Step&) { return !start.replica.empty(); });
  if (stands_by || value_in(settings, "leader-elect", "").empty()) {
    set_flag(settings, "leader-elect", stands_by || named ? "true" : "false");
  }
  const std::string gates = gates_of(scenario);
  if (!gates.empty()) set_flag(settings, "feature-gates", gates);
  for (const auto& [name, value] : wins) set_flag(settings, name, value);
  return settings;
}

Result<program::Flags> read_flags(const Settings& settings) {
  program::CommandLine line = read_program_flags(settings);
  if (line.flags) return *line.flags;
  while (!line.text.empty() && line.text.back() == '\n') line.text.pop_back();
  return bad_input(line.text);
}

/// An observer is refused flags that say how to act; those of the case are meant for the others.
void without_those_for_acting(Settings& settings) {
  std::erase_if(settings, [](const auto& flag) {
    return flag.first == "on-lost" || flag.first == "standby" ||
           flag.first == "leader-elect-resource-lock";
  });
}

/// Of replicas that are not like the others, by their names.
Result<std::map<std::string, program::Flags>> own_flags_of(const Scenario& scenario,
                                                           const Settings& settings) {
  std::map<std::string, program::Flags> own;
  for (const Step& step : scenario.timeline) {
    const auto* start = step.as<StartController>();
    if (start == nullptr || start->flags.empty()) continue;
    Settings all = settings;
    for (const auto& [name, value] : start->flags) set_flag(all, name, value);
    if (value_in(all, "observe", "") == "true") without_those_for_acting(all);
    Result<program::Flags> flags = read_flags(all);
    if (!flags) return std::move(flags.error());
    own.insert_or_assign(start->replica, *std::move(flags));
  }
  return own;
}

}  // namespace

Result<CaseFlags> flags_of(const Scenario& scenario, const Settings& wins) {
  Settings settings = settings_of(scenario, wins);
  Result<program::Flags> common = read_flags(settings);
  if (!common) return std::move(common.error());
  auto own = own_flags_of(scenario, settings);
  if (!own) return std::move(own.error());
  return CaseFlags{std::move(settings), *std::move(common), *std::move(own)};
}

std::string value_in(const Settings& settings, const std::string& name,
                     const std::string& otherwise) {
  for (const auto& [known, value] : settings) {
    if (known == name) return value;
  }
  return otherwise;
}

}  // namespace nlc::sim::scenario
