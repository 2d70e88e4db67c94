#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/small_case.h"

namespace nlc::sim::scenario::testing {
namespace {

using ::testing::HasSubstr;

constexpr const char* ready_true = "[{node: {name: node0, conditions: {Ready: {status: 'True'}}}}]";
constexpr const char* ready_unknown =
    "[{node: {name: node0, conditions: {Ready: {status: Unknown}}}}]";

std::string expecting_all(const std::string& when, const std::string& checks) {
  return "{when: {" + when + "}, that: " + checks + "}";
}

TEST(Timeline, ASilentNodeIsJudgedWhenItsGraceEnds) {
  EXPECT_EQ(seen_in({.expect = {expecting_all("holds: [0s, 40s]", ready_true),
                                expecting_all("becomes: [40s, 41s]", ready_unknown)}}),
            "");
}

TEST(Timeline, AHeartbeatKeepsItsNodeAliveHoweverItsClockGoes) {
  EXPECT_EQ(
      seen_in({.timeline = {"{from: 0s, until: 300s, every: 10s, heartbeat: {node: node0, ready: "
                            "'True', clock_offset: -2h}}"},
               .expect = {expecting_all("holds: [0s, 300s]", ready_true)}}),
      "");
}

TEST(Timeline, RepeatedStepsIncludeBothEnds) {
  EXPECT_EQ(seen_in({.timeline = {"{from: 10s, until: 20s, every: 10s, heartbeat: {node: node0, "
                                  "ready: 'True'}}"},
                     .expect = {expecting_all("holds: [0s, 60s]", ready_true),
                                expecting_all("becomes: [60s, 61s]", ready_unknown)}}),
            "");
}

TEST(Timeline, TheTransitionTimeMovesOnlyWithTheStatus) {
  const auto since = [](const char* time) {
    return "[{node: {name: node0, conditions: {Ready: {status: 'False', lastTransitionTime: "
           "{between: [" +
           std::string(time) + ", " + time + "]}}}}}]";
  };
  EXPECT_EQ(seen_in({.timeline = {"{from: 5s, until: 35s, every: 10s, heartbeat: {node: node0, "
                                  "ready: 'False'}}"},
                     .expect = {expecting_all("at: 36s", since("5s"))}}),
            "");
}

TEST(Timeline, KeepLeavesTheStatusAndMovesTheHeartbeat) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 7s, heartbeat: {node: node0, ready: keep}}"},
                     .expect = {expecting_all(
                         "at: 8s",
                         "[{node: {name: node0, conditions: {Ready: {status: 'True', "
                         "lastHeartbeatTime: {between: [7s, 7s]}}}}}]")}}),
            "");
}

TEST(Timeline, ARenewedLeaseIsMadeAndOwnedByItsNode) {
  EXPECT_EQ(
      seen_in({.timeline = {"{from: 0s, until: 100s, every: 10s, renew_lease: {node: node0}}"},
               .expect = {expecting_all("holds: [0s, 100s]", ready_true),
                          expecting_all("holds: [0s, 100s]",
                                        "[{lease: {name: node0, renewed_within: "
                                        "spec.leaseDurationSeconds, owner: {kind: Node, name: "
                                        "node0}}}]")}}),
      "");
}

