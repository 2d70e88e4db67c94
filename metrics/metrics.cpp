#include "metrics/metrics.h"

#include <cstdlib>
#include <utility>

#include "metrics/families.h"

namespace nlc::metrics {
namespace {

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
  for (const Queue name : queues) queues_[static_cast<std::size_t>(name)] = new_queue(name);
}

Metrics::~Metrics() = default;

QueueMetrics Metrics::new_queue(Queue name) {
  const prometheus::Labels label{{"name", name_of(name)}};
  const Buckets seconds{1e-8, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3, 0.01, 0.1, 1, 10};
  return {.depth = Gauge(families_->queue_depth.Add(label)),
          .adds = Counter(families_->queue_adds.Add(label)),
          .retries = Counter(families_->queue_retries.Add(label)),
          .work = Histogram(families_->queue_work.Add(label, seconds))};
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
