#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/server_cases.h"

/// What else the API server can be made to do wrong: its clock, its watches, its answers.
namespace nlc::sim::scenario::testing {
namespace {

using ::testing::HasSubstr;

std::string problem_of(const std::string& step) { return problem_of(Parts{.timeline = {step}}); }

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
                                  expecting("holds: [0s, 3m]", node0_is_alive)}}),
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
                            expecting("holds: [0s, 3m]", node0_is_alive)}}),
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
  EXPECT_EQ(
      seen_in({.timeline = short_of_memory,
               .expect = {gone("value: {min: 1}"), expecting("holds: [0s, 3m]", node0_is_alive)}}),
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
                    expecting("holds: [0s, 3m]", node0_is_alive)}});
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
  std::vector<std::string> steps{node0_dies_at_30s};
  const auto seen = [&] {
    return seen_in({.timeline = steps,
                    .expect = {expecting("holds: [0s, 70s]", node0_is_alive),
                               expecting("becomes: [70s, 71s]", node0_is_unknown),
                               expecting("at: 5m",
                                         "{metric: {name: nlc_store_objects, labels: {resource: "
                                         "nodes}, value: 2}}")}});
  };
  EXPECT_EQ(seen(), "");
  steps.insert(steps.begin(), "{from: 0s, until: 3m, speak_protobuf: {}}");
  EXPECT_EQ(seen(), "");
}

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

}  // namespace
}  // namespace nlc::sim::scenario::testing
