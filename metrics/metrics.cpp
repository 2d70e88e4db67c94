#include "metrics/metrics.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <iterator>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <prometheus/text_serializer.h>
#include <set>
#include <utility>
#include <vector>

#include "metrics/process_metrics.h"

namespace nlc::metrics {
namespace {

using CounterFamily = prometheus::Family<prometheus::Counter>;
using GaugeFamily = prometheus::Family<prometheus::Gauge>;
using HistogramFamily = prometheus::Family<prometheus::Histogram>;
using Buckets = prometheus::Histogram::BucketBoundaries;

/// Collecting tells nothing of a family without series.
struct NamedRegistry : prometheus::Registry {
  std::set<std::string, std::less<>> names;
};

CounterFamily& counter(NamedRegistry& registry, const char* name, const char* help) {
  registry.names.insert(name);
  return prometheus::BuildCounter().Name(name).Help(help).Register(registry);
}

GaugeFamily& gauge(NamedRegistry& registry, const char* name, const char* help) {
  registry.names.insert(name);
  return prometheus::BuildGauge().Name(name).Help(help).Register(registry);
}

HistogramFamily& histogram(NamedRegistry& registry, const char* name, const char* help) {
  registry.names.insert(name);
  return prometheus::BuildHistogram().Name(name).Help(help).Register(registry);
}

std::string name_of(Write kind) {
  switch (kind) {
    case Write::NodeStatus:
      return "node_status";
    case Write::NodeTaints:
      return "node_taints";
    case Write::NodeLabels:
      return "node_labels";
    case Write::PodStatus:
      return "pod_status";
    case Write::PodDelete:
      return "pod_delete";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

std::string name_of(Queue name) {
  switch (name) {
    case Queue::Nodes:
      return "node_lifecycle_controller";
    case Queue::PodMarks:
      return "node_lifecycle_controller_pods";
    case Queue::TaintedNodes:
      return "noexec_taint_node";
    case Queue::PodEvictions:
      return "noexec_taint_pod";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

prometheus::Labels zone_label(std::string_view key) { return {{"zone", std::string(key)}}; }

double value_of(const prometheus::ClientMetric& series, prometheus::MetricType type) {
  switch (type) {
    case prometheus::MetricType::Counter:
      return series.counter.value;
    case prometheus::MetricType::Gauge:
      return series.gauge.value;
    case prometheus::MetricType::Histogram:
      return static_cast<double>(series.histogram.sample_count);
    default:
      return series.untyped.value;
  }
}

Metrics::Series series_of(const prometheus::MetricFamily& family) {
  Metrics::Series all;
  for (const prometheus::ClientMetric& series : family.metric) {
    Metrics::Labels labels;
    for (const auto& label : series.label) labels.emplace(label.name, label.value);
    all.emplace(std::move(labels), value_of(series, family.type));
  }
  return all;
}

constexpr std::array<std::string_view, 3> of_election{"leader_election_", "nlc_election_",
                                                      "rest_client_"};

std::string text_of(std::vector<prometheus::MetricFamily> families) {
  std::vector<prometheus::MetricFamily> process = process_metrics();
  families.insert(families.end(), std::make_move_iterator(process.begin()),
                  std::make_move_iterator(process.end()));
  return prometheus::TextSerializer().Serialize(families);
}

}  // namespace

std::string_view name_of(Hold reason) {
  switch (reason) {
    case Hold::ServerPaused:
      return "server_paused";
    case Hold::StreamStalled:
      return "stream_stalled";
    case Hold::VersionRewound:
      return "version_rewound";
    case Hold::LeaseUnread:
      return "lease_unread";
    case Hold::NodeUnread:
      return "node_unread";
  }
  std::abort();  // unreachable: the switch is exhaustive
}

/// The declarations. Families live in the registry; what stands here are the ways to them.
struct Metrics::Families {
  NamedRegistry registry;

  GaugeFamily& zone_health =
      gauge(registry, "node_collector_zone_health", "Percentage of healthy nodes per zone.");
  GaugeFamily& zone_size =
      gauge(registry, "node_collector_zone_size", "Number of registered nodes per zone.");
  GaugeFamily& zone_unhealthy = gauge(registry, "node_collector_unhealthy_nodes_in_zone",
                                      "Number of nodes per zone whose Ready is not True.");
  GaugeFamily& zone_waiting = gauge(registry, "nlc_zone_eviction_queue",
                                    "Nodes that wait for a NoExecute taint, per zone.");
  GaugeFamily& zone_state =
      gauge(registry, "nlc_zone_state", "1 for the state of disruption a zone is in, else 0.");
  CounterFamily& evictions = counter(registry, "node_collector_evictions_total",
                                     "NoExecute taints written to nodes since start, per zone.");
  prometheus::Histogram& node_health =
      histogram(registry, "node_collector_update_node_health_duration_seconds",
                "Time to judge one node: the average of each monitor pass.")
          .Add({}, Buckets{0.001, 0.004, 0.016, 0.064, 0.256, 1.024, 4.096, 16.384});
  prometheus::Histogram& all_nodes_health =
      histogram(registry, "node_collector_update_all_nodes_health_duration_seconds",
                "Time to judge all nodes.")
          .Add({}, Buckets{0.01, 0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84});
  prometheus::Histogram& node_unknown =
      histogram(registry, "nlc_node_unknown_delay_seconds",
                "Time from the end of a silent node's grace until its Unknown was written.")
          .Add({}, Buckets{0.01, 0.05, 0.25, 1, 2.5, 5, 10, 20, 40, 80, 160, 320});
  prometheus::Counter& pod_deletions =
      counter(registry, "taint_eviction_controller_pod_deletions_total",
              "Pods deleted because their tolerations ran out.")
          .Add({});
  prometheus::Histogram& pod_deletion =
      histogram(registry, "taint_eviction_controller_pod_deletion_duration_seconds",
                "Time from the moment a pod was due until it was deleted.")
          .Add({}, Buckets{0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240});

  GaugeFamily& leading = gauge(registry, "leader_election_master_status",
                               "1 while this process leads under that name, else 0.");
  CounterFamily& slow_path = counter(registry, "leader_election_slowpath_total",
                                     "Renewals of the lease that had to read it first.");
  CounterFamily& transitions = counter(registry, "nlc_election_transitions_total",
                                       "Changes of the leader that this process saw.");
  HistogramFamily& renewal =
      histogram(registry, "nlc_election_renewal_duration_seconds",
                "Time until the API server acknowledged a renewal of the lease.");
  GaugeFamily& queue_depth = gauge(registry, "workqueue_depth",
                                   "Writes that wait for their turn or for the end of a back-off.");
  CounterFamily& queue_adds =
      counter(registry, "workqueue_adds_total", "Writes begun, repeated ones included.");
  CounterFamily& queue_retries =
      counter(registry, "workqueue_retries_total", "Writes that failed and are begun again.");
  HistogramFamily& queue_work = histogram(registry, "workqueue_work_duration_seconds",
                                          "Time from a write's first request to its last answer.");
  CounterFamily& requests = counter(registry, "rest_client_requests_total",
                                    "Requests to the API server by status code, method and host.");
  HistogramFamily& request_duration =
      histogram(registry, "rest_client_request_duration_seconds",
                "Time from the sending of a request to its answer, by verb and host.");

  GaugeFamily& held =
      gauge(registry, "nlc_judgement_held",
            "1 while what is seen of silent nodes is not trusted, by reason, else 0.");
  GaugeFamily& paused_nodes =
      gauge(registry, "nlc_paused_nodes", "Nodes for which evictions, or all writes, are paused.");
  GaugeFamily& policy =
      gauge(registry, "nlc_policy_state",
            "1 for how the ConfigMap with the operator's policy stands, else 0, by state.");
  prometheus::Counter& blind =
      counter(registry, "nlc_blind_seconds_total",
              "Seconds in which nothing proved that the API server takes writes.")
          .Add({});
  prometheus::Counter& dropped =
      counter(registry, "nlc_events_dropped_total", "Events that were not sent to the API server.")
          .Add({});
  CounterFamily& writes =
      counter(registry, "nlc_writes_total", "Changes of the cluster by kind and outcome.");
  CounterFamily& foreign_writes =
      counter(registry, "nlc_foreign_writes_total",
              "Writes of another node-lifecycle or taint-eviction controller seen while this one "
              "led, by kind.");
  CounterFamily& observed =
      counter(registry, "nlc_observe_actions_total",
              "Changes of the cluster decided here or seen there, by kind and outcome.");
  HistogramFamily& observed_lead =
      histogram(registry, "nlc_observe_lead_seconds",
                "How much earlier than it was seen a change was decided here; below zero: later.");
  CounterFamily& observed_disagreements =
      counter(registry, "nlc_observe_disagreements_total",
              "Changes that were decided here or seen there alone, by cause.");
  CounterFamily& watch_events =
      counter(registry, "nlc_watch_events_total", "Watch events received.");
  CounterFamily& watch_restarts =
      counter(registry, "nlc_watch_restarts_total", "Watches that had to begin anew, by reason.");
  GaugeFamily& objects =
      gauge(registry, "nlc_store_objects", "Objects held in memory, per resource.");
  GaugeFamily& progress =
      gauge(registry, "nlc_informer_seconds_since_progress",
            "Seconds since the last event, bookmark or list, per resource, as of the last second.");
  CounterFamily& malformed = counter(registry, "nlc_malformed_objects_total",
                                     "Objects that could not be read and were skipped.");
  GaugeFamily& build =
      gauge(registry, "nlc_build_info", "Always 1; the version of the program is its label.");

  QueueMetrics add(Queue name) {
    const prometheus::Labels label{{"name", name_of(name)}};
    const Buckets seconds{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10};
    return {.depth = Gauge(queue_depth.Add(label)),
            .adds = Counter(queue_adds.Add(label)),
            .retries = Counter(queue_retries.Add(label)),
            .work = Histogram(queue_work.Add(label, seconds))};
  }
};

Metrics::Metrics(std::string_view version) : families_(std::make_unique<Families>()) {
  families_->build.Add({{"version", std::string(version)}}).Set(1);
  // Closed sets are there from the start, so that a rate over them knows its zero.
  forget_cluster();
  for (const Write kind : {Write::NodeStatus, Write::NodeTaints, Write::NodeLabels,
                           Write::PodStatus, Write::PodDelete}) {
    writes(kind, "ok").add(0);
  }
  for (const Write kind : {Write::NodeStatus, Write::NodeTaints, Write::PodStatus}) {
    foreign_writes(kind).add(0);
  }
  for (const Queue name : queues) queues_[static_cast<std::size_t>(name)] = families_->add(name);
}

Metrics::~Metrics() = default;

std::string Metrics::exposition() const { return text_of(families_->registry.Collect()); }

std::string Metrics::exposition_of_election() const {
  std::vector<prometheus::MetricFamily> families = families_->registry.Collect();
  std::erase_if(families, [](const prometheus::MetricFamily& family) {
    return std::ranges::none_of(
        of_election, [&](std::string_view prefix) { return family.name.starts_with(prefix); });
  });
  return text_of(std::move(families));
}

std::map<std::string, Metrics::Series, std::less<>> Metrics::values() const {
  std::map<std::string, Series, std::less<>> values;
  for (const prometheus::MetricFamily& family : families_->registry.Collect()) {
    values[family.name] = series_of(family);
  }
  return values;
}

std::optional<double> Metrics::value(std::string_view name, const Labels& labels) const {
  for (const prometheus::MetricFamily& family : families_->registry.Collect()) {
    if (family.name != name) continue;
    for (const auto& [found, value] : series_of(family)) {
      if (std::ranges::includes(found, labels)) return value;
    }
  }
  return std::nullopt;
}

bool Metrics::declares(std::string_view name) const {
  return families_->registry.names.contains(name);
}

const ZoneMetrics& Metrics::zone(std::string_view key) {
  const auto known = zones_.find(key);
  if (known != zones_.end()) return known->second;
  const prometheus::Labels label = zone_label(key);
  ZoneMetrics zone{.health = Gauge(families_->zone_health.Add(label)),
                   .size = Gauge(families_->zone_size.Add(label)),
                   .unhealthy = Gauge(families_->zone_unhealthy.Add(label)),
                   .waiting = Gauge(families_->zone_waiting.Add(label)),
                   .evictions = Counter(families_->evictions.Add(label))};
  for (std::size_t i = 0; i < zone_states.size(); ++i) {
    prometheus::Labels labels = label;
    labels["state"] = zone_states[i];
    zone.states[i] = Gauge(families_->zone_state.Add(labels));
  }
  return zones_.emplace(key, zone).first->second;
}

void Metrics::keep_zones(const std::function<bool(const std::string& key)>& is_there) {
  std::erase_if(zones_, [&](const auto& entry) {
    const auto& [key, zone] = entry;
    if (is_there(key)) return false;
    families_->zone_health.Remove(zone.health.series_);
    families_->zone_size.Remove(zone.size.series_);
    families_->zone_unhealthy.Remove(zone.unhealthy.series_);
    families_->zone_waiting.Remove(zone.waiting.series_);
    for (const Gauge& state : zone.states) families_->zone_state.Remove(state.series_);
    return true;
  });
}

void Metrics::forget_cluster() {
  keep_zones([](const std::string&) { return false; });
  for (const Hold reason : holds) judgement_held(reason).set(0);
  for (const std::string_view pause : pauses) paused_nodes(pause).set(0);
  set_policy({});
  for (const QueueMetrics& queue : queues_) queue.depth.set(0);
  for (const auto& [name, resource] : resources_) {
    resource.objects.set(0);
    resource.seconds_since_progress.set(0);
  }
}

Histogram Metrics::node_health_duration() const { return Histogram(families_->node_health); }

Histogram Metrics::all_nodes_health_duration() const {
  return Histogram(families_->all_nodes_health);
}

Histogram Metrics::node_unknown_delay() const { return Histogram(families_->node_unknown); }

Counter Metrics::pod_deletions() const { return Counter(families_->pod_deletions); }

Histogram Metrics::pod_deletion_duration() const { return Histogram(families_->pod_deletion); }

ElectionMetrics Metrics::election(std::string_view name) {
  const prometheus::Labels label{{"name", std::string(name)}};
  return {.leading = Gauge(families_->leading.Add(label)),
          .slow_path = Counter(families_->slow_path.Add(label)),
          .transitions = Counter(families_->transitions.Add(label)),
          .renewal = Histogram(
              families_->renewal.Add(label, Buckets{0.005, 0.025, 0.1, 0.5, 1, 2.5, 5, 10}))};
}

Gauge Metrics::judgement_held(Hold reason) const {
  return Gauge(families_->held.Add({{"reason", std::string(name_of(reason))}}));
}

Gauge Metrics::paused_nodes(std::string_view pause) const {
  return Gauge(families_->paused_nodes.Add({{"pause", std::string(pause)}}));
}

void Metrics::set_policy(std::string_view state) const {
  for (const std::string_view one : policy_states) {
    families_->policy.Add({{"state", std::string(one)}}).Set(one == state ? 1 : 0);
  }
}

Counter Metrics::blind_seconds() const { return Counter(families_->blind); }

Counter Metrics::events_dropped() const { return Counter(families_->dropped); }

const QueueMetrics& Metrics::queue(Queue name) const {
  return queues_[static_cast<std::size_t>(name)];
}

Counter Metrics::writes(Write kind, std::string_view outcome) {
  return Counter(
      families_->writes.Add({{"kind", name_of(kind)}, {"outcome", std::string(outcome)}}));
}

Counter Metrics::foreign_writes(Write kind) const {
  return Counter(families_->foreign_writes.Add({{"kind", name_of(kind)}}));
}

Counter Metrics::observed(std::string_view kind, std::string_view outcome) {
  return Counter(
      families_->observed.Add({{"kind", std::string(kind)}, {"outcome", std::string(outcome)}}));
}

Histogram Metrics::observed_lead(std::string_view kind) {
  const Buckets seconds{-300, -60, -10, -1, -0.1, 0, 0.1, 0.5, 1, 2.5, 5, 10, 30, 60, 300};
  return Histogram(families_->observed_lead.Add({{"kind", std::string(kind)}}, seconds));
}

Counter Metrics::observed_disagreements(std::string_view cause) {
  return Counter(families_->observed_disagreements.Add({{"cause", std::string(cause)}}));
}

ResourceMetrics Metrics::resource(std::string_view name) {
  const prometheus::Labels label{{"resource", std::string(name)}};
  const ResourceMetrics series{.events = Counter(families_->watch_events.Add(label)),
                               .malformed = Counter(families_->malformed.Add(label)),
                               .objects = Gauge(families_->objects.Add(label)),
                               .seconds_since_progress = Gauge(families_->progress.Add(label))};
  return resources_.emplace(name, series).first->second;
}

Counter Metrics::watch_restarts(std::string_view resource, std::string_view reason) {
  return Counter(families_->watch_restarts.Add(
      {{"resource", std::string(resource)}, {"reason", std::string(reason)}}));
}

Counter Metrics::requests(std::string_view method, std::string_view host, int status) {
  return Counter(
      families_->requests.Add({{"code", status == 0 ? "<error>" : std::to_string(status)},
                               {"method", std::string(method)},
                               {"host", std::string(host)}}));
}

Histogram Metrics::request_duration(std::string_view method, std::string_view host) {
  const Buckets seconds{0.005, 0.025, 0.1, 0.25, 0.5, 1, 2, 4, 8, 15, 30, 60};
  return Histogram(families_->request_duration.Add(
      {{"verb", std::string(method)}, {"host", std::string(host)}}, seconds));
}

}  // namespace nlc::metrics
