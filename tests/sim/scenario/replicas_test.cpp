#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/small_case.h"

/// Several replicas of the controller in one case: each a process and a machine of its own.
namespace nlc::sim::scenario::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

/// Replica a starts at once and b a second later, so a leads first.
Parts two_replicas(std::vector<std::string> timeline, std::vector<std::string> expect) {
  timeline.insert(timeline.begin(), "{at: 1s, start: controller, replica: b}");
  return {.start = "{at: 0s, start: controller, replica: a}",
          .timeline = std::move(timeline),
          .expect = std::move(expect)};
}

const std::string a_leads = "{leaders: {replica: a, count: 1}}";
const std::string b_leads = "{leaders: {replica: b, count: 1}}";

TEST(Replicas, ContendAndOneOfThemLeads) {
  EXPECT_EQ(seen_in(two_replicas(
                {}, {expecting("holds: [0s, 5m]", "{leaders: {count: {max: 1}}}"),
                     expecting("holds: [10s, 5m]", a_leads),
                     expecting("holds: [10s, 5m]", "{leaders: {replica: b, leads: false}}")})),
            "");
}

/// How /readyz of replica a tells of its election.
std::string a_ready(const std::string& how) {
  return "{health: {replica: a, check: leaderElection, " + how + "}}";
}

/// From `from` on the lock's requests of this verb are answered with this code.
std::string refused(const std::string& from, const std::string& verb, const std::string& respond) {
  return "{from: " + from + ", until: 10m, fail_api: {verb: " + verb +
         ", resource: leases, namespace: kube-system, respond: {" + respond + "}}}";
}

TEST(Replicas, WhoIsForbiddenTheLockIsNotReadyAndSaysWhy) {
  EXPECT_EQ(seen_in(two_replicas(
                {refused("0s", "GET", "code: 403, reason: Forbidden, message: no right to it")},
                {expecting("holds: [5s, 2m]", a_ready("ok: false, detail_has: no right to it"))})),
            "");
}

TEST(Replicas, WhoseLockHasNoNamespaceOrABadNameIsNotReadyAndSaysWhy) {
  EXPECT_EQ(
      seen_in(two_replicas(
          {refused("0s", "POST", "code: 404, reason: NotFound, message: no such namespace")},
          {expecting("holds: [5s, 2m]", a_ready("ok: false, detail_has: no such namespace"))})),
      "");
  EXPECT_EQ(
      seen_in(two_replicas(
          {refused("0s", "POST", "code: 422, reason: Invalid, message: no name of a lease")},
          {expecting("holds: [5s, 2m]", a_ready("ok: false, detail_has: no name of a lease"))})),
      "");
}

TEST(Replicas, ThatLostTheRightToTheLockAreReadyUntilALeaseLaterAndAgainWhenItIsBack) {
  EXPECT_EQ(seen_in(two_replicas(
                {"{from: 1m, until: 3m, fail_api: {verb: '*', resource: leases, namespace: "
                 "kube-system, respond: {code: 403, reason: Forbidden, message: no right to it}}}"},
                {expecting("holds: [5s, 1m10s]", a_ready("ok: true")),
                 expecting("holds: [80s, 179s]", a_ready("ok: false, detail_has: no right to it")),
                 expecting("holds: [3m10s, 5m]", a_ready("ok: true"))})),
            "");
}

TEST(Replicas, StayReadyWhileTheServerOnlyFails) {
  EXPECT_EQ(seen_in(two_replicas({refused("0s", "'*'", "code: 500")},
                                 {expecting("holds: [5s, 5m]", a_ready("ok: true"))})),
            "");
}

TEST(Replicas, OnlyTheLeaderWrites) {
  const auto writes_of = [](const char* replica, const char* count) {
    return "{requests: {replica: " + std::string(replica) +
           ", verb_class: write, resource: [nodes, pods, events], count: " + count + "}}";
  };
  EXPECT_EQ(seen_in(two_replicas({}, {expecting("counted_in: [0s, 2m]", writes_of("a", "{min: 3}")),
                                      expecting("counted_in: [0s, 2m]", writes_of("b", "0"))})),
            "");
}

TEST(Replicas, WhoeverIsStoppedGivesTheLeaseBackAndTheOtherLeadsAtOnce) {
  EXPECT_EQ(
      seen_in(two_replicas(
          {"{at: 30s, stop: controller, leader: true}"},
          {expecting("holds: [10s, 29.9s]", a_leads), expecting("holds: [30.1s, 2m]", b_leads),
           expecting("counted_in: [32s, 2m]",
                     "{requests: {replica: a, verb: '*', resource: '*', count: 0}}")})),
      "");
}

