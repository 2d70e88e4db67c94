#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/server_cases.h"

/// What keeps the API server from taking a write: a storage that is full, and webhooks.
namespace nlc::sim::scenario::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

TEST(ReadOnlyStep, NobodysWritesAreStoredAndReadsAndWatchesGoOn) {
  EXPECT_EQ(
      seen_in({.timeline = {"{from: 20s, until: 90s, read_only: {}}", labelled_node0,
                            "{at: 50s, restart: controller}"},
               .expect = {expecting("holds: [0s, 89.9s]", node0_is_alive),
                          expecting("holds: [0s, 5m]", "{node: {name: node0, labels_absent: [a]}}"),
                          expecting("at: 85s",
                                    "{node: {name: node1, conditions: {Ready: {lastHeartbeatTime: "
                                    "{between: [10s, 10s]}}}}}"),
                          expecting("at: 91s",
                                    "{node: {name: node1, conditions: {Ready: {lastHeartbeatTime: "
                                    "{between: [90s, 90s]}}}}}"),
                          expecting("counted_in: [51s, 60s]",
                                    "{requests: {verb: LIST, resource: nodes, count: {min: "
                                    "1}}}")}}),
      "");
}

TEST(ReadOnlyStep, SaysWhatAFullStorageSaysUnlessAnotherAnswerIsGiven) {
  const auto story = [](const std::string& step) {
    std::string told;
    (void)play({.timeline = {step}, .expect = {expecting("at: 41s", node0_is_alive)}},
               {.trace = [&](std::string_view line) { told.append(line).append("\n"); }});
    return told;
  };
  EXPECT_THAT(story("{at: 30s, read_only: {}}"),
              AllOf(HasSubstr("POST events"), HasSubstr("-> 500")));
  EXPECT_THAT(story("{at: 30s, read_only: {respond: {code: 503, reason: ServiceUnavailable}}}"),
              HasSubstr("-> 503"));
}

TEST(AdmissionStep, AWebhookDropsATaintOrALabelThatTheControllerWrites) {
  const std::string noexecute = "node.kubernetes.io/unreachable:NoExecute";
  EXPECT_EQ(
      seen_in({.timeline = {"{at: 0s, admission: {resource: nodes, mutate: {remove_taint: '" +
                            noexecute + "'}}}"},
               .expect = {expecting("at: 41s",
                                    "{node: {name: node0, has_taints: "
                                    "['node.kubernetes.io/unreachable:NoSchedule'], lacks_taints: "
                                    "['" +
                                        noexecute + "']}}")}}),
      "");
  const auto label_is = [](const std::string& steps, const std::string& so) {
    return seen_in({.given =
                        "  - {apiVersion: v1, kind: Node, metadata: {name: node0, labels: "
                        "{kubernetes.io/os: linux}}, status: {conditions: [{type: Ready, status: "
                        "'True'}]}}\n"
                        "  - {apiVersion: v1, kind: Node, metadata: {name: other}}\n",
                    .timeline = {node0_beats, steps},
                    .expect = {expecting("at: 2s", "{node: {name: node0, " + so + "}}")}});
  };
  EXPECT_EQ(label_is("{at: 0s, admission: {resource: nodes, name: 'node*', verb: PATCH, mutate: "
                     "{remove_label: beta.kubernetes.io/os}}}",
                     "labels_absent: [beta.kubernetes.io/os]"),
            "");
  EXPECT_EQ(label_is("{at: 0s, admission: {resource: nodes, name: other, mutate: {remove_label: "
                     "beta.kubernetes.io/os}}}",
                     "labels: {beta.kubernetes.io/os: linux}"),
            "");
}

TEST(AdmissionStep, AWebhookMayMergeOrKeepWhatWas) {
  EXPECT_EQ(
      seen_in({.timeline = {"{at: 0s, admission: {resource: nodes, mutate: {merge: {metadata: "
                            "{labels: {seen: by-webhook}}}}}}",
                            "{at: 0s, admission: {resource: pods, subresource: status, mutate: "
                            "{keep: status.conditions}}}"},
               .expect = {expecting("at: 42s", node0_is_unknown),
                          expecting("at: 42s", "{node: {name: node0, labels: {seen: by-webhook}}}"),
                          expecting("at: 42s",
                                    "{pod: {name: pod0, conditions: {Ready: {status: 'True'}}}}"),
                          expecting("counted_in: [0s, 42s]",
                                    "{requests: {verb: PATCH, resource: pods, subresource: "
                                    "status, count: {min: 1}}}")}}),
      "");
}

