#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/small_case.h"

/// What the API server can be made to do wrong: backups, webhooks, old answers.
namespace nlc::sim::scenario::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

std::string problem_of(const std::string& step) { return problem_of(Parts{.timeline = {step}}); }

const std::string node0_beats =
    "{from: 0s, until: 10m, every: 10s, heartbeat: {node: node0, ready: 'True'}}";
const std::string dies_at_30s =
    "{from: 0s, until: 30s, every: 10s, heartbeat: {node: node0, ready: 'True'}}";
const std::string alive = "{node: {name: node0, conditions: {Ready: {status: 'True'}}}}";
const std::string is_unknown = "{node: {name: node0, conditions: {Ready: {status: Unknown}}}}";
const std::string labelled_node0 =
    "{at: 20s, patch: {kind: Node, name: node0, merge: {metadata: {labels: {a: b}}}}}";

// --- backups ------------------------------------------------------------------------------------

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
                                  expecting("holds: [0s, 10m]", alive)}}),
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
      seen_in({.timeline = {dies_at_30s, "{at: 15s, backup: {}}", "{at: 40s, restore: {down: 20s}}",
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
  EXPECT_EQ(
      seen_in({.timeline = {"{at: 30s, restore: {}}"}, .expect = {expecting("at: 40s", alive)}}),
      "at +30.000s: there is no backup");
}

// --- writes that are not taken ------------------------------------------------------------------

TEST(ReadOnlyStep, NobodysWritesAreStoredAndReadsAndWatchesGoOn) {
  EXPECT_EQ(
      seen_in({.timeline = {"{from: 20s, until: 90s, read_only: {}}", labelled_node0,
                            "{at: 50s, restart: controller}"},
               .expect = {expecting("holds: [0s, 89.9s]", alive),
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
    (void)play({.timeline = {step}, .expect = {expecting("at: 41s", alive)}},
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
               .expect = {expecting("at: 42s", is_unknown),
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
                     .expect = {expecting("holds: [0s, 79.9s]", alive)}}),
            "");
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, " + status + "times: 1, refuse: {}}}"},
                     .expect = {expecting("becomes: [40s, 51s]", is_unknown),
                                expecting("counted_in: [0s, 55s]",
                                          "{requests: {verb: PATCH, resource: nodes, subresource: "
                                          "status, count: 2}}")}}),
            "");
}

TEST(AdmissionStep, IsAboutTheResourceItselfUnlessASubresourceIsNamed) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, admission: {resource: nodes, refuse: {}}}"},
                     .expect = {expecting("becomes: [40s, 41s]", is_unknown),
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

TEST(AdmissionStep, AWriteThatHangsIsNeverStoredAndADelayedOneLater) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, admission: {resource: nodes, subresource: status, "
                                  "hang: true}}"},
                     .expect = {expecting("holds: [0s, 3m]", alive)}}),
            "");
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, admission: {resource: nodes, subresource: status, "
                                  "delay: 6s}}"},
                     .expect = {expecting("holds: [0s, 46s]", alive),
                                expecting("becomes: [46s, 47s]", is_unknown)}}),
            "");
}

// --- answers from the past ----------------------------------------------------------------------

TEST(CacheStep, HoldsWatchesOfNodesPodsAndLeasesAlike) {
  const std::string nobody_else = "{from: 0s, until: 10m, every: 10s, renew_lease: {node: node0}}";
  EXPECT_EQ(seen_in({.timeline = {nobody_else, "{at: 35s, cache: {hold: leases, until: 3m}}"},
                     .expect = {expecting("holds: [0s, 10m]", alive)}}),
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
                     .expect = {expecting("at: 31s", alive)}}),
            "at +30.000s: there is no backup");
}