TEST(Timeline, ALeaseCanBeSetBackStepByStep) {
  EXPECT_THAT(
      seen_in(
          {.timeline = {"{from: 0s, until: 90s, every: 10s, renew_lease: {node: node0, step: "
                        "-10s}}"},
           .expect = {expecting_all("at: 90s", "[{lease: {name: node0, renewed_within: 40s}}]")}}),
      HasSubstr("it was renewed -190.000s ago"));
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

TEST(Timeline, AppliedObjectsReplaceWhatIsThereAndKeepItsUid) {
  const std::string node =
      "{apiVersion: v1, kind: Node, metadata: {name: node0, labels: {a: b}}, status: {conditions: "
      "[{type: Ready, status: 'True'}]}}";
  EXPECT_EQ(seen_in({.timeline = {"{at: 5s, apply: [" + node + "]}"},
                     .expect = {expecting_all("becomes: [5s, 6s]",
                                              "[{node: {name: node0, labels_exact: {a: b}}}]"),
                                expecting_all("counted_in: [5s, 20s]",
                                              "[{events: {reason: RemovingNode, count: 0}}]")}}),
            "");
}

TEST(Timeline, PatchesMergeAndDeletesDelete) {
  EXPECT_EQ(
      seen_in(
          {.timeline = {"{at: 5s, patch: {kind: Node, name: node0, merge: {metadata: {labels: "
                        "{x: y}}}}}",
                        "{at: 9s, delete: {kind: Node, name: node0}}",
                        "{at: 9s, delete: {kind: Pod, name: pod0, gracePeriodSeconds: 0}}"},
           .expect = {expecting_all("becomes: [5s, 5s]", "[{node: {name: node0, labels: {x: y}}}]"),
                      expecting_all("becomes: [9s, 9s]",
                                    "[{node: {name: node0, exists: false}}, {pod: {name: pod0, "
                                    "deletion: requested, exists: false}}]")}}),
      "");
}

TEST(Timeline, WhatOthersDoIsNoRequestOfTheController) {
  EXPECT_EQ(
      seen_in(
          {.timeline = {"{from: 0s, until: 60s, every: 1s, heartbeat: {node: node0, ready: "
                        "'True'}}",
                        "{at: 5s, delete: {kind: Pod, name: pod0}}"},
           .expect = {expecting_all("counted_in: [0s, 60s]",
                                    "[{requests: {verb: '*', verb_class: write, resource: [nodes, "
                                    "pods, leases], count: 0}}]")}}),
      "");
}

TEST(Timeline, AFailureIsAnsweredSoOftenAndThenNoMore) {
  const std::string put = "verb: PUT, resource: nodes, subresource: status, name: node0";
  EXPECT_EQ(seen_in({.timeline = {"{from: 35s, until: 60s, fail_api: {" + put +
                                  ", times: 1, respond: {code: 500, reason: InternalError}}}"},
                     .expect = {expecting_all("counted_in: [0s, 60s]",
                                              "[{requests: {" + put + ", count: 2}}]"),
                                expecting_all("becomes: [40s, 51s]", ready_unknown)}}),
            "");
}

TEST(Timeline, AFailureMayTakeEffectNevertheless) {
  const std::string put = "verb: PUT, resource: nodes, subresource: status, name: node0";
  EXPECT_EQ(seen_in({.timeline = {"{from: 35s, until: 39s, note: before}",
                                  "{from: 35s, until: 60s, fail_api: {" + put +
                                      ", times: 1, applied: true, respond: {code: 504, reason: "
                                      "Timeout}}}"},
                     .expect = {expecting_all("becomes: [40s, 41s]", ready_unknown)}}),
            "");
}

TEST(Timeline, AWriteWithoutAnAnswerMayHaveTakenEffect) {
  for (const char* how : {"drop", "hang"}) {
    EXPECT_EQ(
        seen_in({.timeline = {"{from: 35s, until: 60s, fail_api: {verb: PATCH, resource: "
                              "nodes, subresource: status, times: 1, applied: true, respond: " +
                              std::string(how) + "}}"},
                 .expect = {expecting_all("becomes: [40s, 41s]", ready_unknown)}}),
        "")
        << how;
  }
}

TEST(Timeline, AWriteMayTakeEffectLongBeforeItsAnswer) {
  const std::string patch = "verb: PATCH, resource: nodes, subresource: status, name: node0";
  EXPECT_EQ(
      seen_in({.timeline = {"{from: 35s, until: 60s, fail_api: {" + patch +
                            ", delay: 5s, applied: true}}"},
               .expect = {expecting_all("becomes: [40s, 41s]", ready_unknown),
                          expecting_all("counted_in: [0s, 44s]",
                                        "[{log: {message: node marked unknown, count: 0}}]"),
                          expecting_all("counted_in: [0s, 46s]",
                                        "[{log: {message: node marked unknown, count: 1}}]")}}),
      "");
}

TEST(Timeline, AFailureWithoutAnEndGoesOnForEver) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 35s, fail_api: {verb: PUT, resource: nodes, subresource: "
                                  "status, respond: {code: 500}}}"},
                     .expect = {expecting_all("holds: [0s, 5m]", ready_true)}}),
            "");
}

