#include "sim/scenario/look.h"

#include <algorithm>

#include "sim/scenario/facts.h"

namespace nlc::sim::scenario {
namespace {

/// The name a metric had before kube-controller-manager 1.24.
constexpr std::string_view evictions_before = "node_collector_evictions_number";
constexpr std::string_view evictions_now = "node_collector_evictions_total";

Seen look_at_metric(const MetricCheck& check, const Stage& stage) {
  if (stage.process() == nullptr) return {.what = "the controller is not running"};
  const std::string_view name = check.name == evictions_before ? evictions_now : check.name;
  const std::optional<double> value = stage.process()->metrics().value(name, check.labels);
  if (!check.exists) return {.holds = !value, .what = "there is such a series"};
  if (!value) return {.what = "there is no such series"};
  return {.holds = check.value.contains(*value),
          .what = "it is " + number_text(*value) + ", not " + amount_text(check.value)};
}

Seen look_at_zone(const ZoneCheck& check, const Stage& stage) {
  if (stage.process() == nullptr) return {.what = "the controller is not running"};
  const metrics::Metrics& metrics = stage.process()->metrics();
  for (const char* state : {"Initial", "Normal", "PartialDisruption", "FullDisruption"}) {
    const auto value = metrics.value("nlc_zone_state", {{"zone", check.key}, {"state", state}});
    if (value == 1.0) {
      return {.holds = state == check.state, .what = std::string("its state is ") + state};
    }
  }
  return {.what = "there is no such zone"};
}

Seen look_at_controllers(const ControllersCheck& check, const Stage& stage) {
  const auto runs = [&](const std::string& name) {
    return stage.process() != nullptr && stage.runs(name);
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
    Seen operator()(const SequenceCheck& order) const { return count(order, stage, span); }
    Seen operator()(const MetricCheck& metric) const { return look_at_metric(metric, stage); }
    Seen operator()(const ZoneCheck& zone) const { return look_at_zone(zone, stage); }
    Seen operator()(const ControllersCheck& some) const { return look_at_controllers(some, stage); }
    Seen operator()(const ProcessCheck&) const {
      return {.holds = stage.process() != nullptr, .what = "the controller is not running"};
    }
    /// Told by whoever watched the two facts come true.
    Seen operator()(const DelayCheck&) const { return {.holds = true}; }
  };
  return std::visit(Looking{stage, span}, check.what);
}

}  // namespace nlc::sim::scenario
