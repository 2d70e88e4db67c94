#include "sim/scenario/checking/look.h"

#include <algorithm>

#include "controller/why/render.h"

namespace nlc::sim::scenario {
namespace {

/// The name a metric had before kube-controller-manager 1.24.
constexpr std::string_view evictions_before = "node_collector_evictions_number";
constexpr std::string_view evictions_now = "node_collector_evictions_total";

/// The named one; where none is named, whoever speaks for all of them.
const Process* asked(const std::optional<std::string>& replica, const Stage& stage) {
  return replica ? stage.replicas().process(*replica) : stage.replicas().spokesman();
}

constexpr const char* not_running = "the controller is not running";
constexpr const char* nobody_to_ask = "the controller is not running, or not exactly one leads";

Seen ask(const MetricCheck& check, const Process& process) {
  const std::string_view name = check.name == evictions_before ? evictions_now : check.name;
  const std::optional<double> value = process.metrics().value(name, check.labels);
  if (!check.exists) return {.holds = !value, .what = "there is such a series"};
  if (!value) return {.what = "there is no such series"};
  return {.holds = check.value.contains(*value),
          .what = "it is " + number_text(*value) + ", not " + amount_text(check.value)};
}

Seen ask(const WhyCheck& check, const Process& process) {
  const controller::why::Answer answer = process.why(check.question);
  const std::string text = controller::why::text_of(answer);
  const auto says = [&](const std::string& part) { return text.find(part) != text.npos; };
  const bool holds = (check.state.empty() || answer.state == check.state) &&
                     std::ranges::all_of(check.says, says) &&
                     std::ranges::none_of(check.lacks, says) && check.text.value_or(text) == text;
  return {.holds = holds, .what = "it answers: " + text};
}

Seen ask(const ZoneCheck& check, const Process& process) {
  const metrics::Metrics& metrics = process.metrics();
  for (const char* state : {"Initial", "Normal", "PartialDisruption", "FullDisruption"}) {
    const auto value = metrics.value("nlc_zone_state", {{"zone", check.key}, {"state", state}});
    if (value == 1.0) {
      return {.holds = state == check.state, .what = std::string("its state is ") + state};
    }
  }
  return {.what = "there is no such zone"};
}

Seen ask(const HealthLineCheck& check, const Process& process) {
  std::string names;
  for (const controller::HealthCheck& line : process.readiness()) {
    names += (names.empty() ? "" : ", ") + line.name;
    if (line.name != check.name) continue;
    const bool holds = line.ok == check.ok.value_or(line.ok) &&
                       line.detail.find(check.detail_has) != line.detail.npos;
    return {.holds = holds,
            .what = "it is " + std::string(line.ok ? "ok" : "not ok") + ": " + line.detail};
  }
  return {.what = "there is no such line, only " + names};
}

std::string who_leads(const std::vector<std::string>& leaders) {
  std::string text;
  for (const std::string& name : leaders) {
    text += (text.empty() ? "" : ", ") + (name.empty() ? "the only replica" : name);
  }
  return text.empty() ? "nobody leads" : text + (leaders.size() == 1 ? " leads" : " lead");
}

Seen look_at(const LeadersCheck& check, const Stage& stage) {
  const std::vector<std::string> leaders = stage.replicas().leaders();
  const bool fits = !check.count || check.count->contains(static_cast<double>(leaders.size()));
  const auto leads = [&](const std::string& name) { return std::ranges::count(leaders, name) > 0; };
  const bool named = !check.replica || leads(*check.replica) == check.leads;
  return {.holds = fits && named, .what = who_leads(leaders)};
}

Seen look_at(const ControllersCheck& check, const Stage& stage) {
  const auto runs = [&](const std::string& name) {
    return !stage.replicas().running().empty() && stage.runs(name);
  };
  for (const std::string& name : check.running) {
    if (!runs(name)) return {.what = name + " is not running"};
  }
  for (const std::string& name : check.not_running) {
    if (runs(name)) return {.what = name + " is running"};
  }
  return {.holds = true};
}

Seen look_at(const ProcessCheck&, const Stage& stage) {
  return {.holds = stage.replicas().all_run(), .what = not_running};
}

/// Told by whoever watched the two facts come true.
Seen look_at(const DelayCheck&, const Stage&) { return {.holds = true}; }

}  // namespace

Seen look(const Check& check, const Stage& stage, Span span) {
  return std::visit(
      [&](const auto& what) -> Seen {
        if constexpr (requires(const Process& process) { ask(what, process); }) {
          const Process* process = asked(what.replica, stage);
          if (process != nullptr) return ask(what, *process);
          return {.what = what.replica ? not_running : nobody_to_ask};
        } else if constexpr (requires { count(what, stage, span); }) {
          return count(what, stage, span);
        } else {
          return look_at(what, stage);
        }
      },
      check.what);
}

}  // namespace nlc::sim::scenario