TEST(AdmissionStep, ARefusalStoresNothingAndEndsAtItsTimeOrAfterSoMany) {
  const std::string status = "admission: {resource: nodes, subresource: status, ";
  EXPECT_EQ(seen_in({.timeline = {"{from: 0s, until: 80s, " + status +
                                  "refuse: {code: 403, reason: Forbidden, message: no}}}"},
                     .expect = {expecting("holds: [0s, 79.9s]", node0_is_alive)}}),
            "");
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, " + status + "times: 1, refuse: {}}}"},
                     .expect = {expecting("becomes: [40s, 51s]", node0_is_unknown),
                                expecting("counted_in: [0s, 55s]",
                                          "{requests: {verb: PATCH, resource: nodes, subresource: "
                                          "status, count: 2}}")}}),
            "");
}

TEST(AdmissionStep, IsAboutTheResourceItselfUnlessASubresourceIsNamed) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, admission: {resource: nodes, refuse: {}}}"},
                     .expect = {expecting("becomes: [40s, 41s]", node0_is_unknown),
                                expecting("at: 2m", "{node: {name: node0, taints: []}}")}}),
            "");
}

TEST(AdmissionStep, ConcernsTheControllerAloneUnlessItIsForAnybody) {
  const auto labelled = [](const std::string& by) {
    return seen_in({.timeline = {node0_beats, labelled_node0,
                                 "{at: 0s, admission: {resource: nodes, subresource: '*', " + by +
                                     "refuse: {}}}"},
                    .expect = {expecting("at: 25s", "{node: {name: node0, labels: {a: b}}}")}});
  };
  EXPECT_EQ(labelled(""), "");
  EXPECT_THAT(labelled("by: anybody, "), HasSubstr("the labels are"));
}

TEST(AdmissionStep, MayMutateOrDelayWhatKubeletsAndUsersWrite) {
  EXPECT_EQ(
      seen_in({.timeline = {"{at: 0s, admission: {resource: nodes, by: anybody, mutate: "
                            "{remove_label: a}}}",
                            labelled_node0},
               .expect = {expecting("at: 25s", "{node: {name: node0, labels_absent: [a]}}")}}),
      "");
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, admission: {resource: leases, by: anybody, delay: 7s}}",
                                  "{at: 20s, renew_lease: {node: node0}}"},
                     .expect = {expecting("at: 26s", "{lease: {name: node0, exists: false}}"),
                                expecting("at: 28s",
                                          "{lease: {name: node0, spec: {renewTime: {between: [20s, "
                                          "20s]}}}}")}}),
            "");
}

TEST(AdmissionStep, WhatIsDelayedMeetsWhatRefusesWhenItsDelayIsOver) {
  const std::string late = "{at: 0s, admission: {resource: nodes, subresource: status, ";
  const std::string shut = "{at: 43s, admission: {resource: nodes, subresource: status, ";
  EXPECT_EQ(seen_in({.timeline = {late + "delay: 6s}}", shut + "hang: true}}"},
                     .expect = {expecting("holds: [0s, 3m]", node0_is_alive)}}),
            "");
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, admission: {resource: leases, by: anybody, delay: 7s}}",
                                  "{at: 20s, renew_lease: {node: node0}}",
                                  "{at: 25s, admission: {resource: leases, by: anybody, refuse: "
                                  "{}}}"},
                     .expect = {expecting("at: 28s", "{lease: {name: node0, exists: false}}")}}),
            "");
}

TEST(AdmissionStep, AWriteThatHangsIsNeverStoredAndADelayedOneLater) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, admission: {resource: nodes, subresource: status, "
                                  "hang: true}}"},
                     .expect = {expecting("holds: [0s, 3m]", node0_is_alive)}}),
            "");
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, admission: {resource: nodes, subresource: status, "
                                  "delay: 6s}}"},
                     .expect = {expecting("holds: [0s, 46s]", node0_is_alive),
                                expecting("becomes: [46s, 47s]", node0_is_unknown)}}),
            "");
}

}  // namespace
}  // namespace nlc::sim::scenario::testing
