#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/scenario/small_case.h"

/// What a file names has to be there at some time, and what it asks has to be able to fail: else a
/// misspelt case would hold for ever.
namespace nlc::sim::scenario::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* given_or_applied = " found, one that is given or applied expected";

std::string problem_of_step(const std::string& step) { return problem_of({.timeline = {step}}); }
std::string problem_of_check(const std::string& check) {
  return problem_of({.expect = {expecting("counted_in: [0s, 10s]", check)}});
}

void expect_unknown(const std::string& problem, const std::string& name) {
  EXPECT_THAT(problem, HasSubstr(name + given_or_applied));
  EXPECT_THAT(problem, HasSubstr("small.yaml:1"));
}

TEST(ScenarioNames, AStepNamesWhatIsGivenOrApplied) {
  const auto refused = [](const std::string& action, const std::string& name) {
    expect_unknown(problem_of_step("{at: 5s, " + action + "}"), name);
  };
  refused("patch: {kind: Pod, name: pod7, merge: {}}", "the pod default/pod7");
  refused("delete: {kind: Pod, name: pod0, namespace: shop}", "the pod shop/pod0");
  refused("delete: {kind: ConfigMap, name: pace}", "the configmap default/pace");
  refused("delete: {kind: Lease, name: node7}", "the lease kube-node-lease/node7");
  refused("delete: {kind: Node, name: 'node*'}", "the node node*");
  refused("replay: {kind: Node, name: node7, as_of: 1s}", "the node node7");
  refused("when: node7 Ready is Unknown, restart: controller", "the node or pod node7");
  refused("when: pod7 deletion requested, restart: controller", "the node or pod pod7");
  refused("cache: {hold: nodes/node7}", "the node node7");
  refused("cache: {hold: leases/node7}", "the lease kube-node-lease/node7");
  refused("fail_api: {resource: nodes, name: node7, respond: drop}", "the node node7");
  refused("fail_api: {name: 'live-*', respond: drop}", "the object live-*");
  refused("fail_api: {namespace: shop, respond: drop}", "the namespace shop");
  refused("admission: {resource: pods, name: shop/pod0, refuse: {}}", "the pod shop/pod0");
  refused("before_request: {resource: pods, name: pod7}, restart: controller", "the pod pod7");
}

TEST(ScenarioNames, ACheckNamesWhatIsGivenOrApplied) {
  const auto refused = [](const std::string& check, const std::string& name) {
    expect_unknown(problem_of_check("{" + check + "}"), name);
  };
  refused("pod: {name: pod7, deletion: none}", "the pod default/pod7");
  refused("pod: {name: pod0, namespace: shop, deletion: none}", "the pod shop/pod0");
  refused("pod: {name: 'pod*', deletion: none}", "the pod default/pod*");
  refused("lease: {name: node7}", "the lease kube-node-lease/node7");
  refused("requests: {name: nodeX, count: 0}", "the object nodeX");
  refused("requests: {resource: pods, name: node0, count: 0}", "the pod node0");
  refused("pods_evicted: {node: [node0, 'live-*'], count: 0}", "the node live-*");
  refused("pods_evicted: {name: pod7, count: 0}", "the pod pod7");
  refused("events: {object: Node/node7, count: 0}", "the node node7");
  refused("events: {object: Pod/shop/pod0, count: 0}", "the pod shop/pod0");
  refused("why: {node: node7, lacks: [x]}", "the node node7");
  refused("why: {pod: pod7, lacks: [x]}", "the pod default/pod7");
  refused("delay: {from: node7 Ready Unknown, to: node0 exists, max: 1s}", "the node or pod node7");
  refused("request_sequence: [GET pods/pod7]", "the pod pod7");
}