TEST(Replicas, WhoeverIsKilledSaysNothingAndTheOtherWaitsForTheLeaseToEnd) {
  EXPECT_EQ(seen_in(two_replicas({"{at: 30s, kill: controller, replica: a}"},
                                 {expecting("holds: [30.1s, 42s]", "{leaders: {count: 0}}"),
                                  expecting("becomes: [42s, 48s]", b_leads)})),
            "");
}

TEST(Replicas, WhoeverWasKilledMayStartAgainWithoutMemory) {
  EXPECT_EQ(seen_in(two_replicas({"{at: 30s, kill: controller, replica: b}",
                                  "{at: 35s, start: controller, replica: b}"},
                                 {expecting("counted_in: [35s, 36s]",
                                            "{requests: {replica: b, verb: WATCH, resource: nodes, "
                                            "count: 1}}"),
                                  expecting("holds: [10s, 2m]", a_leads)})),
            "");
}

TEST(Replicas, AreRestartedByNameOrByTheirRank) {
  EXPECT_EQ(seen_in(two_replicas({"{at: 30s, restart: controller, leader: true, down: 2s}"},
                                 {expecting("at: 31s", "{leaders: {count: 0}}"),
                                  expecting("becomes: [40s, 48s]", "{leaders: {count: 1}}"),
                                  expecting("at: 40s", "{process: alive}")})),
            "");
}

TEST(Replicas, AReplicaThatIsCutOffLosesItsRightAndTheOtherTakesOver) {
  for (const std::string state : {"down", "silent"}) {
    EXPECT_EQ(
        seen_in(two_replicas({"{from: 30s, until: 90s, link: {replica: a, state: " + state + "}}"},
                             {expecting("holds: [0s, 3m]", "{leaders: {count: {max: 1}}}"),
                              expecting("holds: [50s, 3m]", b_leads),
                              expecting("counted_in: [31s, 89s]",
                                        "{requests: {replica: a, verb: '*', resource: '*', "
                                        "count: 0}}"),
                              expecting("counted_in: [91s, 3m]",
                                        "{requests: {replica: a, verb: GET, resource: "
                                        "leases, count: {min: 1}}}")})),
        "")
        << state;
  }
}

TEST(Replicas, APausedReplicaRunsNothingAndLosesItsRightWhileItsConnectionsStayOpen) {
  EXPECT_EQ(
      seen_in(two_replicas(
          {"{from: 30s, until: 90s, pause: controller, replica: a}"},
          {expecting("holds: [0s, 3m]", "{leaders: {count: {max: 1}}}"),
           expecting("holds: [50s, 3m]", b_leads),
           expecting("counted_in: [31s, 89s]",
                     "{requests: {replica: a, verb: '*', resource: '*', count: 0}}"),
           expecting("counted_in: [90s, 3m]",
                     "{requests: {replica: a, verb: GET, resource: leases, count: {min: 1}}}"),
           expecting("counted_in: [90s, 3m]",
                     "{requests: {replica: a, verb: WATCH, resource: nodes, count: 0}}"),
           expecting("holds: [0s, 3m]", "{process: alive}")})),
      "");
}

TEST(Replicas, APausedReplicaIsStoppedWhenItIsResumedAndKilledAtOnce) {
  const auto ended_at = [](const std::string& how, const std::string& alive,
                           const std::string& ended) {
    return seen_in(two_replicas({"{from: 30s, until: 60s, pause: controller, replica: b}",
                                 "{at: 40s, " + how + ": controller, replica: b}"},
                                {expecting("holds: [30s, " + alive + "]", "{process: alive}"),
                                 expecting("counted_in: [" + ended + ", 3m]",
                                           "{requests: {replica: b, verb: '*', resource: '*', "
                                           "count: 0}}")}));
  };
  EXPECT_EQ(ended_at("stop", "59.9s", "62s"), "");
  EXPECT_EQ(ended_at("kill", "39.9s", "41s"), "");
}

TEST(Replicas, AStepThatWouldChangeNothingFailsItsCaseUnlessThatLeavesItOut) {
  const auto fails = [](const std::string& first, const std::string& second) {
    Parts parts{.timeline = {"{at: 30s, " + first + ": controller}",
                             "{at: 40s, " + second + ": controller}"},
                .expect = {expecting("at: 1m", "{node: {name: node1, exists: true}}")}};
    const std::string seen = seen_in(parts);
    parts.given += "  skip_impossible: true\n";
    EXPECT_EQ(seen_in(parts), "") << first << " " << second;
    return seen;
  };
  for (const char* second : {"stop", "kill", "pause", "resume", "restart"}) {
    EXPECT_EQ(fails("kill", second), "at +40.000s: the controller does not run") << second;
  }
  EXPECT_EQ(fails("stop", "stop"), "at +40.000s: the controller does not run");
  EXPECT_EQ(fails("pause", "pause"), "at +40.000s: the controller is paused already");
  EXPECT_EQ(fails("restart", "resume"), "at +40.000s: the controller is not paused");
}