TEST(ServerClockStep, ADateHeaderThatIsOffLetsNoTaintOfThePastBeBelieved) {
  const auto evicted_at_once = [](const std::vector<std::string>& more) {
    std::vector<std::string> steps{
        "{at: 5s, patch: {kind: Node, name: node1, merge: {spec: {taints: [{key: k, effect: "
        "NoExecute, timeAdded: '2015-01-01T12:00:05Z'}]}}}}",
        "{at: 60s, restart: controller}"};
    steps.insert(steps.end(), more.begin(), more.end());
    return seen_in(
        {.given = std::string(two_nodes) +
                  "  - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: "
                  "node1, tolerations: [{key: k, operator: Exists, effect: NoExecute, "
                  "tolerationSeconds: 60}]}}\n",
         .timeline = steps,
         .expect = {expecting("at: 70s", "{pod: {name: p, deletion: requested}}")}});
  };
  EXPECT_EQ(evicted_at_once({}), "");
  EXPECT_NE(evicted_at_once({"{at: 0s, server_clock: {offset: 1h}}"}), "");
  EXPECT_EQ(evicted_at_once({"{from: 0s, until: 50s, server_clock: {offset: -1h}}"}), "");
}

TEST(EndWatchesStep, WatchesEndInTheWayThatIsSaid) {
  for (const std::string how : {"closed", "cut", "expired"}) {
    EXPECT_EQ(seen_in({.timeline = {node0_beats,
                                    "{from: 20s, until: 60s, every: 20s, end_watches: "
                                    "{resource: nodes, how: " +
                                        how + "}}"},
                       .expect = {expecting("counted_in: [20s, 75s]",
                                            "{requests: {verb: WATCH, resource: nodes, count: 3}}"),
                                  expecting("counted_in: [20s, 75s]",
                                            "{requests: {verb: WATCH, resource: pods, count: 0}}"),
                                  expecting("holds: [0s, 3m]", alive)}}),
              "")
        << how;
  }
}

TEST(FailApiStep, AnEventInWhichAWatchBrokeOffIsToldAgain) {
  for (const std::string encoding : {"{at: 0s, note: JSON}", "{at: 0s, speak_protobuf: {}}"}) {
    EXPECT_EQ(
        seen_in({.given = std::string(two_nodes) +
                          "  - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: "
                          "node1}}\n",
                 .start = encoding + "\n  - {at: 0s, start: controller}",
                 .timeline = {node0_beats,
                              "{from: 20s, until: 2m, fail_api: {verb: WATCH, resource: nodes, "
                              "respond: torn, times: 2}}",
                              "{at: 20.1s, end_watches: {resource: nodes}}",
                              "{at: 25s, patch: {kind: Node, name: node1, merge: {spec: {taints: "
                              "[{key: k, effect: NoExecute}]}}}}"},
                 .expect = {expecting("counted_in: [20s, 60s]",
                                      "{requests: {verb: WATCH, resource: nodes, count: 3}}, {log: "
                                      "{message: it cannot be read, count: 0}}"),
                            expecting("at: 60s", "{pod: {name: p, deletion: requested}}"),
                            expecting("holds: [0s, 3m]", alive)}}),
        "")
        << encoding;
  }
}

TEST(FailApiStep, ByChanceAShareOfRequestsFails) {
  const auto renewals = [](const std::string& share) {
    return seen_in({.flags = {"leader-elect: true"},
                    .timeline = {node0_beats,
                                 "{at: 0s, fail_api: {verb: PUT, resource: leases, respond: {code: "
                                 "500}, share: " +
                                     share + "}}"},
                    .expect = {expecting("at: 2m", "{leaders: {count: 1}}")}});
  };
  EXPECT_EQ(renewals("10%"), "");
  EXPECT_NE(renewals("100%"), "");
}