TEST(ScenarioNames, WhatComesToBeInTheCourseOfTheDayMayBeNamed) {
  const Scenario scenario = case_of(
      {.given = std::string(two_nodes) + std::string(one_pod) +
                "  - {generate: {nodes: 2, name: live-%d, labels: "
                "{topology.kubernetes.io/zone: a}}}\n"
                "  - {generate: {pods_per_node: 1, name: pod-%d-%d}}\n"
                "  - {apiVersion: v1, kind: Pod, metadata: {name: lost}, spec: {nodeName: gone}}\n",
       .timeline =
           {"{at: 5s, apply: {apiVersion: v1, kind: Node, metadata: {name: late}}}",
            "{at: 1s, renew_lease: {node: ['live-*', late]}}",
            "{at: 1s, cache: {hold: leases/kube-node-lease/late}}",
            "{at: 2s, fail_api: {resource: leases, name: node-lifecycle-controller-probe, respond: "
            "drop}}",
            "{at: 2s, fail_api: {resource: [leases, configmaps], name: "
            "kube-system/node-lifecycle*, "
            "respond: drop}}",
            "{at: 2s, fail_api: {resource: events, name: 'node0.*', respond: drop}}",
            "{at: 3s, patch: {kind: Lease, name: live-0, merge: {metadata: {annotations: {a: "
            "b}}}}}",
            "{at: 3s, patch: {kind: Node, name: live-0, merge: {metadata: {labels: "
            "{topology.kubernetes.io/zone: b}}, spec: {taints: [{key: k, effect: NoSchedule}]}}}}",
            "{at: 4s, delete: {kind: Pod, name: pod-1-0}}"},
       .expect = {expecting("counted_in: [0s, 9s]",
                            "{pods_evicted: {node: [gone, 'live-*'], name: 'pod-*', count: 0}}"),
                  expecting("counted_in: [0s, 9s]", "{evictions: {zone: b, nodes: 0}}"),
                  expecting("counted_in: [0s, 9s]", "{evictions: {nodes: 0}}"),
                  expecting("counted_in: [0s, 9s]", "{events: {object: Node/*, count: 0}}"),
                  expecting("counted_in: [0s, 9s]", "{events: {object: Pod/lost, count: 0}}"),
                  expecting("counted_in: [0s, 9s]", "{requests: {name: 'gone', count: 0}}"),
                  expecting("at: 9s", "{lease: {name: late}}, {pod: {name: never, exists: false}}"),
                  expecting("at: 9s", "{node: {name: live-0, lacks_taints: ['k:NoExecute']}}"),
                  expecting("at: 9s", "{why: {node: nobody, state: absent}}"),
                  expecting("at: 9s",
                            "{why: {zone: -/a, lacks: [x]}}, {why: {zone: a, lacks: "
                            "[x]}}, {why: {zone: '-', lacks: [x]}}")}});
  EXPECT_THAT(scenario.problems, IsEmpty());
}

TEST(ScenarioNames, AZoneATaintAnEffectAndASubresourceAreOfSomething) {
  EXPECT_THAT(problem_of_check("{evictions: {zone: b, nodes: 0}}"),
              HasSubstr("the zone -/b found, one of a node expected"));
  EXPECT_THAT(problem_of_check("{metric: {name: m, zone: [a, b], value: 1}}"),
              HasSubstr("the zone a/b found, one of a node expected"));
  EXPECT_THAT(problem_of_check("{why: {zone: a/b, lacks: [x]}}"), HasSubstr("the zone a/b found"));
  EXPECT_THAT(problem_of_check("{node: {name: node0, lacks_taints: ['unreachabel:NoExecute']}}"),
              HasSubstr("the taint unreachabel found, one that the controller or the case sets"));
  for (const char* list : {"has_taints", "lacks_taints", "taints"}) {
    EXPECT_THAT(problem_of_check("{node: {name: node0, " + std::string(list) +
                                 ": ['node.kubernetes.io/unreachable:NoExcute']}}"),
                HasSubstr("with NoSchedule, PreferNoSchedule or NoExecute, expected"))
        << list;
  }
  EXPECT_THAT(problem_of_check("{requests: {subresource: statsu, count: 0}}"),
              HasSubstr("the subresource statsu found"));
  EXPECT_THAT(problem_of_check("{requests: {resource: leases, subresource: status, count: 0}}"),
              HasSubstr("the subresource status found, one that the resource has"));
  EXPECT_THAT(problem_of_check("{controllers: {not_running: [taint-evictor]}}"),
              HasSubstr("the controller taint-evictor found"));
}

