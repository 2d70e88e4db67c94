#pragma once

#include <functional>
#include <prometheus/counter.h>
#include <prometheus/family.h>
#include <prometheus/gauge.h>
#include <prometheus/histogram.h>
#include <prometheus/registry.h>
#include <set>
#include <string>

/// Private to metrics: it shows prometheus-cpp.
namespace nlc::metrics {

using CounterFamily = prometheus::Family<prometheus::Counter>;
using GaugeFamily = prometheus::Family<prometheus::Gauge>;
using HistogramFamily = prometheus::Family<prometheus::Histogram>;
using Buckets = prometheus::Histogram::BucketBoundaries;

/// Collecting tells nothing of a family without series.
struct NamedRegistry : prometheus::Registry {
  std::set<std::string, std::less<>> names;

  CounterFamily& counter(const char* name, const char* help) {
    names.insert(name);
    return prometheus::BuildCounter().Name(name).Help(help).Register(*this);
  }
  GaugeFamily& gauge(const char* name, const char* help) {
    names.insert(name);
    return prometheus::BuildGauge().Name(name).Help(help).Register(*this);
  }
  HistogramFamily& histogram(const char* name, const char* help) {
    names.insert(name);
    return prometheus::BuildHistogram().Name(name).Help(help).Register(*this);
  }
};

/// The declarations. Families live in the registry; what stands here are the ways to them.
struct Families {
  NamedRegistry registry;

  GaugeFamily& zone_health =
      registry.gauge("node_collector_zone_health", "Percentage of healthy nodes per zone.");
  GaugeFamily& zone_size =
      registry.gauge("node_collector_zone_size", "Number of registered nodes per zone.");
  GaugeFamily& zone_unhealthy = registry.gauge("node_collector_unhealthy_nodes_in_zone",
                                               "Number of nodes per zone whose Ready is not True.");
  GaugeFamily& zone_waiting =
      registry.gauge("nlc_zone_eviction_queue", "Nodes that wait for a NoExecute taint, per zone.");
  GaugeFamily& zone_state =
      registry.gauge("nlc_zone_state", "1 for the state of disruption a zone is in, else 0.");
  CounterFamily& evictions = registry.counter(
      "node_collector_evictions_total", "NoExecute taints written to nodes since start, per zone.");
  prometheus::Histogram& node_health =
      registry
          .histogram("node_collector_update_node_health_duration_seconds",
                     "Time to judge one node: the average of each monitor pass.")
          .Add({}, Buckets{0.001, 0.004, 0.016, 0.064, 0.256, 1.024, 4.096, 16.384});
  prometheus::Histogram& all_nodes_health =
      registry
          .histogram("node_collector_update_all_nodes_health_duration_seconds",
                     "Time to judge all nodes.")
          .Add({}, Buckets{0.01, 0.04, 0.16, 0.64, 2.56, 10.24, 40.96, 163.84});
  prometheus::Histogram& node_unknown =
      registry
          .histogram("nlc_node_unknown_delay_seconds",
                     "Time from the end of a silent node's grace until its Unknown was written.")
          .Add({}, Buckets{0.01, 0.05, 0.25, 1, 2.5, 5, 10, 20, 40, 80, 160, 320});
  prometheus::Counter& pod_deletions =
      registry
          .counter("taint_eviction_controller_pod_deletions_total",
                   "Pods deleted because their tolerations ran out.")
          .Add({});
  prometheus::Histogram& pod_deletion =
      registry
          .histogram("taint_eviction_controller_pod_deletion_duration_seconds",
                     "Time from the moment a pod was due until it was deleted.")
          .Add({}, Buckets{0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240});

  GaugeFamily& leading = registry.gauge("leader_election_master_status",
                                        "1 while this process leads under that name, else 0.");
  CounterFamily& slow_path = registry.counter("leader_election_slowpath_total",
                                              "Renewals of the lease that had to read it first.");
  CounterFamily& transitions = registry.counter("nlc_election_transitions_total",
                                                "Changes of the leader that this process saw.");
  HistogramFamily& renewal =
      registry.histogram("nlc_election_renewal_duration_seconds",
                         "Time until the API server acknowledged a renewal of the lease.");
  GaugeFamily& queue_depth = registry.gauge(
      "workqueue_depth", "Writes that wait for their turn or for the end of a back-off.");
  CounterFamily& queue_adds =
      registry.counter("workqueue_adds_total", "Writes begun, repeated ones included.");
  CounterFamily& queue_retries =
      registry.counter("workqueue_retries_total", "Writes that failed and are begun again.");
  HistogramFamily& queue_work = registry.histogram(
      "workqueue_work_duration_seconds", "Time from a write's first request to its last answer.");
  CounterFamily& requests = registry.counter(
      "rest_client_requests_total", "Requests to the API server by status code, method and host.");
  HistogramFamily& request_duration =
      registry.histogram("rest_client_request_duration_seconds",
                         "Time from the sending of a request to its answer, by verb and host.");

  GaugeFamily& held =
      registry.gauge("nlc_judgement_held",
                     "1 while what is seen of silent nodes is not trusted, by reason, else 0.");
  GaugeFamily& paused_nodes =
      registry.gauge("nlc_paused_nodes", "Nodes for which evictions, or all writes, are paused.");
  GaugeFamily& policy = registry.gauge(
      "nlc_policy_state",
      "1 for how the ConfigMap with the operator's policy stands, else 0, by state.");
  prometheus::Counter& blind =
      registry
          .counter("nlc_blind_seconds_total",
                   "Seconds in which nothing proved that the API server takes writes.")
          .Add({});
  prometheus::Counter& dropped =
      registry.counter("nlc_events_dropped_total", "Events that were not sent to the API server.")
          .Add({});
  CounterFamily& writes =
      registry.counter("nlc_writes_total", "Changes of the cluster by kind and outcome.");
  CounterFamily& foreign_writes = registry.counter(
      "nlc_foreign_writes_total",
      "Writes of another node-lifecycle or taint-eviction controller seen while this one "
      "led, by kind.");
  CounterFamily& observed =
      registry.counter("nlc_observe_actions_total",
                       "Changes of the cluster decided here or seen there, by kind and outcome.");
  HistogramFamily& observed_lead = registry.histogram(
      "nlc_observe_lead_seconds",
      "How much earlier than it was seen a change was decided here; below zero: later.");
  CounterFamily& observed_disagreements =
      registry.counter("nlc_observe_disagreements_total",
                       "Changes that were decided here or seen there alone, by cause.");
  CounterFamily& watch_events =
      registry.counter("nlc_watch_events_total", "Watch events received.");
  CounterFamily& watch_restarts =
      registry.counter("nlc_watch_restarts_total", "Watches that had to begin anew, by reason.");
  GaugeFamily& objects =
      registry.gauge("nlc_store_objects", "Objects held in memory, per resource.");
  GaugeFamily& progress = registry.gauge(
      "nlc_informer_seconds_since_progress",
      "Seconds since the last event, bookmark or list, per resource, as of the last second.");
  CounterFamily& malformed = registry.counter("nlc_malformed_objects_total",
                                              "Objects that could not be read and were skipped.");
  GaugeFamily& build =
      registry.gauge("nlc_build_info", "Always 1; the version of the program is its label.");
};

}  // namespace nlc::metrics