TEST(ShortHistoryStep, WhoseWatchWasAwayHasToListAnew) {
  const std::vector<std::string> away{
      node0_beats,
      "{from: 19s, until: 22s, fail_api: {verb: WATCH, resource: nodes, respond: {code: 503}}}",
      "{at: 19.1s, end_watches: {resource: nodes}}"};
  const auto gone = [](const std::string& so) {
    return expecting("at: 60s",
                     "{metric: {name: nlc_watch_restarts_total, labels: {resource: nodes, reason: "
                     "version_gone}, " +
                         so + "}}");
  };
  EXPECT_EQ(seen_in({.timeline = away, .expect = {gone("exists: false")}}), "");
  std::vector<std::string> short_of_memory = away;
  short_of_memory.push_back("{from: 0s, until: 2m, short_history: {events: 1}}");
  EXPECT_EQ(seen_in({.timeline = short_of_memory,
                     .expect = {gone("value: {min: 1}"), expecting("holds: [0s, 3m]", alive)}}),
            "");
}

TEST(SmallPagesStep, AListGoesOnWithATokenThatMayBeGone) {
  std::vector<std::string> steps{
      node0_beats,
      "{at: 0s, fail_api: {streams_list: true, resource: nodes, respond: {code: 422, reason: "
      "Invalid}}}"};
  const auto further_pages = [&](const std::string& count) {
    return seen_in(
        {.start = "{at: 1s, start: controller}",
         .timeline = steps,
         .expect = {expecting("counted_in: [0s, 60s]",
                              "{requests: {verb: LIST, resource: nodes, continued: true, count: " +
                                  count + "}}"),
                    expecting("holds: [0s, 3m]", alive)}});
  };
  EXPECT_EQ(further_pages("0"), "");
  steps.push_back("{at: 0s, small_pages: {objects: 1}}");
  EXPECT_EQ(further_pages("1"), "");
  steps.push_back(
      "{at: 0s, fail_api: {verb: LIST, resource: nodes, continued: true, respond: {code: 410, "
      "reason: Expired}, times: 1}}");
  EXPECT_EQ(further_pages("2"), "") << "the list begins anew";
}

TEST(SpeakProtobufStep, TheControllerSeesTheSame) {
  std::vector<std::string> steps{dies_at_30s};
  const auto seen = [&] {
    return seen_in({.timeline = steps,
                    .expect = {expecting("holds: [0s, 70s]", alive),
                               expecting("becomes: [70s, 71s]", is_unknown),
                               expecting("at: 5m",
                                         "{metric: {name: nlc_store_objects, labels: {resource: "
                                         "nodes}, value: 2}}")}});
  };
  EXPECT_EQ(seen(), "");
  steps.insert(steps.begin(), "{from: 0s, until: 3m, speak_protobuf: {}}");
  EXPECT_EQ(seen(), "");
}

TEST(ReplayStep, WatchesAreToldOnceMoreWhatAnObjectWas) {
  std::string story;
  const Parts parts{
      .timeline = {"{from: 0s, until: 30s, every: 10s, renew_lease: {node: node0}}",
                   "{from: 41s, until: 5m, every: 10s, replay: {kind: Lease, name: node0, as_of: "
                   "15s}}"},
      .expect = {expecting("holds: [0s, 70s]", alive),
                 expecting("becomes: [70s, 71s]", is_unknown)}};
  EXPECT_EQ(seen_in(parts), "");
}

TEST(ReplayStep, WhatWasNotThereThenFailsTheCase) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 30s, replay: {kind: Lease, name: node0, as_of: 15s}}"},
                     .expect = {expecting("at: 31s", alive)}}),
            "at +30.000s: there was no such object then");
}

// --- what cannot be understood ------------------------------------------------------------------