TEST(Replicas, AReplicaThatIsStoppingIsStoppedOnce) {
  EXPECT_EQ(seen_in(two_replicas({"{at: 30s, pause: controller, replica: b}",
                                  "{at: 31s, stop: controller, replica: b}",
                                  "{at: 32s, stop: controller, replica: b}"},
                                 {expecting("at: 1m", a_leads)})),
            "at +32.000s: replica b is stopping already");
}

TEST(Replicas, AStepFindsWhatTheStepsBeforeItAtTheSameMomentMade) {
  EXPECT_EQ(seen_in(two_replicas({"{at: 30s, pause: controller, replica: b}",
                                  "{at: 30s, resume: controller, replica: b}"},
                                 {expecting("holds: [30s, 1m]", a_leads)})),
            "");
}

TEST(Replicas, OfStepsThatLastTheOneThatBeganLastHasItsWayAndThenTheOneBefore) {
  for (const char* second : {"from: 60s, until: 90s", "from: 50s, until: 90s",
                             "from: 40s, until: 50s", "from: 31s, until: 60s"}) {
    for (const std::string step :
         {"link: {state: down, replica: a}", "pause: controller, replica: a"}) {
      const bool touches = std::string_view(second).ends_with("90s");
      EXPECT_EQ(seen_in(two_replicas(
                    {"{from: 30s, until: 60s, " + step + "}",
                     "{" + std::string(second) + ", " + step + "}"},
                    {expecting(touches ? "counted_in: [31s, 89s]" : "counted_in: [31s, 59s]",
                               "{requests: {replica: a, verb: '*', resource: '*', count: 0}}"),
                     expecting("counted_in: [90s, 3m]",
                               "{requests: {replica: a, verb: '*', resource: '*', count: {min: "
                               "1}}}")})),
                "")
          << second << " " << step;
    }
  }
}

TEST(Replicas, TheEndOfAPauseWakesNoLaterLife) {
  EXPECT_EQ(
      seen_in(two_replicas(
          {"{from: 30s, until: 90s, pause: controller, replica: a}",
           "{at: 40s, kill: controller, replica: a}", "{at: 50s, start: controller, replica: a}",
           "{at: 60s, pause: controller, replica: a}"},
          {expecting("counted_in: [61s, 3m]",
                     "{requests: {replica: a, verb: '*', resource: '*', count: 0}}")})),
      "");
}

TEST(Replicas, APauseOfWhatStartsInTheSameMomentEnds) {
  EXPECT_EQ(seen_in(two_replicas({"{from: 40s, until: 50s, pause: controller, replica: a}",
                                  "{at: 20s, kill: controller, replica: a}",
                                  "{at: 40s, start: controller, replica: a}"},
                                 {expecting("counted_in: [50s, 3m]",
                                            "{requests: {replica: a, verb: '*', resource: '*', "
                                            "count: {min: 1}}}")})),
            "");
}

TEST(Replicas, AKillTakesBackTheLifeThatWasToCome) {
  const std::string nobody = expecting("holds: [31s, 3m]", "{leaders: {count: 0}}");
  const std::string restart = "{at: 10s, restart: controller, down: 60s}";
  EXPECT_EQ(
      seen_in({.timeline = {restart, "{at: 20s, start: controller}", "{at: 30s, kill: controller}"},
               .expect = {nobody}}),
      "");
  EXPECT_EQ(seen_in({.timeline = {restart, "{at: 30s, kill: controller}"}, .expect = {nobody}}),
            "");
  EXPECT_EQ(seen_in({.flags = {"leader-elect: true", "on-lost: exit"},
                     .start = "{at: 0s, start: controller, restarts: 60s}",
                     .timeline = {"{from: 1s, until: 20s, link: {state: down}}",
                                  "{at: 30s, kill: controller}"},
                     .expect = {nobody}}),
            "");
}

TEST(Replicas, OfTheRequestsOfOneMomentAProcessObeysOne) {
  std::string five;
  for (int node = 2; node < 7; ++node) {
    five += "  - {apiVersion: v1, kind: Node, metadata: {name: n" + std::to_string(node) +
            "}, status: {conditions: [{type: Ready, status: 'True'}]}}\n";
  }
  for (const std::string signal : {"kill", "restart", "pause", "stop"}) {
    Parts parts{.timeline = {"{from: 10s, until: 55s, before_request: {verb: PATCH, resource: "
                             "nodes}, " +
                             signal + ": controller}"},
                .expect = {expecting("at: 1m", "{node: {name: node1, exists: true}}")}};
    parts.given += five;
    EXPECT_EQ(seen_in(parts), "") << signal;
  }
}

