#include "sim/scenario/reading/node_patterns.h"

#include <algorithm>
#include <set>
#include <vector>

#include "sim/scenario/model/chance.h"

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
    if (const auto* apply = std::get_if<Apply>(&step.action)) add(apply->objects);
  }
  return names;
}

Names* nodes_in(Step& step) {
  if (auto* heartbeat = std::get_if<Heartbeat>(&step.action)) return &heartbeat->nodes;
  if (auto* renewal = std::get_if<RenewLease>(&step.action)) return &renewal->nodes;
  return nullptr;
}

/// The nodes that a step speaks of as if they were there.
Names named_nodes(const Step& step) {
  const ObjectName* object = nullptr;
  if (const auto* patch = std::get_if<MergePatch>(&step.action)) object = &patch->object;
  if (const auto* apply = std::get_if<ApplyPatch>(&step.action)) object = &apply->object;
  if (const auto* deletion = std::get_if<Delete>(&step.action)) object = &deletion->object;
  if (object == nullptr) return heartbeat_nodes(step);
  return object->kind == "Node" ? Names{object->name} : Names{};
}

bool is_pattern(const std::string& name) { return name.find('*') != std::string::npos; }

}  // namespace

/// Goes back to the last star alone, so the time is bounded whatever the pattern.
bool matches_pattern(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t in_name = 0;
  std::size_t star = pattern.npos;
  std::size_t retry = 0;
  while (in_name < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      retry = in_name;
    } else if (at < pattern.size() && pattern[at] == name[in_name]) {
      ++at;
      ++in_name;
    } else if (star != pattern.npos) {
      at = star + 1;
      in_name = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
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

void check_node_names(const Scenario& scenario, Problems& problems) {
  const Names names = nodes_of(scenario);
  const std::set<std::string> known(names.begin(), names.end());
  const auto look = [&](const std::string& name, int line) {
    if (name.empty() || is_pattern(name) || known.contains(name)) return;
    problems.add(line, "the node " + name + " found, one that is given or applied expected");
  };
  for (const Step& step : scenario.timeline) {
    for (const std::string& name : named_nodes(step)) look(name, step.line);
  }
  for (const Expectation& expectation : scenario.expect) {
    for (const Check& check : expectation.that) {
      const auto* node = std::get_if<NodeCheck>(&check.what);
      if (node != nullptr && node->exists != false) look(node->name, expectation.line);
    }
  }
}

}  // namespace nlc::sim::scenario
