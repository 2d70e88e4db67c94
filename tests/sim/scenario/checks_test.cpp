#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/small_case.h"

namespace nlc::sim::scenario::testing {
namespace {

using ::testing::HasSubstr;

/// What a check sees in the small case: node0 falls silent and is judged after 40 s.
std::string seen(const std::string& when, const std::string& check, Parts parts = {}) {
  parts.expect.push_back("{when: {" + when + "}, that: [" + check + "]}");
  return seen_in(parts);
}

std::string at_45s(const std::string& check) { return seen("at: 45s", check); }

TEST(NodeChecks, CompareTheListedFieldsOnly) {
  EXPECT_EQ(at_45s("{node: {name: node0, conditions: {Ready: {status: Unknown, reason: "
                   "NodeStatusUnknown}}, conditions_absent: [NetworkUnavailable]}}"),
            "");
  EXPECT_EQ(at_45s("{node: {name: node0, conditions: {Ready: {status: 'True'}}}}"),
            "at +45.000s: condition Ready: status is \"Unknown\", not \"True\"");
  EXPECT_EQ(at_45s("{node: {name: node0, conditions_absent: [Ready]}}"),
            "at +45.000s: condition Ready is Unknown");
  EXPECT_EQ(at_45s("{node: {name: node0, conditions: {Bogus: {status: 'True'}}}}"),
            "at +45.000s: there is no condition Bogus");
  EXPECT_EQ(at_45s("{node: {name: node7, lacks_taints: ['a:NoExecute']}}"),
            "the node node7 found, one that is given or applied expected");
}

TEST(NodeChecks, TimesMayDifferByASecond) {
  const auto since = [](const std::string& wish) {
    return at_45s("{node: {name: node0, conditions: {Ready: {lastTransitionTime: " + wish + "}}}}");
  };
  EXPECT_EQ(since("'2015-01-01T12:00:40Z'"), "");
  EXPECT_EQ(since("'2015-01-01T12:00:41Z'"), "");
  EXPECT_NE(since("'2015-01-01T12:00:42Z'"), "");
  EXPECT_EQ(since("{between: [41s, 42s]}"), "");
  EXPECT_THAT(since("{between: [42s, 43s]}"), HasSubstr("not between +42.000s and +43.000s"));
}

TEST(NodeChecks, TaintsAreHadLackedOrExactlyThese) {
  const std::string both =
      "[{any_order: ['node.kubernetes.io/unreachable:NoSchedule', "
      "'node.kubernetes.io/unreachable:NoExecute']}]";
  EXPECT_EQ(at_45s("{node: {name: node0, taints: " + both + "}}"), "");
  EXPECT_EQ(at_45s("{node: {name: node1, taints: []}}"), "");
  EXPECT_THAT(at_45s("{node: {name: node0, taints: []}}"), HasSubstr("the taints are [node."));
  EXPECT_EQ(at_45s("{node: {name: node0, has_taints: "
                   "['node.kubernetes.io/unreachable:NoExecute'], lacks_taints: "
                   "['node.kubernetes.io/not-ready:NoExecute'], noschedule_taints: "
                   "['node.kubernetes.io/unreachable:NoSchedule']}}"),
            "");
  EXPECT_NE(at_45s("{node: {name: node0, lacks_taints: "
                   "['node.kubernetes.io/unreachable:NoExecute']}}"),
            "");
  EXPECT_NE(at_45s("{node: {name: node0, noschedule_taints: []}}"), "");
  EXPECT_EQ(at_45s("{node: {name: node0, taint_detail: {key: node.kubernetes.io/unreachable, "
                   "effect: NoExecute, value: null, timeAdded: {between: [40s, 41s]}}}}"),
            "");
  EXPECT_NE(at_45s("{node: {name: node0, taint_detail: {key: node.kubernetes.io/unreachable, "
                   "effect: NoExecute, value: x}}}"),
            "");
}

TEST(NodeChecks, OrderLabelsAndCapacityAreCompared) {
  const Parts parts{
      .given =
          "  - {apiVersion: v1, kind: Node, metadata: {name: n, creationTimestamp: "
          "'2015-01-01T12:00:00Z', labels: {a: b}}, status: {capacity: {cpu: '4'}, "
          "conditions: [{type: X, status: 'True'}, {type: Ready, status: 'True'}]}}\n"};
  const auto of_n = [&](const std::string& wishes) {
    return seen("at: 5s", "{node: {name: n, " + wishes + "}}", parts);
  };
  EXPECT_EQ(of_n("condition_order: [X, Ready], labels: {a: b}, labels_exact: {a: b}, "
                 "labels_absent: [beta.kubernetes.io/os], capacity: {cpu: '4'}"),
            "");
  EXPECT_NE(of_n("condition_order: [Ready, X]"), "");
  EXPECT_NE(of_n("labels: {a: c}"), "");
  EXPECT_NE(of_n("labels_exact: {}"), "");
  EXPECT_NE(of_n("labels_absent: [a]"), "");
  EXPECT_NE(of_n("capacity: {cpu: '5'}"), "");
}

TEST(PodChecks, ADeletionIsRequestedWhenItsTimeIsSetOrThePodIsGone) {
  const Parts parts{.timeline = {"{at: 5s, delete: {kind: Pod, name: pod0}}",
                                 "{at: 9s, delete: {kind: Pod, name: pod0, gracePeriodSeconds: "
                                 "0}}"}};
  const std::string requested = "{pod: {namespace: default, name: pod0, deletion: requested}}";
  const std::string none = "{pod: {namespace: default, name: pod0, deletion: none}}";
  EXPECT_EQ(seen("at: 4s", none, parts), "");
  EXPECT_EQ(seen("at: 6s", requested, parts), "");
  EXPECT_EQ(seen("at: 10s", requested, parts), "");
  EXPECT_EQ(seen("at: 4s", requested, parts), "at +4.000s: its deletion was not requested");
  EXPECT_EQ(seen("at: 6s", none, parts), "at +6.000s: its deletion was requested");
}

TEST(PodChecks, APodThatNeverIsCanOnlyBeSaidNotToExist) {
  const std::string unknown = "the pod default/ghost found, one that is given or applied expected";
  EXPECT_EQ(seen("at: 4s", "{pod: {name: ghost, deletion: none}}"), unknown);
  EXPECT_EQ(seen("at: 4s", "{pod: {name: ghost, exists: true}}"), unknown);
  EXPECT_EQ(seen("at: 4s", "{pod: {name: ghost, exists: false}}"), "");
}

TEST(PodChecks, ConditionsAndStatusAreCompared) {
  EXPECT_EQ(at_45s("{pod: {name: pod0, conditions: {Ready: {status: 'False'}}, phase: Running}}"),
            "");
  EXPECT_NE(at_45s("{pod: {name: pod0, conditions: {Ready: {status: 'True'}}}}"), "");
  EXPECT_EQ(at_45s("{pod: {name: pod0, reason: NodeLost}}"),
            "at +45.000s: reason is null, not \"NodeLost\"");
}

TEST(RequestChecks, AStatusPatchCountsAsThePutItStandsFor) {
  const auto count = [](const std::string& which) {
    return seen("counted_in: [0s, 60s]", "{requests: {" + which + "}}");
  };
  EXPECT_EQ(count("verb: PUT, resource: nodes, subresource: status, name: node0, count: 1"), "");
  EXPECT_EQ(count("verb: PUT, resource: pods, subresource: status, name: pod0, count: 1"), "");
  EXPECT_EQ(count("verb: PATCH, resource: nodes, name: node0, count: {min: 1, max: 2}"), "");
  EXPECT_THAT(count("verb: PUT, resource: nodes, subresource: status, name: node0, count: 0"),
              HasSubstr("1 at +40.0"));
  EXPECT_NE(count("verb: PUT, resource: nodes, subresource: status, name: node0, count: {min: "
                  "2}"),
            "");
}

TEST(RequestChecks, OnlyTheIntervalCounts) {
  const auto count = [](const std::string& when, const std::string& more) {
    return seen(when,
                "{requests: {verb: PUT, resource: nodes, subresource: status, " + more + "}}");
  };
  EXPECT_EQ(count("counted_in: [0s, 39s]", "count: 0"), "");
  EXPECT_EQ(count("counted_in: [45s, 60s]", "count: 0"), "");
  EXPECT_EQ(count("counted_in: [0s, 60s]", "count: 0, after: 45s"), "");
  EXPECT_EQ(count("counted_in: [0s, 60s]", "count: 1, per_pass: {max: 1}"), "");
  EXPECT_NE(count("counted_in: [0s, 60s]", "count: 1, per_pass: {max: 0}"), "");
}

TEST(RequestChecks, EachCountedRequestHasTheFormThatIsAskedFor) {
  const auto form = [](const std::string& wish) {
    return seen(
        "counted_in: [0s, 60s]",
        "{requests: {verb: PATCH, resource: nodes, name: node0, count: {min: 1}, " + wish + "}}");
  };
  EXPECT_EQ(form("content_type: application/strategic-merge-patch+json, body_has: [spec.taints, "
                 "metadata.resourceVersion], body_lacks: [preconditions, 'gracePeriodSeconds: "
                 "0']"),
            "");
  EXPECT_THAT(form("content_type: application/json"), HasSubstr("its content type is"));
  EXPECT_THAT(form("body_has: [spec.nothing]"), HasSubstr("its body is"));
  EXPECT_NE(form("body_lacks: [spec.taints]"), "");
  EXPECT_EQ(form("body: {spec: {taints: [{effect: NoSchedule}]}}"), "");
  EXPECT_NE(form("body: {spec: {taints: [{effect: PreferNoSchedule}]}}"), "");
}

TEST(EventChecks, OccurrencesAreCountedByWhatTheySay) {
  const auto count = [](const std::string& which) {
    return seen("counted_in: [0s, 60s]", "{events: {" + which + "}}");
  };
  EXPECT_EQ(count("reason: RegisteredNode, object: 'Node/*', type: Normal, component: "
                  "node-controller, count: 2"),
            "");
  EXPECT_EQ(count("reason: NodeNotReady, object: Node/node0, count: 1"), "");
  EXPECT_EQ(count("reason: NodeNotReady, object: Pod/pod0, type: Warning, namespace: default, "
                  "object_fields: {kind: Pod, name: pod0}, count: 1"),
            "");
  EXPECT_EQ(count("reason: NodeNotReady, object: Pod/default/pod0, count: 1"), "");
  EXPECT_THAT(count("reason: NodeNotReady, object: Pod/other/pod0, count: 0"),
              HasSubstr("one that is given or applied expected"));
  EXPECT_EQ(count("reason: NodeNotReady, object: Node/node0, message: no, count: 0"), "");
  EXPECT_THAT(count("reason: '*', object: Node/node0, count: 0"), HasSubstr("2 of ["));
}

TEST(ZoneChecks, TheStateIsThatOfTheZoneNow) {
  EXPECT_EQ(seen("holds: [1s, 39s]", "{zone: {region: '', zone: '', state: Normal}}"), "");
  EXPECT_THAT(seen("holds: [1s, 39s]", "{zone: {region: '', zone: '', state: FullDisruption}}"),
              HasSubstr("its state is Normal"));
  EXPECT_EQ(seen("at: 2s", "{zone: {region: a, zone: b, state: Normal}}"),
            "the zone a/b found, one of a node expected");
}

TEST(EvictionChecks, NodesNewlyCondemnedAreCountedInTheirZone) {
  const std::string none = "{evictions: {region: '', zone: '', nodes: {min: 0, max: 0}}}";
  EXPECT_EQ(seen("counted_in: [0s, 39s]", none), "");
  EXPECT_THAT(seen("counted_in: [0s, 60s]", none), HasSubstr("1 (node0 +40.0"));
  EXPECT_EQ(seen("counted_in: [0s, 60s]", "{evictions: {region: x, zone: y, nodes: 0}}"),
            "the zone x/y found, one of a node expected");
}

TEST(EvictionChecks, ATaintSetByOthersIsNoEvictionOfTheControllers) {
  const Parts parts{.timeline = {"{at: 5s, patch: {kind: Node, name: node0, merge: {spec: {taints: "
                                 "[{key: node.kubernetes.io/not-ready, effect: NoExecute}]}}}}"}};
  EXPECT_EQ(seen("counted_in: [0s, 30s]", "{evictions: {region: '', zone: '', nodes: 0}}", parts),
            "");
}

TEST(MetricChecks, OneSeriesHasThatValue) {
  const auto at_45s_is = [](const std::string& value) {
    return seen("at: 45s",
                "{metric: {name: node_collector_zone_size, zone: ['', ''], value: " + value + "}}");
  };
  EXPECT_EQ(at_45s_is("2"), "");
  EXPECT_EQ(at_45s_is("{min: 1, max: 2}"), "");
  EXPECT_EQ(at_45s_is("3"), "at +45.000s: it is 2, not 3");
  EXPECT_EQ(at_45s("{metric: {name: node_collector_evictions_number, zone: ['', ''], value: 1}}"),
            "");
  EXPECT_EQ(at_45s("{metric: {name: nothing, value: 1}}"), "at +45.000s: there is no such series");
}

TEST(DelayChecks, TheSecondFactFollowsInTime) {
  const std::string delay =
      "{delay: {from: node0 Ready Unknown, to: 'node0 has "
      "node.kubernetes.io/unreachable:NoExecute', max: ";
  EXPECT_EQ(seen("counted_in: [40s, 50s]", delay + "1s}}"), "");
  EXPECT_THAT(seen("counted_in: [40s, 50s]", delay + "0s}}"), HasSubstr("from +40.0"));
  EXPECT_THAT(seen("counted_in: [0s, 30s]", delay + "1s}}"), HasSubstr("never came true"));
}

TEST(LeaseChecks, ALeaseExistsOrNotAndSaysWhatItSays) {
  const Parts parts{.timeline = {"{at: 5s, renew_lease: {node: node0}}"}};
  EXPECT_EQ(seen("at: 6s", "{lease: {name: node0, spec: {holderIdentity: node0}}}", parts), "");
  EXPECT_EQ(seen("at: 4s", "{lease: {name: node0, exists: false}}", parts), "");
  EXPECT_NE(seen("at: 6s", "{lease: {name: node0, exists: false}}", parts), "");
  EXPECT_NE(seen("at: 4s", "{lease: {name: node0}}", parts), "");
  EXPECT_NE(seen("at: 6s", "{lease: {name: node0, owner: {name: node1}}}", parts), "");
  EXPECT_NE(seen("at: 100s", "{lease: {name: node0, renewed_within: 1m}}", parts), "");
}

TEST(SequenceChecks, TheRequestsForAnObjectComeInThatOrder) {
  const Parts parts{
      .given = std::string(two_nodes) +
               "  - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {nodeName: node1}}\n",
      .timeline = {"{at: 5s, patch: {kind: Node, name: node1, merge: {spec: {taints: [{key: k, "
                   "effect: NoExecute}]}}}}"}};
  EXPECT_EQ(seen("counted_in: [5s, 9s]", "{request_sequence: [PATCH pods/p/status, DELETE pods/p]}",
                 parts),
            "");
  EXPECT_THAT(seen("counted_in: [5s, 9s]", "{request_sequence: [DELETE pods/p]}", parts),
              HasSubstr("the requests were"));
}

/// Beside node0, which dies, node1 gets a taint of its owner's at 5 s and again at 90 s.
Parts evictions() {
  const auto pod = [](const char* name, const char* node, const char* more) {
    return "  - {apiVersion: v1, kind: Pod, metadata: {name: " + std::string(name) +
           "}, spec: {nodeName: " + node + more + "}}\n";
  };
  const char* stays = ", tolerations: [{key: k, operator: Exists}]";
  return {.given = std::string(two_nodes) + pod("a-1", "node1", "") + pod("a-2", "node1", "") +
                   pod("b-1", "node1", stays) + pod("a-3", "node0", stays),
          .timeline = {"{at: 3s, delete: {kind: Pod, name: a-2}}",
                       "{at: 5s, patch: {kind: Node, name: node1, merge: {spec: {taints: [{key: k, "
                       "effect: NoExecute}]}}}}"}};
}

TEST(PodsEvictedChecks, CountWhatTheControllerHadDeletedAndNobodyElse) {
  const auto seen_by = [](const std::string& which) {
    return seen("counted_in: [0s, 30s]", "{pods_evicted: {" + which + "}}", evictions());
  };
  EXPECT_EQ(seen_by("count: 1"), "");
  EXPECT_EQ(seen_by("node: node1, count: 1"), "");
  EXPECT_EQ(seen_by("node: ['node0', 'n*0'], count: 0"), "");
  EXPECT_EQ(seen_by("name: 'a-*', count: 1"), "");
  EXPECT_EQ(seen_by("name: default/a-1, count: 1"), "");
  EXPECT_EQ(seen_by("name: 'b-*', count: 0"), "");
  EXPECT_THAT(seen_by("node: 'node*', count: 0"), HasSubstr("1 [default/a-1 of node1 +5.0"));
}

TEST(PodsEvictedChecks, CountWithinTheirIntervalAlone) {
  EXPECT_EQ(seen("counted_in: [0s, 4s]", "{pods_evicted: {count: 0}}", evictions()), "");
  EXPECT_EQ(seen("counted_in: [10s, 2m]", "{pods_evicted: {node: node0, count: 1}}", evictions()),
            "");
}

TEST(RequestChecks, NoStretchOfTimeHasMoreThanTheRate) {
  const auto rate = [](const std::string& most) {
    return seen("counted_in: [0s, 5m]",
                "{requests: {verb: PATCH, resource: nodes, subresource: status, " + most + "}}",
                {.timeline = {"{at: 0s, fail_api: {verb: PATCH, resource: nodes, subresource: "
                              "status, respond: {code: 500}}}"}});
  };
  EXPECT_EQ(rate("per_second: {max: 20}, per_minute: {max: 600}, in_any: {span: 1h, max: 6000}"),
            "");
  EXPECT_THAT(rate("in_any: {span: 5m, max: 2}"), HasSubstr("3 within 5m0s from +40.0"));
  EXPECT_THAT(rate("per_minute: {max: 1}"), HasSubstr("2 within 1m0s from +40.0"));
  EXPECT_THAT(rate("count: 1, per_minute: {max: 600}"), HasSubstr("not 1"));
}

TEST(RequestChecks, ARateHasAMaximumAndALength) {
  const auto refused = [](const std::string& rate) {
    return seen("counted_in: [0s, 5m]", "{requests: {verb: PATCH, " + rate + "}}");
  };
  EXPECT_THAT(refused("per_second: 3"), HasSubstr("a rate as a map expected"));
  EXPECT_THAT(refused("per_second: {min: 3}"), HasSubstr("without \"max\" found"));
  EXPECT_THAT(refused("in_any: {max: 3}"), HasSubstr("without \"span\" found"));
  EXPECT_THAT(refused("per_minute: {max: 3, span: 1s}"), HasSubstr("the key \"span\""));
  EXPECT_THAT(refused("per_hour: {max: 3}"), HasSubstr("without \"count\" found"));
}

TEST(LogChecks, CountTheLinesThatContainAText) {
  EXPECT_EQ(seen("counted_in: [0s, 1m]", "{log: {message: node marked unknown, count: 1}}"), "");
  EXPECT_EQ(seen("counted_in: [0s, 1m]",
                 "{log: {message: node=node0, level: info, count: {min: "
                 "1}}}"),
            "");
  EXPECT_EQ(seen("counted_in: [0s, 39s]", "{log: {message: node marked unknown, count: 0}}"), "");
  EXPECT_EQ(seen("counted_in: [0s, 1m]",
                 "{log: {message: node marked unknown, level: error, "
                 "count: 0}}"),
            "");
  EXPECT_THAT(seen("counted_in: [0s, 1m]", "{log: {message: node marked unknown, count: 0}}"),
              HasSubstr("1 [+40.0"));
  EXPECT_THAT(seen("counted_in: [0s, 1m]", "{log: {message: x, level: loud, count: 0}}"),
              HasSubstr("the level loud found"));
}

TEST(HealthChecks, OneLineOfTheReadinessPageIsWellOrNotAndSaysWhy) {
  const Parts paused{.timeline = {"{from: 20s, until: 3m, pause_api: {}}"}};
  EXPECT_EQ(seen("at: 15s", "{health: {check: judgement, ok: true}}", paused), "");
  EXPECT_EQ(
      seen("at: 60s", "{health: {check: judgement, ok: false, detail_has: server_paused}}", paused),
      "");
  EXPECT_THAT(seen("at: 60s", "{health: {check: judgement, ok: true}}", paused),
              HasSubstr("it is not ok: "));
  EXPECT_THAT(seen("at: 60s", "{health: {check: judgement, detail_has: weather}}", paused),
              HasSubstr("it is not ok: "));
  EXPECT_THAT(
      seen("at: 15s", "{health: {check: mood, ok: true}}"),
      HasSubstr(
          "there is no such line, only controller-thread, leaderElection, ping, informer-nodes"));
  EXPECT_THAT(seen("at: 15s", "{health: {check: ping}}"), HasSubstr("neither found"));
}

TEST(ControllersChecks, FlagsSayWhichOfThemRun) {
  EXPECT_EQ(seen("at: 5s",
                 "{controllers: {running: [node-lifecycle-controller, "
                 "taint-eviction-controller]}}"),
            "");
  EXPECT_NE(seen("at: 5s", "{controllers: {not_running: [taint-eviction-controller]}}"), "");
}

}  // namespace
}  // namespace nlc::sim::scenario::testing
