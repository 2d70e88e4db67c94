#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <set>
#include <string>
#include <thread>

#include "metrics/metrics.h"
#include "scrape.h"

namespace nlc::metrics {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// One series at least in every family.
void touch_everything(Metrics& metrics) {
  metrics.zone("eu");
  (void)metrics.election("node-lifecycle-controller");
  metrics.requests("GET", "api:6443", 200).add();
  (void)metrics.request_duration("GET", "api:6443");
  (void)metrics.resource("nodes");
  (void)metrics.watch_restarts("nodes", "gone");
}

/// The family that a series belongs to: a histogram's has three suffixes.
std::string family_of(const Scrape& scrape, const std::string& series) {
  for (const std::string suffix : {"_bucket", "_sum", "_count"}) {
    if (!series.ends_with(suffix)) continue;
    const std::string family = series.substr(0, series.size() - suffix.size());
    if (scrape.types.contains(family)) return family;
  }
  return series;
}

TEST(Exposition, EachLineFollowsTheGrammarOfTheTextFormat) {
  Metrics metrics("1.2.3");
  touch_everything(metrics);
  metrics.zone("with \"quotes\", a \\ and a \n line break");
  const std::string text = metrics.exposition();
  EXPECT_THAT(read_exposition(text).bad_lines, IsEmpty());
  EXPECT_TRUE(text.ends_with('\n'));
}

TEST(Exposition, EachSeriesBelongsToAFamilyWithTypeAndHelp) {
  Metrics metrics("1.2.3");
  touch_everything(metrics);
  const Scrape scrape = read_exposition(metrics.exposition());
  ASSERT_FALSE(scrape.samples.empty());
  for (const Sample& sample : scrape.samples) {
    const std::string family = family_of(scrape, sample.name);
    EXPECT_TRUE(scrape.types.contains(family)) << sample.name;
    ASSERT_TRUE(scrape.helps.contains(family)) << sample.name;
    EXPECT_FALSE(scrape.helps.at(family).empty()) << sample.name;
  }
}

TEST(Exposition, NoSeriesComesTwice) {
  Metrics metrics("1.2.3");
  touch_everything(metrics);
  touch_everything(metrics);
  std::set<std::pair<std::string, std::map<std::string, std::string>>> seen;
  for (const Sample& sample : read_exposition(metrics.exposition()).samples) {
    EXPECT_TRUE(seen.emplace(sample.name, sample.labels).second) << sample.name;
  }
}

TEST(Exposition, FamiliesAreExactlyThese) {
  Metrics metrics("1.2.3");
  touch_everything(metrics);
  const std::map<std::string, std::string> families{
      {"node_collector_zone_health", "gauge"},
      {"node_collector_zone_size", "gauge"},
      {"node_collector_unhealthy_nodes_in_zone", "gauge"},
      {"node_collector_evictions_total", "counter"},
      {"node_collector_update_node_health_duration_seconds", "histogram"},
      {"node_collector_update_all_nodes_health_duration_seconds", "histogram"},
      {"taint_eviction_controller_pod_deletions_total", "counter"},
      {"taint_eviction_controller_pod_deletion_duration_seconds", "histogram"},
      {"leader_election_master_status", "gauge"},
      {"leader_election_slowpath_total", "counter"},
      {"nlc_election_transitions_total", "counter"},
      {"nlc_election_renewal_duration_seconds", "histogram"},
      {"rest_client_requests_total", "counter"},
      {"rest_client_request_duration_seconds", "histogram"},
      {"nlc_judgement_held", "gauge"},
      {"nlc_blind_seconds_total", "counter"},
      {"nlc_events_dropped_total", "counter"},
      {"nlc_foreign_writes_total", "counter"},
      {"nlc_writes_total", "counter"},
      {"nlc_watch_events_total", "counter"},
      {"nlc_watch_restarts_total", "counter"},
      {"nlc_paused_nodes", "gauge"},
      {"nlc_policy_state", "gauge"},
      {"nlc_store_objects", "gauge"},
      {"nlc_informer_seconds_since_progress", "gauge"},
      {"nlc_malformed_objects_total", "counter"},
      {"nlc_build_info", "gauge"},
      {"nlc_node_unknown_delay_seconds", "histogram"},
      {"nlc_zone_state", "gauge"},
      {"nlc_zone_eviction_queue", "gauge"},
      {"workqueue_depth", "gauge"},
      {"workqueue_adds_total", "counter"},
      {"workqueue_retries_total", "counter"},
      {"workqueue_work_duration_seconds", "histogram"},
      {"process_cpu_seconds_total", "counter"},
      {"process_resident_memory_bytes", "gauge"},
      {"process_start_time_seconds", "gauge"},
      {"process_open_fds", "gauge"},
  };
  EXPECT_EQ(read_exposition(metrics.exposition()).types, families);
}

TEST(Exposition, CountersAndOnlyCountersEndInTotal) {
  Metrics metrics("1.2.3");
  touch_everything(metrics);
  for (const auto& [family, type] : read_exposition(metrics.exposition()).types) {
    EXPECT_EQ(family.ends_with("_total"), type == "counter") << family;
  }
}

TEST(Exposition, BucketsOfOneNodesJudgementAreUpstreams) {
  Metrics metrics("1.2.3");
  const Scrape scrape = read_exposition(metrics.exposition());
  EXPECT_THAT(
      scrape.label_values("node_collector_update_node_health_duration_seconds_bucket", "le"),
      ElementsAre("0.001", "0.004", "0.016", "0.064", "0.256", "1.024", "4.096", "16.384", "+Inf"));
}

TEST(Exposition, BucketsOfTheWholePassAreUpstreams) {
  Metrics metrics("1.2.3");
  const Scrape scrape = read_exposition(metrics.exposition());
  EXPECT_THAT(
      scrape.label_values("node_collector_update_all_nodes_health_duration_seconds_bucket", "le"),
      ElementsAre("0.01", "0.04", "0.16", "0.64", "2.56", "10.24", "40.96", "163.84", "+Inf"));
}

TEST(Exposition, BucketsOfPodDeletionsAreUpstreams) {
  Metrics metrics("1.2.3");
  const Scrape scrape = read_exposition(metrics.exposition());
  EXPECT_THAT(
      scrape.label_values("taint_eviction_controller_pod_deletion_duration_seconds_bucket", "le"),
      ElementsAre("0.005", "0.025", "0.1", "0.5", "1", "2.5", "10", "30", "60", "120", "180", "240",
                  "+Inf"));
}

TEST(Exposition, BucketsOfRequestsAreThoseOfEveryComponent) {
  Metrics metrics("1.2.3");
  touch_everything(metrics);
  const Scrape scrape = read_exposition(metrics.exposition());
  EXPECT_THAT(scrape.label_values("rest_client_request_duration_seconds_bucket", "le"),
              ElementsAre("0.005", "0.025", "0.1", "0.25", "0.5", "1", "2", "4", "8", "15", "30",
                          "60", "+Inf"));
}

TEST(Exposition, BucketsOfWritesAreThoseOfEveryWorkQueue) {
  Metrics metrics("1.2.3");
  const Scrape scrape = read_exposition(metrics.exposition());
  const auto buckets = scrape.label_values("workqueue_work_duration_seconds_bucket", "le");
  ASSERT_EQ(buckets.size(), queues.size() * 11);
  EXPECT_EQ(buckets.front(), "1e-08");
  EXPECT_EQ(buckets.at(9), "10");
}

TEST(Exposition, MayBeReadWhileAnotherThreadCounts) {
  Metrics metrics("1.2.3");
  const Counter counted = metrics.events_dropped();
  const Histogram timed = metrics.node_health_duration();
  constexpr int times = 2000;
  std::thread counting([&] {
    for (int i = 0; i < times; ++i) {
      counted.add();
      timed.observe(0.5);
      metrics.requests("PATCH", "api", 200 + i % 50).add();
    }
  });
  double before = 0;
  for (int i = 0; i < 20; ++i) {
    const Scrape scrape = read_exposition(metrics.exposition());
    EXPECT_THAT(scrape.bad_lines, IsEmpty());
    const double now = scrape.value("nlc_events_dropped_total").value_or(-1);
    EXPECT_GE(now, before);
    before = now;
  }
  counting.join();
  EXPECT_EQ(read_exposition(metrics.exposition()).value("nlc_events_dropped_total"), times);
}

}  // namespace
}  // namespace nlc::metrics