TEST(Timeline, AFailureEndsAtItsTime) {
  EXPECT_EQ(seen_in({.timeline = {"{from: 0s, until: 60s, fail_api: {verb: '*', resource: '*', "
                                  "scope: writes, respond: {code: 503, reason: "
                                  "ServiceUnavailable}}}"},
                     .expect = {expecting_all("holds: [0s, 59.999s]", ready_true),
                                expecting_all("becomes: [60s, 67s]", ready_unknown)}}),
            "");
}

TEST(Timeline, AFailureMayBeOfWatchesThatBeginWithEverything) {
  const auto requests = [](const char* which, const char* count) {
    return "[{requests: {resource: nodes, " + std::string(which) + ", count: " + count + "}}]";
  };
  EXPECT_EQ(
      seen_in({.timeline = {"{at: 0s, fail_api: {verb: WATCH, streams_list: true, resource: "
                            "nodes, respond: {code: 422, reason: Invalid}}}"},
               .expect = {expecting_all("counted_in: [0s, 30s]",
                                        requests("verb: WATCH, streams_list: true", "1")),
                          expecting_all("counted_in: [0s, 30s]",
                                        requests("verb: LIST, streams_list: false", "{min: 1}")),
                          expecting_all("becomes: [40s, 41s]", ready_unknown)}}),
      "");
}

TEST(Timeline, NamesOfRequestsMayBePatterns) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, fail_api: {verb: PATCH, resource: nodes, subresource: "
                                  "status, name: 'no*0', respond: {code: 500}}}"},
                     .expect = {expecting_all("holds: [0s, 3m]", ready_true)}}),
            "");
}

TEST(Timeline, AHeldCacheHidesAnObjectFromWatchesAndNotFromReads) {
  const std::vector<std::string> story{"{at: 39s, cache: {hold: nodes/node0, until: 60s}}",
                                       "{at: 39.5s, heartbeat: {node: node0, ready: 'True'}}"};
  EXPECT_EQ(
      seen_in({.timeline = story,
               .expect = {expecting_all("holds: [0s, 79s]", ready_true),
                          expecting_all("counted_in: [40s, 60s]",
                                        "[{requests: {verb: PUT, resource: nodes, subresource: "
                                        "status, name: node0, count: {min: 1}}}]")}}),
      "");
}

TEST(Timeline, ARestartBeginsWithoutMemory) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 30s, restart: controller, down: 2s}"},
                     .expect = {expecting_all("holds: [0s, 71s]", ready_true),
                                expecting_all("becomes: [72s, 74s]", ready_unknown),
                                expecting_all("counted_in: [32s, 40s]",
                                              "[{events: {reason: RegisteredNode, count: 2}}]")}}),
            "");
}

TEST(Timeline, WhereNoStepStartsTheControllerItIsThereFromTheBeginning) {
  EXPECT_EQ(seen_in({.start = "{at: 0s, note: nobody starts it}",
                     .expect = {expecting_all("holds: [0s, 60s]", "[{process: alive}]"),
                                expecting_all("becomes: [40s, 41s]", ready_unknown)}}),
            "");
}

