#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/server_cases.h"

/// What the API server shows that is past: backups, late caches, old answers, and old events.
namespace nlc::sim::scenario::testing {
namespace {

TEST(RestoreStep, WhatWasStoredIsBackAndWhatCameSinceIsGone) {
  EXPECT_EQ(
      seen_in({.timeline = {node0_beats, "{at: 15s, backup: {}}", labelled_node0,
                            "{at: 25s, delete: {kind: Pod, name: pod0, gracePeriodSeconds: 0}}",
                            "{at: 30s, restore: {}}"},
               .expect = {expecting("at: 29s",
                                    "{node: {name: node0, labels: {a: b}}}, {pod: {name: pod0, "
                                    "exists: false}}"),
                          expecting("at: 31s",
                                    "{node: {name: node0, labels_absent: [a]}}, {pod: {name: "
                                    "pod0, exists: true, deletion: none}}")}}),
      "");
}

TEST(RestoreStep, TheControllersWatchesBreakAndItListsAnew) {
  for (const std::string how : {"{}", "{bump_revision: true}"}) {
    EXPECT_EQ(seen_in({.timeline = {node0_beats, "{at: 15s, backup: {}}",
                                    "{at: 30s, restore: " + how + "}"},
                       .expect = {expecting("counted_in: [30s, 60s]",
                                            "{requests: {verb: WATCH, resource: nodes, count: "
                                            "{min: 1}}}"),
                                  expecting("holds: [0s, 10m]", node0_is_alive)}}),
              "")
        << how;
  }
}

TEST(RestoreStep, WhatTheControllerDidBeforeStaysCounted) {
  const std::string once = "{pods_evicted: {count: 1}}";
  EXPECT_EQ(seen_in({.given = std::string(two_nodes) +
                              "  - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: "
                              "{nodeName: node1}}\n",
                     .timeline = {"{at: 5s, patch: {kind: Node, name: node1, merge: {spec: "
                                  "{taints: [{key: k, effect: NoExecute}]}}}}",
                                  "{at: 10s, backup: {}}", "{at: 20s, restore: {}}"},
                     .expect = {expecting("counted_in: [0s, 60s]", once),
                                expecting("counted_in: [0s, 60s]",
                                          "{events: {reason: TaintManagerEviction, count: {min: "
                                          "1}}}")}}),
            "");
}

TEST(RestoreStep, WhileTheServerIsGoneNobodyIsHeard) {
  EXPECT_EQ(
      seen_in({.timeline = {node0_dies_at_30s, "{at: 15s, backup: {}}",
                            "{at: 40s, restore: {down: 20s}}",
                            "{at: 50s, patch: {kind: Node, name: node0, merge: {metadata: "
                            "{labels: {a: b}}}}}"},
               .expect = {expecting("holds: [0s, 5m]", "{node: {name: node0, labels_absent: [a]}}"),
                          expecting("at: 61s",
                                    "{node: {name: node1, conditions: {Ready: {lastHeartbeatTime: "
                                    "{between: [60s, 60s]}}}}}"),
                          expecting("counted_in: [40s, 59.9s]",
                                    "{requests: {verb: '*', verb_class: write, resource: [nodes, "
                                    "pods], count: 0}}")}}),
      "");
}

TEST(RestoreStep, WithoutABackupTheCaseFails) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 30s, restore: {}}"},
                     .expect = {expecting("at: 40s", node0_is_alive)}}),
            "at +30.000s: there is no backup");
}

TEST(CacheStep, HoldsWatchesOfNodesPodsAndLeasesAlike) {
  const std::string nobody_else = "{from: 0s, until: 10m, every: 10s, renew_lease: {node: node0}}";
  EXPECT_EQ(seen_in({.timeline = {nobody_else, "{at: 35s, cache: {hold: leases, until: 3m}}"},
                     .expect = {expecting("holds: [0s, 10m]", node0_is_alive)}}),
            "");
  EXPECT_EQ(seen_in({.given = std::string(two_nodes) +
                              "  - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: "
                              "{nodeName: node1, tolerations: [{operator: Exists}]}}\n",
                     .timeline = {"{at: 2s, cache: {hold: pods/p, until: 60s}}",
                                  "{at: 5s, patch: {kind: Node, name: node1, merge: {spec: "
                                  "{taints: [{key: k, effect: NoExecute}]}}}}",
                                  "{at: 10s, patch: {kind: Pod, name: p, merge: {spec: "
                                  "{tolerations: []}}}}"},
                     .expect = {expecting("holds: [0s, 59.9s]", "{pod: {name: p, deletion: none}}"),
                                expecting("becomes: [60s, 61s]",
                                          "{pod: {name: p, deletion: requested}}")}}),
            "");
}

TEST(CacheStep, TheKeyMayBeAPatternSoThatALeaderKeepsItsLease) {
  EXPECT_EQ(seen_in({.start = "{at: 0s, start: controller, replica: a}",
                     .timeline = {"{at: 1s, start: controller, replica: b}",
                                  "{at: 10s, cache: {hold: 'leases/kube-node-lease/*'}}",
                                  "{at: 60s, stop: controller, replica: a}"},
                     .expect = {expecting("becomes: [60s, 60.1s]", "{leaders: {replica: b}}")}}),
            "");
}

TEST(StaleReadsStep, ReadsAnswerWhatWasSo) {
  // The new process lists nodes as they were at 10 s, and never learns of the user's taint.
  const std::vector<std::string> steps{
      node0_beats,
      "{at: 20s, patch: {kind: Node, name: node1, merge: {spec: {taints: [{key: k, effect: "
      "NoExecute}]}}}}",
      "{at: 15s, fail_api: {verb: WATCH, streams_list: true, resource: nodes, respond: {code: "
      "422, reason: Invalid}}}",
      "{from: 15s, until: 5m, stale_reads: {resource: nodes, as_of: 10s}}",
      "{at: 15s, fail_api: {verb: WATCH, resource: nodes, respond: hang}}",
      "{at: 18s, restart: controller}"};
  const std::string given = std::string(two_nodes) +
                            "  - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: "
                            "node1}}\n";
  const std::string kept = expecting("holds: [0s, 2m]", "{pod: {name: p, deletion: none}}");
  EXPECT_EQ(seen_in({.given = given, .timeline = steps, .expect = {kept}}), "");
  std::vector<std::string> live = steps;
  live.erase(live.begin() + 3);
  EXPECT_NE(seen_in({.given = given, .timeline = live, .expect = {kept}}), "");
}

TEST(StaleReadsStep, WithoutABackupTheCaseFails) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 30s, stale_reads: {resource: nodes, as_of: backup}}"},
                     .expect = {expecting("at: 31s", node0_is_alive)}}),
            "at +30.000s: there is no backup");
}

TEST(ReplayStep, WatchesAreToldOnceMoreWhatAnObjectWas) {
  const Parts parts{
      .timeline = {"{from: 0s, until: 30s, every: 10s, renew_lease: {node: node0}}",
                   "{from: 41s, until: 5m, every: 10s, replay: {kind: Lease, name: node0, as_of: "
                   "15s}}"},
      .expect = {expecting("holds: [0s, 70s]", node0_is_alive),
                 expecting("becomes: [70s, 71s]", node0_is_unknown)}};
  EXPECT_EQ(seen_in(parts), "");
}

TEST(ReplayStep, WhatWasNotThereThenFailsTheCase) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 30s, replay: {kind: Lease, name: node0, as_of: 15s}}"},
                     .expect = {expecting("at: 31s", node0_is_alive)}}),
            "at +30.000s: there was no such object then");
}

}  // namespace
}  // namespace nlc::sim::scenario::testing