TEST(Replicas, ALinkStaysDownThroughARestart) {
  EXPECT_EQ(seen_in(two_replicas(
                {"{at: 30s, link: {leader: true, state: down}}",
                 "{at: 40s, restart: controller, replica: a}"},
                {expecting("counted_in: [31s, 2m]",
                           "{requests: {replica: a, verb: '*', resource: '*', count: 0}}")})),
            "");
}

TEST(Replicas, ACalendarCanBeAheadOfEverybodyElses) {
  EXPECT_EQ(
      seen_in({.timeline = {"{at: 0s, controller_clock: {offset: 1h}}"},
               .expect = {expecting("at: 41s",
                                    "{node: {name: node0, taint_detail: {key: "
                                    "node.kubernetes.io/unreachable, effect: NoExecute, timeAdded: "
                                    "{between: [1h40s, 1h41s]}}}}")}}),
      "");
}

TEST(Replicas, AFailureMayBeOfOneOfThem) {
  EXPECT_EQ(
      seen_in(two_replicas({"{from: 20s, until: 60s, fail_api: {replica: a, verb: '*', resource: "
                            "leases, respond: {code: 500}}}"},
                           {expecting("holds: [50s, 2m]", b_leads)})),
      "");
}

TEST(Replicas, TheOneThatLeadsIsAskedForMetricsUnlessAnotherIsNamed) {
  const std::string of_b =
      "{metric: {replica: b, name: node_collector_zone_size, zone: ['', ''], value: 2}}";
  EXPECT_EQ(
      seen_in(two_replicas({"{at: 30s, kill: controller, replica: a}"},
                           {expecting("at: 20s",
                                      "{metric: {name: node_collector_zone_size, zone: ['', ''], "
                                      "value: 2}}"),
                            expecting("at: 35s", of_b)})),
      "");
  EXPECT_THAT(
      seen_in(two_replicas({"{at: 30s, kill: controller, replica: a}"},
                           {expecting("at: 35s",
                                      "{metric: {name: node_collector_zone_size, zone: ['', "
                                      "''], value: 2}}")})),
      HasSubstr("not exactly one leads"));
}

TEST(Replicas, AStepForALeaderFailsItsCaseWhileNobodyLeads) {
  EXPECT_EQ(seen_in(two_replicas({"{at: 30s, kill: controller, leader: true}",
                                  "{at: 32s, kill: controller, leader: true}"},
                                 {expecting("at: 40s", "{leaders: {count: 0}}")})),
            "at +32.000s: nobody leads");
}

TEST(Replicas, WhoIsNeverStartedIsNotKnown) {
  EXPECT_EQ(problem_of(two_replicas({"{at: 3s, kill: controller, replica: c}"}, {})),
            "small.yaml:14 the replica c found, one that is started expected: a, b");
  EXPECT_EQ(problem_of(two_replicas({"{at: 3s, kill: controller}"}, {})),
            "small.yaml:14 no replica found, one that is started expected: a, b");
  EXPECT_THAT(problem_of(two_replicas({}, {expecting("at: 1s", "{leaders: {replica: c}}")})),
              HasSubstr("the replica c found"));
  EXPECT_THAT(problem_of({.timeline = {"{at: 3s, fail_api: {replica: a, respond: drop}}"}}),
              HasSubstr("the replica a found, one that is started expected: none"));
}

TEST(Replicas, WhatIsNoTargetIsRefused) {
  EXPECT_THAT(
      problem_of(two_replicas({"{at: 3s, kill: controller, replica: a, leader: true}"}, {})),
      HasSubstr("small.yaml:14 replica beside leader found"));
  EXPECT_THAT(problem_of(two_replicas({"{at: 3s, kill: etcd}"}, {})),
              HasSubstr("etcd found, controller expected"));
  EXPECT_THAT(problem_of(two_replicas({"{at: 3s, link: {replica: a, state: slow}}"}, {})),
              HasSubstr("the state slow found, up, down or silent expected"));
  EXPECT_THAT(problem_of(two_replicas({}, {expecting("at: 1s", "{leaders: {}}")})),
              HasSubstr("neither found, count or replica expected"));
}

TEST(Replicas, ACaseThatNamesNoneHasOneThatActsFromTheStart) {
  const Parts parts{.timeline = {"{at: 30s, stop: controller}"},
                    .expect = {expecting("at: 20s", "{leaders: {replica: '', count: 1}}"),
                               expecting("at: 31s", "{leaders: {count: 0}}")}};
  EXPECT_THAT(play(parts).failures, IsEmpty());
}

}  // namespace
}  // namespace nlc::sim::scenario::testing
