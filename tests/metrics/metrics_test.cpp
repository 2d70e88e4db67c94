#include "metrics/metrics.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <unistd.h>

#include "scrape.h"

namespace nlc::metrics {
namespace {

using namespace std::string_literals;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

Scrape scrape(const Metrics& metrics) { return read_exposition(metrics.exposition()); }

TEST(ZoneMetrics, ZoneIsThereWithZerosFromItsFirstMention) {
  Metrics metrics("1");
  metrics.zone("eu");
  const Scrape seen = scrape(metrics);
  EXPECT_EQ(seen.value("node_collector_zone_health", {{"zone", "eu"}}), 0);
  EXPECT_EQ(seen.value("node_collector_zone_size", {{"zone", "eu"}}), 0);
  EXPECT_EQ(seen.value("node_collector_unhealthy_nodes_in_zone", {{"zone", "eu"}}), 0);
  EXPECT_EQ(seen.value("node_collector_evictions_total", {{"zone", "eu"}}), 0);
}

TEST(ZoneMetrics, WhatAPassSawIsShown) {
  Metrics metrics("1");
  const ZoneMetrics& zone = metrics.zone("eu");
  zone.health.set(100.0 * 2 / 3);
  zone.size.set(3);
  zone.unhealthy.set(1);
  zone.evictions.add();
  zone.evictions.add();
  const Scrape seen = scrape(metrics);
  EXPECT_NEAR(seen.value("node_collector_zone_health", {{"zone", "eu"}}).value(), 66.6667, 0.001);
  EXPECT_EQ(seen.value("node_collector_zone_size", {{"zone", "eu"}}), 3);
  EXPECT_EQ(seen.value("node_collector_unhealthy_nodes_in_zone", {{"zone", "eu"}}), 1);
  EXPECT_EQ(seen.value("node_collector_evictions_total", {{"zone", "eu"}}), 2);
}

TEST(ZoneMetrics, OneZoneIsOneSetOfSeriesHoweverOftenItIsAskedFor) {
  Metrics metrics("1");
  const ZoneMetrics& first = metrics.zone("eu");
  metrics.zone("us");
  EXPECT_EQ(&metrics.zone("eu"), &first);
}

TEST(ZoneMetrics, NodesWithoutZoneAreAZoneWithAnEmptyName) {
  Metrics metrics("1");
  metrics.zone("").size.set(7);
  EXPECT_EQ(scrape(metrics).value("node_collector_zone_size", {{"zone", ""}}), 7);
}

TEST(ZoneMetrics, NulByteOfAZoneKeyStaysInTheLabelAsUpstreamWritesIt) {
  Metrics metrics("1");
  metrics.zone("eu:\0:a"s).size.set(1);
  metrics.zone("eu:\0:b"s).size.set(2);
  const Scrape seen = scrape(metrics);
  EXPECT_THAT(seen.bad_lines, IsEmpty());
  EXPECT_EQ(seen.value("node_collector_zone_size", {{"zone", "eu:\0:a"s}}), 1);
  EXPECT_EQ(seen.value("node_collector_zone_size", {{"zone", "eu:\0:b"s}}), 2);
  EXPECT_NE(metrics.exposition().find("{zone=\"eu:\0:a\"} 1\n"s), std::string::npos);
}

TEST(ZoneMetrics, GaugesOfAVanishedZoneLeaveAndItsCounterStays) {
  Metrics metrics("1");
  metrics.zone("eu").evictions.add(4);
  metrics.zone("us").size.set(1);
  metrics.keep_zones([](const std::string& key) { return key != "eu"; });
  const Scrape seen = scrape(metrics);
  for (const char* family : {"node_collector_zone_health", "node_collector_zone_size",
                             "node_collector_unhealthy_nodes_in_zone"}) {
    EXPECT_THAT(seen.label_values(family, "zone"), UnorderedElementsAre("us")) << family;
  }
  EXPECT_EQ(seen.value("node_collector_evictions_total", {{"zone", "eu"}}), 4);
}

TEST(ZoneMetrics, ZoneThatComesBackCountsOnWhereItStood) {
  Metrics metrics("1");
  metrics.zone("eu").evictions.add(4);
  metrics.keep_zones([](const std::string& key) { return key != "eu"; });
  metrics.zone("eu").evictions.add();
  const Scrape seen = scrape(metrics);
  EXPECT_EQ(seen.value("node_collector_evictions_total", {{"zone", "eu"}}), 5);
  EXPECT_EQ(seen.value("node_collector_zone_size", {{"zone", "eu"}}), 0);
}

TEST(Durations, ObservationAtABoundaryFallsIntoItsBucket) {
  Metrics metrics("1");
  metrics.node_health_duration().observe(0.004);
  const Scrape seen = scrape(metrics);
  const std::string name = "node_collector_update_node_health_duration_seconds";
  EXPECT_EQ(seen.value(name + "_bucket", {{"le", "0.001"}}), 0);
  EXPECT_EQ(seen.value(name + "_bucket", {{"le", "0.004"}}), 1);
  EXPECT_EQ(seen.value(name + "_bucket", {{"le", "+Inf"}}), 1);
  EXPECT_EQ(seen.value(name + "_count"), 1);
  EXPECT_EQ(seen.value(name + "_sum"), 0.004);
}

TEST(Durations, PodDeletionsAreCountedInSeconds) {
  Metrics metrics("1");
  metrics.pod_deletions().add();
  metrics.pod_deletion_duration().observe(0.2);
  metrics.all_nodes_health_duration().observe(3);
  const Scrape seen = scrape(metrics);
  EXPECT_EQ(seen.value("taint_eviction_controller_pod_deletions_total"), 1);
  const std::string deletion = "taint_eviction_controller_pod_deletion_duration_seconds";
  EXPECT_EQ(seen.value(deletion + "_bucket", {{"le", "0.1"}}), 0);
  EXPECT_EQ(seen.value(deletion + "_bucket", {{"le", "0.5"}}), 1);
  const std::string pass = "node_collector_update_all_nodes_health_duration_seconds";
  EXPECT_EQ(seen.value(pass + "_bucket", {{"le", "2.56"}}), 0);
  EXPECT_EQ(seen.value(pass + "_bucket", {{"le", "10.24"}}), 1);
}

TEST(ElectionMetrics, ZeroUntilLeading) {
  Metrics metrics("1");
  const ElectionMetrics election = metrics.election("node-lifecycle-controller");
  const std::map<std::string, std::string> label{{"name", "node-lifecycle-controller"}};
  EXPECT_EQ(scrape(metrics).value("leader_election_master_status", label), 0);
  EXPECT_EQ(scrape(metrics).value("leader_election_slowpath_total", label), 0);
  election.leading.set(1);
  election.slow_path.add();
  EXPECT_EQ(scrape(metrics).value("leader_election_master_status", label), 1);
  EXPECT_EQ(scrape(metrics).value("leader_election_slowpath_total", label), 1);
}

TEST(RequestMetrics, RequestsAreCountedByCodeMethodAndHost) {
  Metrics metrics("1");
  metrics.requests("GET", "api:6443", 200).add();
  metrics.requests("GET", "api:6443", 200).add();
  metrics.requests("PATCH", "api:6443", 409).add();
  const Scrape seen = scrape(metrics);
  const std::string name = "rest_client_requests_total";
  EXPECT_EQ(seen.value(name, {{"code", "200"}, {"method", "GET"}, {"host", "api:6443"}}), 2);
  EXPECT_EQ(seen.value(name, {{"code", "409"}, {"method", "PATCH"}, {"host", "api:6443"}}), 1);
}

TEST(RequestMetrics, RequestWithoutAnAnswerHasTheCodeError) {
  Metrics metrics("1");
  metrics.requests("GET", "api", 0).add();
  EXPECT_EQ(scrape(metrics).value("rest_client_requests_total",
                                  {{"code", "<error>"}, {"method", "GET"}, {"host", "api"}}),
            1);
}

TEST(HeldJudgement, AllReasonsAreThereFromTheStartAndNoneHolds) {
  Metrics metrics("1");
  const Scrape seen = scrape(metrics);
  EXPECT_THAT(seen.label_values("nlc_judgement_held", "reason"),
              UnorderedElementsAre("server_paused", "stream_stalled", "version_rewound",
                                   "lease_unread", "node_unread"));
  EXPECT_EQ(seen.value("nlc_judgement_held", {{"reason", "server_paused"}}), 0);
}

TEST(HeldJudgement, ReasonIsOneWhileItHolds) {
  Metrics metrics("1");
  metrics.judgement_held(Hold::StreamStalled).set(1);
  metrics.blind_seconds().add(12.5);
  const Scrape seen = scrape(metrics);
  EXPECT_EQ(seen.value("nlc_judgement_held", {{"reason", "stream_stalled"}}), 1);
  EXPECT_EQ(seen.value("nlc_judgement_held", {{"reason", "server_paused"}}), 0);
  EXPECT_EQ(seen.value("nlc_blind_seconds_total"), 12.5);
  metrics.judgement_held(Hold::StreamStalled).set(0);
  EXPECT_EQ(scrape(metrics).value("nlc_judgement_held", {{"reason", "stream_stalled"}}), 0);
}

TEST(WriteMetrics, KindsAreThereFromTheStart) {
  Metrics metrics("1");
  EXPECT_THAT(scrape(metrics).label_values("nlc_writes_total", "kind"),
              UnorderedElementsAre("node_status", "node_taints", "node_labels", "pod_status",
                                   "pod_delete"));
}

TEST(WriteMetrics, WritesAreCountedByOutcome) {
  Metrics metrics("1");
  metrics.writes(Write::NodeTaints, "ok").add();
  metrics.writes(Write::NodeTaints, "conflict").add();
  metrics.writes(Write::NodeTaints, "conflict").add();
  const Scrape seen = scrape(metrics);
  EXPECT_EQ(seen.value("nlc_writes_total", {{"kind", "node_taints"}, {"outcome", "ok"}}), 1);
  EXPECT_EQ(seen.value("nlc_writes_total", {{"kind", "node_taints"}, {"outcome", "conflict"}}), 2);
}

TEST(QueueMetrics, QueuesHaveUpstreamsNamesFromTheStart) {
  Metrics metrics("1");
  EXPECT_THAT(scrape(metrics).label_values("workqueue_depth", "name"),
              UnorderedElementsAre("node_lifecycle_controller", "node_lifecycle_controller_pods",
                                   "noexec_taint_node", "noexec_taint_pod"));
}

TEST(QueueMetrics, QueuesAreCountedApart) {
  Metrics metrics("1");
  const QueueMetrics& evictions = metrics.queue(Queue::PodEvictions);
  evictions.depth.set(7);
  evictions.adds.add(3);
  evictions.retries.add();
  evictions.work.observe(0.2);
  const Scrape seen = scrape(metrics);
  const std::map<std::string, std::string> queue{{"name", "noexec_taint_pod"}};
  EXPECT_EQ(seen.value("workqueue_depth", queue), 7);
  EXPECT_EQ(seen.value("workqueue_adds_total", queue), 3);
  EXPECT_EQ(seen.value("workqueue_retries_total", queue), 1);
  EXPECT_EQ(seen.value("workqueue_work_duration_seconds_count", queue), 1);
  EXPECT_EQ(seen.value("workqueue_adds_total", {{"name", "node_lifecycle_controller"}}), 0);
}

TEST(ResourceMetrics, ResourcesAreCountedApart) {
  Metrics metrics("1");
  const ResourceMetrics nodes = metrics.resource("nodes");
  const ResourceMetrics pods = metrics.resource("pods");
  nodes.events.add(3);
  nodes.objects.set(100);
  pods.malformed.add();
  metrics.watch_restarts("pods", "gone").add();
  metrics.events_dropped().add();
  const Scrape seen = scrape(metrics);
  EXPECT_EQ(seen.value("nlc_watch_events_total", {{"resource", "nodes"}}), 3);
  EXPECT_EQ(seen.value("nlc_watch_events_total", {{"resource", "pods"}}), 0);
  EXPECT_EQ(seen.value("nlc_store_objects", {{"resource", "nodes"}}), 100);
  EXPECT_EQ(seen.value("nlc_malformed_objects_total", {{"resource", "pods"}}), 1);
  EXPECT_EQ(seen.value("nlc_watch_restarts_total", {{"resource", "pods"}, {"reason", "gone"}}), 1);
  EXPECT_EQ(seen.value("nlc_events_dropped_total"), 1);
}

TEST(BuildInfo, VersionIsALabel) {
  EXPECT_EQ(scrape(Metrics("1.2.3")).value("nlc_build_info", {{"version", "1.2.3"}}), 1);
}

TEST(MetricsInstance, DeclaresWhatHasNoSeriesYetAndNothingElse) {
  const Metrics metrics("1");
  EXPECT_FALSE(metrics.value("node_collector_zone_size", {}));
  EXPECT_TRUE(metrics.declares("node_collector_zone_size"));
  EXPECT_FALSE(metrics.declares("node_colector_zone_size"));
}

TEST(MetricsInstance, TwoInOneProcessCountApart) {
  Metrics left("1");
  Metrics right("1");
  left.pod_deletions().add();
  EXPECT_EQ(left.pod_deletions().value(), 1);
  EXPECT_EQ(right.pod_deletions().value(), 0);
}

TEST(Handle, OneMadeFromNothingCountsForNobody) {
  const Counter counter;
  const Gauge gauge;
  const Histogram histogram;
  counter.add();
  gauge.set(3);
  histogram.observe(1);
  EXPECT_EQ(counter.value(), 0);
  EXPECT_EQ(gauge.value(), 0);
}

TEST(ProcessMetrics, AreReadAtEachScrape) {
  const Metrics metrics("1");
  const double before = scrape(metrics).value("process_open_fds").value();
  int ends[2] = {};
  ASSERT_EQ(pipe(ends), 0);
  EXPECT_EQ(scrape(metrics).value("process_open_fds"), before + 2);
  close(ends[0]);
  close(ends[1]);
  EXPECT_EQ(scrape(metrics).value("process_open_fds"), before);
}

TEST(ProcessMetrics, ArePlausible) {
  const Scrape seen = scrape(Metrics("1"));
  EXPECT_GT(seen.value("process_resident_memory_bytes"), 1e6);
  EXPECT_LT(seen.value("process_resident_memory_bytes"), 1e12);
  EXPECT_GE(seen.value("process_cpu_seconds_total"), 0);
  constexpr double year_2020 = 1577836800;
  EXPECT_GT(seen.value("process_start_time_seconds"), year_2020);
}

}  // namespace
}  // namespace nlc::metrics