TEST(Timeline, AStepThatCannotBeTakenFailsItsCaseUnlessThatLeavesItOut) {
  Parts parts{.timeline = {"{at: 30s, start: controller}"}};
  EXPECT_THAT(seen_in(parts), HasSubstr("at +30.000s: what is to start runs already"));
  parts.given += "  skip_impossible: true\n";
  EXPECT_EQ(seen_in(parts), "");
}

TEST(Timeline, AControllerThatIsDownIsNotAlive) {
  EXPECT_THAT(seen_in({.timeline = {"{at: 30s, restart: controller, down: 2s}"},
                       .expect = {expecting_all("holds: [0s, 60s]", "[{process: alive}]")}}),
              HasSubstr("at +30.000s: the controller is not running"));
}

TEST(Timeline, ARestartMayWaitForAFact) {
  EXPECT_THAT(seen_in({.timeline = {"{from: 10s, when: node0 Ready is Unknown, restart: "
                                    "controller, down: 1s}"},
                       .expect = {expecting_all("holds: [0s, 60s]", "[{process: alive}]")}}),
              HasSubstr("at +40.0"));
}

TEST(Timeline, AChangeCanComeBetweenReadAndWrite) {
  EXPECT_EQ(
      seen_in({.timeline = {"{before_request: {verb: PATCH, resource: nodes, name: node0}, at: 0s, "
                            "times: 1, apply_patch: {kind: Node, name: node0, add_taint: "
                            "'example.com/x:NoSchedule'}}"},
               .expect = {expecting_all(
                   "becomes: [40s, 50s]",
                   "[{node: {name: node0, has_taints: ['example.com/x:NoSchedule', "
                   "'node.kubernetes.io/unreachable:NoSchedule']}}]")}}),
      "");
}

TEST(Timeline, AChangeBetweenTwoPassesComesBeforeTheWriteThatWasDecided) {
  EXPECT_EQ(seen_in({.timeline = {"{at: 0s, between: monitor pass and tainting pass, patch: {kind: "
                                  "Node, name: node0, merge: {metadata: {labels: {a: b}}}}}"},
                     .expect = {expecting_all("becomes: [40s, 41s]",
                                              "[{node: {name: node0, labels: {a: b}}}]")}}),
            "");
}

TEST(Timeline, AStandbyWaitsUntilTheLeaseOfTheOtherIsOver) {
  EXPECT_EQ(seen_in({.start = "{at: 0s, start: controller, as: 'standby, lease expires at 60s'}",
                     .expect = {expecting_all(
                                    "counted_in: [0s, 59s]",
                                    "[{requests: {verb: '*', verb_class: write, resource: [nodes, "
                                    "pods, events], count: 0}}]"),
                                expecting_all("becomes: [60s, 70s]", ready_unknown)}}),
            "");
}

TEST(Timeline, APausedServerHearsKubeletsOnlyAfterwards) {
  EXPECT_EQ(seen_in({.timeline = {"{from: 0s, until: 200s, every: 10s, heartbeat: {node: node0, "
                                  "ready: 'True'}}",
                                  "{from: 35s, until: 95s, pause_api: {}}"},
                     .expect = {expecting_all("holds: [0s, 200s]", ready_true)}}),
            "");
}

TEST(Timeline, FlagsAreTheProgramsOwnAndOursWin) {
  const Parts parts{.expect = {expecting_all("holds: [0s, 79s]", ready_true)}};
  EXPECT_NE(seen_in(parts), "");
  EXPECT_EQ(play(parts, {.flags = {{"node-monitor-grace-period", "80s"}}}).verdict,
            Verdict::Passed);
  const Outcome bad = play(parts, {.flags = {{"node-monitor-period", "-1s"}}});
  ASSERT_EQ(bad.failures.size(), 1U);
  EXPECT_EQ(bad.failures[0].expectation, "flags");
  EXPECT_THAT(bad.failures[0].seen, HasSubstr("--node-monitor-period"));
}

}  // namespace
}  // namespace nlc::sim::scenario::testing