TEST(ScenarioNames, AnEventIsAboutAKindAndAWholeName) {
  for (const char* object : {"Nod/node0", "node0", "nodes/node0"}) {
    EXPECT_THAT(problem_of_check("{events: {object: " + std::string(object) + ", count: 0}}"),
                HasSubstr("found, an object such as Node/node0 or Pod/default/app expected"))
        << object;
  }
  EXPECT_THAT(problem_of_check("{events: {object: 'Node/no*', count: 0}}"),
              HasSubstr("Node/no* found, a whole name or Node/* expected"));
}

TEST(ScenarioNames, AWordOfAnEventIsOneThatEventsHave) {
  const auto problem = [](const std::string& which) {
    return problem_of_check("{events: {" + which + ", count: 0}}");
  };
  EXPECT_THAT(problem("reason: NodeNotRedy"),
              HasSubstr("small.yaml:14 the event reason NodeNotRedy found, RegisteredNode, "
                        "RemovingNode, NodeNotReady, DeletingAllPods, "));
  EXPECT_THAT(problem("type: Waring"),
              HasSubstr("the event type Waring found, Normal or Warning expected"));
  EXPECT_THAT(problem("component: node-contoller"),
              HasSubstr("the component node-contoller found, node-controller, "
                        "taint-eviction-controller or node-lifecycle-controller expected"));
}

TEST(ScenarioNames, WhatIsToBeAbsentIsAWordOfTheControllerOrOfTheCase) {
  const auto refused = [](const std::string& problem, const std::string& found) {
    EXPECT_THAT(problem, HasSubstr("the " + found + " found, "));
    EXPECT_THAT(problem, HasSubstr("small.yaml:1"));
  };
  refused(problem_of_check("{node: {name: node0, conditions_absent: [Redy]}}"), "condition Redy");
  refused(problem_of_check("{pod: {name: pod0, conditions_absent: [DisruptionTraget]}}"),
          "condition DisruptionTraget");
  refused(problem_of_check("{node: {name: node0, labels_absent: [rack]}}"), "label rack");
  refused(problem_of_check("{metric: {name: node_colector_zone_size, exists: false}}"),
          "metric node_colector_zone_size");
  refused(problem_of_step("{at: 5s, when: node0 Redy is Unknown, restart: controller}"),
          "condition Redy");
}

TEST(ScenarioNames, AFieldThatIsComparedIsOneThatItsKindHas) {
  const auto refused = [](const std::string& check, const std::string& path) {
    EXPECT_THAT(problem_of_check("{" + check + "}"),
                HasSubstr("small.yaml:14 unknown field \"" + path + "\" found, a field of "));
  };
  refused("node: {name: node0, conditions: {Ready: {status: 'True', reasn: null}}}",
          "status.conditions[0].reasn");
  refused("node: {name: node0, taint_detail: {key: k, effect: NoExecute, timeAdd: null}}",
          "spec.taints[0].timeAdd");
  refused("pod: {name: pod0, conditions: {Ready: {lastHeartbeatTime: null}}}",
          "status.conditions[0].lastHeartbeatTime");
  refused("lease: {name: node0, spec: {holder: null}}", "spec.holder");
  refused("lease: {name: node0, owner: {nam: node0}}", "metadata.ownerReferences[0].nam");
  refused("events: {object_fields: {nodename: node0}, count: 0}", "involvedObject.nodename");
}

TEST(ScenarioNames, WordsThatTheCaseBringsAboutMayBeCountedAndAbsent) {
  const Scenario scenario = case_of(
      {.timeline = {"{at: 1s, patch: {kind: Node, name: node0, merge: {metadata: {labels: {rack: "
                    "'7'}}, status: {conditions: [{type: Drained, status: 'True'}]}}}}"},
       .expect = {expecting("at: 9s",
                            "{node: {name: node0, labels_absent: [rack, beta.kubernetes.io/os], "
                            "conditions_absent: [Drained, NetworkUnavailable]}}"),
                  expecting("at: 9s", "{metric: {name: node_collector_zone_size, exists: false}}"),
                  expecting("counted_in: [0s, 9s]",
                            "{events: {reason: '*', component: node-controller, count: 0}}")}});
  EXPECT_THAT(scenario.problems, IsEmpty());
}

