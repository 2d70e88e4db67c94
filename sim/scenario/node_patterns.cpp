#include "sim/scenario/node_patterns.h"

#include <algorithm>
#include <vector>

namespace nlc::sim::scenario {
namespace {

using Names = std::vector<std::string>;

void add_node(Names& names, const nlohmann::json& object) {
  if (object.value("kind", "") != "Node") return;
  const std::string name = object["metadata"]["name"].get<std::string>();
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

Names nodes_of(const Scenario& scenario) {
  Names names;
  for (const nlohmann::json& object : scenario.given) add_node(names, object);
  for (const Step& step : scenario.timeline) {
    const auto* apply = std::get_if<Apply>(&step.action);
    if (apply == nullptr) continue;
    for (const nlohmann::json& object : apply->objects) add_node(names, object);
  }
  return names;
}

Names* nodes_in(Step& step) {
  if (auto* heartbeat = std::get_if<Heartbeat>(&step.action)) return &heartbeat->nodes;
  if (auto* renewal = std::get_if<RenewLease>(&step.action)) return &renewal->nodes;
  return nullptr;
}

bool is_pattern(const std::string& name) { return name.find('*') != std::string::npos; }

}  // namespace

bool matches_pattern(std::string_view pattern, std::string_view name) {
  const std::size_t star = pattern.find('*');
  if (star == pattern.npos) return pattern == name;
  if (!name.starts_with(pattern.substr(0, star))) return false;
  const std::string_view rest = pattern.substr(star + 1);
  for (std::size_t from = star; from <= name.size(); ++from) {
    if (matches_pattern(rest, name.substr(from))) return true;
  }
  return false;
}

void resolve_patterns(Scenario& scenario, Problems& problems) {
  Names known;
  for (Step& step : scenario.timeline) {
    Names* wanted = nodes_in(step);
    if (wanted == nullptr || std::ranges::none_of(*wanted, is_pattern)) continue;
    if (known.empty()) known = nodes_of(scenario);
    Names names;
    for (const std::string& name : *wanted) {
      if (!is_pattern(name)) {
        names.push_back(name);
        continue;
      }
      const std::size_t before = names.size();
      std::ranges::copy_if(known, std::back_inserter(names), [&](const std::string& candidate) {
        return matches_pattern(name, candidate);
      });
      if (names.size() == before) {
        problems.add(step.line, "the pattern " + name + " found, a pattern of a node expected");
      }
    }
    *wanted = std::move(names);
  }
}

}  // namespace nlc::sim::scenario
