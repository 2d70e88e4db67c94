#include "sim/scenario/reading/replica_names.h"

namespace nlc::sim::scenario {
namespace {

/// The replica that a step speaks of; nothing when it speaks of none, or of whoever leads.
struct NamedBy {
  std::optional<std::string> operator()(const Target& target) const {
    return target.leader ? std::nullopt : std::optional(target.replica);
  }
  template <typename Kind>
  std::optional<std::string> operator()(const Kind& kind) const {
    if constexpr (requires { kind.target; }) {
      return (*this)(kind.target);
    } else if constexpr (requires { kind.requests.replica; }) {
      return kind.requests.replica;
    } else if constexpr (requires { kind.replica.has_value(); }) {
      return kind.replica;
    } else {
      return std::nullopt;
    }
  }
};

std::string listed(const std::set<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text.empty() ? "none" : text;
}

/// Those that the timeline starts; where it starts none, there is one without a name.
std::set<std::string> replica_names(const Scenario& scenario) {
  std::set<std::string> names;
  for (const Step& step : scenario.timeline) {
    if (const auto* start = step.as<StartController>()) names.insert(start->replica);
  }
  if (names.empty()) names.insert("");
  return names;
}

}  // namespace

void check_replica_names(const Scenario& scenario, Problems& problems) {
  const std::set<std::string> names = replica_names(scenario);
  const auto look = [&](const std::optional<std::string>& name, int line) {
    if (!name || names.contains(*name)) return;
    problems.add(line, (name->empty() ? "no replica" : "the replica " + *name) +
                           " found, one that is started expected: " + listed(names));
  };
  for (const Step& step : scenario.timeline) {
    look(std::visit(NamedBy{}, step.action), step.line);
    if (step.before_request) look(step.before_request->replica, step.line);
  }
  for (const Expectation& expectation : scenario.expect) {
    for (const Check& check : expectation.that) {
      look(std::visit(NamedBy{}, check.what), expectation.line);
    }
  }
}

}  // namespace nlc::sim::scenario