TEST(ScenarioNames, WhatAsksNothingIsAProblem) {
  for (const char* check :
       {"{node: {name: node0}}", "{node: {name: node0, lacks_taints: []}}", "{pod: {name: pod0}}",
        "{controllers: {}}", "{controllers: {running: []}}"}) {
    EXPECT_THAT(problem_of_check(check),
                HasSubstr(" found, something that is asked of it expected"))
        << check;
  }
  EXPECT_THAT(problem_of_check("{node: {name: node0, conditions: {}}}"),
              HasSubstr("{} found, a map by type expected"));
  EXPECT_THAT(problem_of_check("{pod: {name: pod0, conditions: {Ready: {}}}}"),
              HasSubstr("{} found, what Ready says expected"));
  EXPECT_THAT(problem_of_check("{node: {name: node0, labels: {}}}"),
              HasSubstr("{} found, a map of labels expected"));
  EXPECT_THAT(problem_of_check("{requests: {count: {}}}"),
              HasSubstr("{} found, a number or {min, max} expected"));
  EXPECT_THAT(problem_of_check("{request_sequence: []}"), HasSubstr("[] found, a request such as"));
}

TEST(ScenarioObjects, APatchMakesWhatTheServerTakes) {
  const auto problem = [](const std::string& merge) {
    return problem_of_step("{at: 5s, patch: {kind: Node, name: node0, merge: " + merge + "}}");
  };
  const std::string reads = "found, an object as an API server reads it expected";
  const std::string takes = "found, an object as an API server takes it expected";
  EXPECT_THAT(problem("{metadata: {labels: {rack: 7}}}"), HasSubstr(reads));
  EXPECT_THAT(problem("{spec: {unschedulable: maybe}}"), HasSubstr(reads));
  EXPECT_THAT(problem("{spec: {unschedulabel: true}}"), HasSubstr(reads));
  EXPECT_THAT(problem("{spec: {taints: [{key: k, effect: NoExcute}]}}"), HasSubstr(takes));
  EXPECT_THAT(problem("{metadata: {labels: {rack: 'a b'}}}"), HasSubstr(takes));
  EXPECT_THAT(problem_of_step("{at: 5s, apply_patch: {kind: Node, name: node0, add_taint: "
                              "'a b:NoExecute'}}"),
              HasSubstr(takes));
  EXPECT_THAT(problem_of_step("{at: 5s, admission: {resource: nodes, mutate: {merge: {metadata: "
                              "{labels: {rack: 7}}}}}}"),
              HasSubstr(reads));
  EXPECT_THAT(problem_of_step("{at: 5s, patch: {kind: Pod, name: pod0, merge: {spec: {containers: "
                              "null}}}}"),
              HasSubstr(takes));
}

TEST(ScenarioObjects, WhatIsGivenOrAppliedIsWhatTheServerTakes) {
  const std::string takes = "found, an object as an API server takes it expected";
  EXPECT_THAT(
      problem_of_step("{at: 5s, apply: {apiVersion: v1, kind: Pod, metadata: {name: Q_Q}}}"),
      HasSubstr(takes));
  EXPECT_THAT(problem_of({.given = "  - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: "
                                   "{tolerations: [{operator: Exists, tolerationSeconds: 3}]}}\n"}),
              HasSubstr(takes));
  EXPECT_THAT(problem_of({.given = "  - {generate: {nodes: 2, name: N-%d}}\n"}), HasSubstr(takes));
  EXPECT_THAT(problem_of({.given = "  - {apiVersion: v1, kind: Node, metadata: {name: n}, spec: "
                                   "{unschedulabel: true}}\n"}),
              HasSubstr("unknown field \"spec.unschedulabel\""));
}

TEST(ScenarioObjects, ADaemonSetNeedsNoMoreThanAName) {
  EXPECT_THAT(
      case_of({.given = std::string(two_nodes) +
                        "  - {apiVersion: apps/v1, kind: DaemonSet, metadata: {name: d}}\n"})
          .problems,
      IsEmpty());
}

}  // namespace
}  // namespace nlc::sim::scenario::testing
