#include "sim/scenario/checking/look.h"

#include <algorithm>

#include "controller/why/render.h"
#include "sim/scenario/stage/facts.h"

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

const char* why_silent(const std::optional<std::string>& replica) {
  return replica ? not_running : nobody_to_ask;
}

Seen look_at_metric(const MetricCheck& check, const Stage& stage) {
  const Process* process = asked(check.replica, stage);
  if (process == nullptr) return {.what = why_silent(check.replica)};
  const std::string_view name = check.name == evictions_before ? evictions_now : check.name;
  const std::optional<double> value = process->metrics().value(name, check.labels);
  if (!check.exists) return {.holds = !value, .what = "there is such a series"};
  if (!value) return {.what = "there is no such series"};
  return {.holds = check.value.contains(*value),
          .what = "it is " + number_text(*value) + ", not " + amount_text(check.value)};
}

Seen look_at_why(const WhyCheck& check, const Stage& stage) {
  const Process* process = asked(check.replica, stage);
  if (process == nullptr) return {.what = why_silent(check.replica)};
  const controller::why::Answer answer = process->why(check.question);
  const std::string text = controller::why::text_of(answer);
  const auto says = [&](const std::string& part) { return text.find(part) != text.npos; };
  const bool holds = (check.state.empty() || answer.state == check.state) &&
                     std::ranges::all_of(check.says, says) &&
                     std::ranges::none_of(check.lacks, says) && check.text.value_or(text) == text;
  return {.holds = holds, .what = "it answers: " + text};
}

Seen look_at_zone(const ZoneCheck& check, const Stage& stage) {
  const Process* process = asked(check.replica, stage);
  if (process == nullptr) return {.what = why_silent(check.replica)};
  const metrics::Metrics& metrics = process->metrics();
  for (const char* state : {"Initial", "Normal", "PartialDisruption", "FullDisruption"}) {
    const auto value = metrics.value("nlc_zone_state", {{"zone", check.key}, {"state", state}});
    if (value == 1.0) {
      return {.holds = state == check.state, .what = std::string("its state is ") + state};
    }
  }
  return {.what = "there is no such zone"};
}

Seen look_at_health(const HealthLineCheck& check, const Stage& stage) {
  const Process* process = asked(check.replica, stage);
  if (process == nullptr) return {.what = why_silent(check.replica)};
  std::string names;
  for (const controller::HealthCheck& line : process->readiness()) {
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

Seen look_at_leaders(const LeadersCheck& check, const Stage& stage) {
  const std::vector<std::string> leaders = stage.replicas().leaders();
  const bool fits = !check.count || check.count->contains(static_cast<double>(leaders.size()));
  const auto leads = [&](const std::string& name) { return std::ranges::count(leaders, name) > 0; };
  const bool named = !check.replica || leads(*check.replica) == check.leads;
  return {.holds = fits && named, .what = who_leads(leaders)};
}

Seen look_at_controllers(const ControllersCheck& check, const Stage& stage) {
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

}  // namespace

Seen look(const Check& check, const Stage& stage, Span span) {
  struct Looking {
    const Stage& stage;
    Span span;
    Seen operator()(const NodeCheck& node) const { return look_at(node, stage); }
    Seen operator()(const PodCheck& pod) const { return look_at(pod, stage); }
    Seen operator()(const LeaseCheck& lease) const { return look_at(lease, stage); }
    Seen operator()(const RequestCheck& requests) const { return count(requests, stage, span); }
    Seen operator()(const EventCheck& events) const { return count(events, stage, span); }
    Seen operator()(const EvictionCheck& evictions) const { return count(evictions, stage, span); }
    Seen operator()(const PodsEvictedCheck& pods) const { return count(pods, stage, span); }
    Seen operator()(const LogCheck& lines) const { return count(lines, stage, span); }
    Seen operator()(const HealthLineCheck& line) const { return look_at_health(line, stage); }
    Seen operator()(const SequenceCheck& order) const { return count(order, stage, span); }
    Seen operator()(const MetricCheck& metric) const { return look_at_metric(metric, stage); }
    Seen operator()(const WhyCheck& why) const { return look_at_why(why, stage); }
    Seen operator()(const ZoneCheck& zone) const { return look_at_zone(zone, stage); }
    Seen operator()(const LeadersCheck& leaders) const { return look_at_leaders(leaders, stage); }
    Seen operator()(const RulesCheck& rules) const { return look_at(rules, stage); }
    Seen operator()(const SettledCheck& settled) const { return look_at(settled, stage); }
    Seen operator()(const ControllersCheck& some) const { return look_at_controllers(some, stage); }
    Seen operator()(const ProcessCheck&) const {
      return {.holds = stage.replicas().all_run(), .what = not_running};
    }
    /// Told by whoever watched the two facts come true.
    Seen operator()(const DelayCheck&) const { return {.holds = true}; }
  };
  return std::visit(Looking{stage, span}, check.what);
}

}  // namespace nlc::sim::scenario