TEST(ServerSteps, RefuseWhatTheyDoNotKnow) {
  EXPECT_THAT(problem_of("{at: 1s, backup: {to: disk}}"),
              HasSubstr("small.yaml:13 the key \"to\" in such a step found"));
  EXPECT_THAT(problem_of("{at: 1s, pause_api: {for: 3s}}"), HasSubstr("the key \"for\""));
  EXPECT_THAT(problem_of("{at: 1s, restore: {bump: true}}"), HasSubstr("the key \"bump\""));
  EXPECT_THAT(problem_of("{at: 1s, read_only: {code: 500}}"), HasSubstr("the key \"code\""));
  EXPECT_THAT(problem_of("{at: 1s, admission: {refuse: {}}}"),
              HasSubstr("without \"resource\" found"));
  EXPECT_THAT(problem_of("{at: 1s, admission: {resource: nodes}}"),
              HasSubstr("exactly one of mutate, refuse, hang: true and delay expected"));
  EXPECT_THAT(problem_of("{at: 1s, admission: {resource: nodes, hang: true, delay: 3s}}"),
              HasSubstr("exactly one of"));
  EXPECT_THAT(problem_of("{at: 1s, admission: {resource: nodes, mutate: {}}}"),
              HasSubstr("merge, remove_taint, remove_label or keep expected"));
  EXPECT_THAT(problem_of("{at: 1s, admission: {resource: nodes, by: me, refuse: {}}}"),
              HasSubstr("by: me found, controller or anybody expected"));
  EXPECT_THAT(problem_of("{at: 1s, stale_reads: {resource: nodes, as_of: 2s}}"),
              HasSubstr("as_of 2s found, a moment before the step expected"));
  EXPECT_THAT(problem_of("{at: 1s, stale_reads: {resource: nodes}}"),
              HasSubstr("without \"as_of\" found"));
  EXPECT_THAT(problem_of("{at: 1s, server_clock: {by: 2s}}"),
              HasSubstr("without \"offset\" found"));
  EXPECT_THAT(problem_of("{at: 1s, end_watches: {resource: nodez}}"),
              HasSubstr("the resource nodez found, a plural such as nodes expected"));
  EXPECT_THAT(problem_of("{at: 1s, short_history: {}}"), HasSubstr("without \"events\" found"));
  EXPECT_THAT(problem_of("{at: 1s, short_history: {events: 0}}"), HasSubstr("events of 1 or more"));
  EXPECT_THAT(problem_of("{at: 1s, fail_api: {respond: slowly}}"),
              HasSubstr("{code, reason}, drop, hang or torn expected"));
  EXPECT_THAT(problem_of("{at: 1s, small_pages: {}}"), HasSubstr("without \"objects\" found"));
  EXPECT_THAT(problem_of("{at: 1s, cache: {hold: node/a}}"), HasSubstr("the resource node found"));
  EXPECT_THAT(problem_of("{at: 1s, end_watches: {how: slowly}}"),
              HasSubstr("how: slowly found, closed, cut or expired expected"));
}

TEST(ServerSteps, AnAnswerMayHaveNoBody) {
  EXPECT_EQ(seen_in({.timeline = {node0_beats,
                                  "{at: 0s, fail_api: {verb: LIST, resource: leases, "
                                  "respond: {code: 200, body: ''}}}"},
                     .expect = {expecting("at: 1s", "{process: alive}")}}),
            "");
}

TEST(RenewLeaseStep, AClockThatWasSetBackRenewsWithSmallerTimes) {
  const auto renewed_at = [](const std::string& moment, const std::string& time) {
    return expecting("at: " + moment, "{lease: {name: node0, spec: {renewTime: {between: [" + time +
                                          ", " + time + "]}}}}");
  };
  EXPECT_EQ(seen_in({.timeline = {"{from: 0s, until: 60s, every: 10s, renew_lease: {node: node0}}",
                                  "{from: 70s, until: 10m, every: 10s, renew_lease: {node: node0, "
                                  "clock_offset: -1h}}"},
                     .expect = {renewed_at("65s", "60s"), renewed_at("75s", "-58m50s"),
                                renewed_at("5m", "-55m")}}),
            "");
}

}  // namespace
}  // namespace nlc::sim::scenario::testing
