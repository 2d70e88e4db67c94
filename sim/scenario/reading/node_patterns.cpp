#include "sim/scenario/reading/node_patterns.h"

#include <algorithm>
#include <iterator>
#include <set>
#include <vector>

#include "sim/scenario/model/name_pattern.h"

namespace nlc::sim::scenario {
namespace {

using Names = std::vector<std::string>;

/// In the order of the file, each once.
Names nodes_of(const Scenario& scenario) {
  Names names;
  std::set<std::string> seen;
  const auto add = [&](const std::vector<nlohmann::json>& objects) {
    for (const nlohmann::json& object : objects) {
      if (object.value("kind", "") != "Node") continue;
      const std::string name = object["metadata"]["name"].get<std::string>();
      if (seen.insert(name).second) names.push_back(name);
    }
  };
  add(scenario.given);
  for (const Step& step : scenario.timeline) {
    if (const auto* apply = step.as<Apply>()) add(apply->objects);
  }
  return names;
}

Names* nodes_in(Step& step) {
  if (auto* heartbeat = std::get_if<Heartbeat>(&step.action)) return &heartbeat->nodes;
  if (auto* renewal = std::get_if<RenewLease>(&step.action)) return &renewal->nodes;
  return nullptr;
}

}  // namespace

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
