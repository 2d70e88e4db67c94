#include "tests/controller/whole_path.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/rules/taints.h"

namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using ::testing::AllOf;
using ::testing::HasSubstr;

/// Twelve nodes with two pods each, up and running under a controller for two minutes.
class WholePath : public ClusterTest {
 protected:
  WholePath() : ClusterTest(twelve_nodes(2)) {
    cluster.time.run_for(1min);
    cluster.start_controller(with_grace_40s());
    cluster.time.run_for(1min);
  }
};

TEST_F(WholePath, HealthyClusterIsLeftAlone) {
  ASSERT_TRUE(cluster.kubelets.progress().complete);
  cluster.requests.clear();
  cluster.time.run_for(10min);
  EXPECT_EQ(cluster.writes("nodes"), 0U);
  EXPECT_EQ(cluster.writes("pods"), 0U);
  EXPECT_EQ(cluster.ready("hollow-3").status, ConditionStatus::True);
}

TEST_F(WholePath, DeadNodeIsMarkedUnknownWhenItsGraceEndsAndTaintedAtOnce) {
  cluster.kubelets.kubelet(3).die();
  const auto unknown =
      until([&] { return cluster.ready("hollow-3").status == ConditionStatus::Unknown; }, 2min);
  ASSERT_TRUE(unknown);
  const Duration silent_for = cluster.time.wall_now() - cluster.last_renewal("hollow-3");
  EXPECT_GT(silent_for, grace);
  EXPECT_LE(silent_for, grace + 100ms);  // a read, a write, and the step of this test's looking
  EXPECT_THAT(cluster.metrics().exposition(),
              AllOf(HasSubstr("nlc_node_unknown_delay_seconds_bucket{le=\"0.25\"} 1\n"),
                    HasSubstr("nlc_node_unknown_delay_seconds_count 1\n")));
  EXPECT_EQ(cluster.ready("hollow-3").reason, "NodeStatusUnknown");
  EXPECT_EQ(cluster.ready("hollow-3").message, "Kubelet stopped posting node status.");
  EXPECT_TRUE(until(
      [&] {
        return cluster.has_taint("hollow-3", taint::unreachable, "NoSchedule") &&
               cluster.has_taint("hollow-3", taint::unreachable, "NoExecute");
      },
      100ms));
  EXPECT_TRUE(until([&] { return !cluster.pod_is_ready("hollow-3-0"); }, 100ms));
  EXPECT_TRUE(until([&] { return !cluster.pod_is_ready("hollow-3-1"); }, 100ms));
}

TEST_F(WholePath, PodsOfADeadNodeAreMarkedAndDeletedWhenTheirTolerationEnds) {
  cluster.kubelets.kubelet(3).die();
  ASSERT_TRUE(
      until([&] { return cluster.has_taint("hollow-3", taint::unreachable, "NoExecute"); }, 2min));
  cluster.time.run_for(59s);
  ASSERT_TRUE(cluster.pod("hollow-3-0"));
  EXPECT_FALSE(cluster.pod("hollow-3-0")->deleting);
  const auto marked = [&] { return cluster.pod("hollow-3-0")->disruption_target.has_value(); };
  ASSERT_TRUE(until(marked, 2s));
  EXPECT_TRUE(until([&] { return cluster.pod("hollow-3-0")->deleting; }, 100ms));
  const std::optional<api::Pod> pod = cluster.pod("hollow-3-0");
  ASSERT_TRUE(pod);  // its kubelet is dead: nobody ends the deletion
  EXPECT_TRUE(pod->deleting);
  ASSERT_TRUE(pod->disruption_target);
  EXPECT_EQ(pod->disruption_target->reason, "DeletionByTaintManager");
  EXPECT_EQ(pod->disruption_target->message, "Taint manager: deleting due to NoExecute taint");
}

TEST_F(WholePath, OtherNodesAndTheirPodsAreNotTouched) {
  cluster.requests.clear();
  cluster.kubelets.kubelet(3).die();
  cluster.time.run_for(5min);
  for (const sim::ServedRequest& request : cluster.requests) {
    const bool write = request.info.verb == "patch" || request.info.verb == "delete";
    if (!write || request.info.resource == "events") continue;
    EXPECT_THAT(request.info.name, ::testing::StartsWith("hollow-3")) << request.body;
  }
}

TEST_F(WholePath, EverythingIsTakenBackWhenTheNodeReturns) {
  cluster.kubelets.kubelet(3).die();
  ASSERT_TRUE(until([&] { return !cluster.pod_is_ready("hollow-3-0"); }, 2min));
  cluster.kubelets.kubelet(3).revive();
  EXPECT_TRUE(
      until([&] { return cluster.ready("hollow-3").status == ConditionStatus::True; }, 30s));
  EXPECT_TRUE(until([&] { return cluster.node("hollow-3").taints.empty(); }, 1s));
  EXPECT_TRUE(until([&] { return cluster.pod_is_ready("hollow-3-0"); }, 30s));
  cluster.time.run_for(5min);
  ASSERT_TRUE(cluster.pod("hollow-3-0"));
  EXPECT_FALSE(cluster.pod("hollow-3-0")->deleting);
}

TEST_F(WholePath, SecondNodeOfAZoneWaitsForTheZonesRateAndOtherZonesDoNot) {
  cluster.kubelets.kubelet(0).die();  // zone a
  cluster.kubelets.kubelet(3).die();  // zone a
  cluster.kubelets.kubelet(1).die();  // zone b
  const auto tainted = [&](const char* node) {
    return cluster.has_taint(node, taint::unreachable, "NoExecute");
  };
  ASSERT_TRUE(until([&] { return tainted("hollow-0") || tainted("hollow-3"); }, 2min));
  ASSERT_TRUE(until([&] { return tainted("hollow-1"); }, 10s));
  const auto second = until([&] { return tainted("hollow-0") && tainted("hollow-3"); }, 1min);
  ASSERT_TRUE(second);
}

TEST_F(WholePath, NodeThatReportsNotReadyIsTaintedWithoutWaitingForAGrace) {
  cluster.kubelets.kubelet(3).report({.not_ready = sim::NotReadyCause::RuntimeDown});
  ASSERT_TRUE(
      until([&] { return cluster.ready("hollow-3").status == ConditionStatus::False; }, 30s));
  EXPECT_TRUE(until(
      [&] {
        return cluster.has_taint("hollow-3", taint::not_ready, "NoSchedule") &&
               cluster.has_taint("hollow-3", taint::not_ready, "NoExecute");
      },
      200ms));
}

TEST_F(WholePath, ServerThatPausesCondemnsNobody) {
  cluster.server.pause_for(60s);
  cluster.time.run_for(5min);
  EXPECT_EQ(cluster.log.count("node marked unknown"), 0U);
  EXPECT_EQ(cluster.log.count("judgement held"), 1U);
  EXPECT_EQ(cluster.log.count("judgement resumed"), 1U);
  EXPECT_NEAR(cluster.metrics().blind_seconds().value(), 60, 15);
}

TEST_F(WholePath, ControllerThatIsCutOffCondemnsNobody) {
  cluster.controller_link->set_link(sim::Link::Silent);
  cluster.time.run_for(2min);
  cluster.controller_link->set_link(sim::Link::Up);
  cluster.time.run_for(5min);
  EXPECT_EQ(cluster.log.count("node marked unknown"), 0U);
}

TEST_F(WholePath, ControllerThatCannotConnectForAMinuteCondemnsNobodyAndComesBack) {
  cluster.controller_link->set_link(sim::Link::Refused);
  cluster.time.run_for(1min);
  cluster.controller_link->set_link(sim::Link::Up);
  cluster.time.run_for(1min);
  EXPECT_EQ(cluster.log.count("node marked unknown"), 0U);
  cluster.kubelets.kubelet(3).die();
  EXPECT_TRUE(until([&] { return cluster.ready("hollow-3").status == ConditionStatus::Unknown; },
                    grace + 1s));
}

TEST_F(WholePath, InformersSayWhatKeepsThemFromTheServer) {
  EXPECT_TRUE(cluster.check("informer-pods").ok);
  EXPECT_EQ(cluster.check("informer-pods").detail, "");
  cluster.controller_link->set_link(sim::Link::Refused);
  cluster.time.run_for(1min);
  EXPECT_FALSE(cluster.check("informer-pods").ok);
  EXPECT_NE(cluster.check("informer-pods").detail, "");
}

TEST_F(WholePath, BeforeAllHasBeenListedNobodyIsJudged) {
  cluster.stop_controller();
  cluster.kubelets.kubelet(3).die();
  const auto rule = cluster.server.faults().add(sim::FaultRule::doing(
      {.resource = "pods", .user_agent = "controller"}, sim::FaultRule::Action::Delay, 10min));
  cluster.start_controller(with_grace_40s());
  cluster.time.run_for(3min);
  EXPECT_EQ(cluster.ready("hollow-3").status, ConditionStatus::True);
  EXPECT_FALSE(cluster.check("informer-pods").ok);
  EXPECT_NE(cluster.check("informer-pods").detail, "");
  cluster.server.faults().remove(rule);
}

TEST_F(WholePath, LeaseWatchThatStallsWhileLeasesMoveCondemnsNobody) {
  cluster.server.watches().freeze("leases");
  cluster.time.run_for(3min);
  EXPECT_EQ(cluster.log.count("node marked unknown"), 0U);
}

TEST_F(WholePath, StatusWriteThatMeetsANewerNodeIsDecidedAnew) {
  cluster.server.faults().add(
      sim::FaultRule::answering({.verb = "patch", .resource = "nodes", .user_agent = "controller"},
                                sim::status_answer(409, "Conflict", "modified"))
          .at_most(1));
  cluster.kubelets.kubelet(3).die();
  EXPECT_TRUE(until([&] { return cluster.ready("hollow-3").status == ConditionStatus::Unknown; },
                    grace + 1s));
}

TEST_F(WholePath, FailedWritesAreRepeatedUntilTheyAreTaken) {
  cluster.server.faults().add(
      sim::FaultRule::answering({.verb = "patch", .user_agent = "controller"},
                                sim::status_answer(500, "InternalError", "out of order"))
          .at_most(8));
  cluster.kubelets.kubelet(3).die();
  cluster.time.run_for(5min);
  EXPECT_EQ(cluster.ready("hollow-3").status, ConditionStatus::Unknown);
  EXPECT_TRUE(cluster.has_taint("hollow-3", taint::unreachable, "NoExecute"));
  const std::optional<api::Pod> pod = cluster.pod("hollow-3-0");
  EXPECT_TRUE(pod && pod->deleting);
  const auto failed = [this](metrics::Write kind) {
    return cluster.metrics().writes(kind, "unavailable").value();
  };
  EXPECT_GE(failed(metrics::Write::NodeStatus), 1);
  EXPECT_EQ(failed(metrics::Write::NodeStatus) + failed(metrics::Write::NodeTaints) +
                failed(metrics::Write::PodStatus),
            8);
  EXPECT_GE(cluster.log.count("node write refused"), 1U);
  EXPECT_EQ(cluster.log.count("node writes taken again"), 1U);
}

TEST_F(WholePath, WriteThatFailedOnceIsRepeatedInATenthOfASecond) {
  const auto fail_once = [this](const char* verb, const char* resource) {
    cluster.server.faults().add(
        sim::FaultRule::answering({.verb = verb, .resource = resource, .user_agent = "controller"},
                                  sim::status_answer(500, "InternalError", "out of order"))
            .at_most(1));
  };
  fail_once("patch", "nodes");
  cluster.kubelets.kubelet(3).die();
  ASSERT_TRUE(until([&] { return cluster.ready("hollow-3").status == ConditionStatus::Unknown; },
                    grace + 1s));
  EXPECT_LE(cluster.time.wall_now() - cluster.last_renewal("hollow-3"), grace + 400ms);
  ASSERT_TRUE(
      until([&] { return cluster.has_taint("hollow-3", taint::unreachable, "NoExecute"); }, 1s));
  cluster.time.run_for(59s);
  fail_once("delete", "pods");
  const auto marked = [&] { return cluster.pod("hollow-3-0")->disruption_target.has_value(); };
  ASSERT_TRUE(until(marked, 2s));
  EXPECT_TRUE(until([&] { return cluster.pod("hollow-3-0")->deleting; }, 400ms));
}

TEST_F(WholePath, RestartLeavesPodsOfANodeThatIsNotReadyToItsKubelet) {
  cluster.kubelets.kubelet(3).report({.not_ready = sim::NotReadyCause::RuntimeDown});
  ASSERT_TRUE(
      until([&] { return cluster.ready("hollow-3").status == ConditionStatus::False; }, 30s));
  cluster.stop_controller();
  const bool ready = cluster.pod_is_ready("hollow-3-0");
  cluster.requests.clear();
  cluster.start_controller(with_grace_40s());
  cluster.time.run_for(10s);
  EXPECT_EQ(cluster.pod_is_ready("hollow-3-0"), ready);
  EXPECT_EQ(cluster.writes("pods"), 0U);
}

TEST_F(WholePath, WritesThatFailStandInTheirQueueUntilTheyAreTaken) {
  const auto of_queue = [&](const char* family, const char* queue) {
    return cluster.metrics().value(family, {{"name", queue}}).value_or(-1);
  };
  cluster.server.faults().add(
      sim::FaultRule::answering({.verb = "delete", .resource = "pods", .user_agent = "controller"},
                                sim::status_answer(500, "InternalError", "out of order"))
          .at_most(50));
  cluster.kubelets.kubelet(3).die();
  ASSERT_TRUE(until([&] { return of_queue("workqueue_depth", "noexec_taint_pod") > 0; }, 10min));
  ASSERT_TRUE(until([&] { return of_queue("workqueue_depth", "noexec_taint_pod") == 0; }, 10min));
  cluster.time.run_for(1min);
  EXPECT_EQ(of_queue("workqueue_retries_total", "noexec_taint_pod"), 50);
  EXPECT_EQ(of_queue("workqueue_adds_total", "noexec_taint_pod"),
            50 + cluster.metrics().pod_deletions().value());
  EXPECT_EQ(of_queue("workqueue_retries_total", "node_lifecycle_controller"), 0);
  EXPECT_GE(of_queue("workqueue_adds_total", "node_lifecycle_controller_pods"), 1);
  EXPECT_GE(of_queue("workqueue_adds_total", "noexec_taint_node"), 12);
}

TEST_F(WholePath, NothingIsWrittenWhileTheGateIsClosed) {
  cluster.gate.close();
  cluster.requests.clear();
  cluster.kubelets.kubelet(3).die();
  cluster.time.run_for(5min);
  EXPECT_EQ(cluster.writes("nodes"), 0U);
  cluster.gate.open_for_ever();
  cluster.time.run_for(5s);
  EXPECT_EQ(cluster.ready("hollow-3").status, ConditionStatus::Unknown);
}

TEST_F(WholePath, RestartAdoptsTaintsAndDoesNotStripThem) {
  cluster.kubelets.kubelet(3).die();
  ASSERT_TRUE(
      until([&] { return cluster.has_taint("hollow-3", taint::unreachable, "NoExecute"); }, 2min));
  cluster.stop_controller();
  cluster.requests.clear();
  cluster.start_controller(with_grace_40s());
  cluster.time.run_for(30s);
  EXPECT_EQ(cluster.writes("nodes"), 0U);
  EXPECT_TRUE(cluster.has_taint("hollow-3", taint::unreachable, "NoExecute"));
}

TEST_F(WholePath, PodsOfSilentNodesKeepToAPlaceOfTheirOwnWhileNodesAreWritten) {
  cluster.stop_controller();
  LoopOptions options = with_grace_40s();
  options.limits.in_flight = 1;  // so that it shows who goes before whom
  cluster.start_controller(options);
  cluster.time.run_for(1min);
  cluster.gate.close();
  cluster.kubelets.kill(6);
  cluster.time.run_for(2min);
  cluster.requests.clear();
  cluster.gate.open_for_ever();  // all are found at once
  cluster.time.run_for(30s);
  const std::vector<std::string> order = cluster.patches();
  int nodes = 0;
  int pods = 0;
  for (const std::string& written : order) {
    if (nodes == 6) break;
    ++(written == "nodes/status" ? nodes : pods);
    EXPECT_LE(pods, nodes) << "a place for each priority";
  }
  EXPECT_EQ(nodes, 6);
  EXPECT_GE(std::ranges::count(order, "nodes"), 6);
  EXPECT_EQ(std::ranges::count(order, "pods/status"), 12);
}

TEST_F(WholePath, WhatStandsIsNotWrittenAgain) {
  cluster.kubelets.kill(3);
  cluster.time.run_for(10min);
  cluster.requests.clear();
  cluster.time.run_for(10min);
  EXPECT_EQ(cluster.writes("nodes"), 0U);
  EXPECT_EQ(cluster.writes("pods"), 0U);
}

TEST_F(WholePath, WholeClusterFallingSilentLosesNoPod) {
  cluster.kubelets.kill(12);
  cluster.time.run_for(10min);
  for (int node = 0; node < 12; ++node) {
    const std::string name = "hollow-" + std::to_string(node);
    EXPECT_EQ(cluster.ready(name).status, ConditionStatus::Unknown) << name;
    EXPECT_TRUE(cluster.has_taint(name, taint::unreachable, "NoSchedule")) << name;
    EXPECT_FALSE(cluster.has_taint(name, taint::unreachable, "NoExecute")) << name;
    const std::optional<api::Pod> pod = cluster.pod(name + "-0");
    EXPECT_TRUE(pod && !pod->deleting) << name;
  }
}

TEST_F(WholePath, EventsTellWhatHappened) {
  cluster.kubelets.kubelet(3).die();
  cluster.time.run_for(5min);
  EXPECT_EQ(told("Node hollow-3 event: Registered Node hollow-3 in Controller"), 1);
  EXPECT_EQ(told("Node hollow-3 status is now: NodeNotReady"), 1);
  EXPECT_EQ(told("Node is not ready"), 2);
  EXPECT_EQ(told("Marking for deletion Pod hollow/hollow-3-0"), 1);
  EXPECT_EQ(told("Cancelling deletion"), 0);
}

TEST_F(WholePath, ZonesThatMayStopEvictingAreWarnedOfOnce) {
  cluster.time.run_for(5min);
  EXPECT_EQ(cluster.log.count("zones may stop evicting"), 1U) << "four nodes each are few";
}

TEST_F(WholePath, MetricsTellZonesAndEvictions) {
  cluster.kubelets.kubelet(3).die();
  cluster.time.run_for(5min);
  const std::string page = cluster.metrics().exposition();
  EXPECT_THAT(page, ::testing::HasSubstr("node_collector_evictions_total"));
  EXPECT_THAT(page, ::testing::HasSubstr("taint_eviction_controller_pod_deletions_total 2"));
  EXPECT_THAT(page, HasSubstr("taint_eviction_controller_pod_deletion_duration_seconds_count 2"));
  using metrics::Write;
  const auto taken = [this](Write kind) { return cluster.metrics().writes(kind, "ok").value(); };
  EXPECT_EQ(taken(Write::NodeStatus), 1);
  EXPECT_EQ(taken(Write::NodeTaints), 1);
  EXPECT_EQ(taken(Write::PodStatus), 4) << "two are not ready, and two are to go";
  EXPECT_EQ(taken(Write::PodDelete), 2);
  for (const char* queue :
       {"node_lifecycle_controller", "node_lifecycle_controller_pods", "noexec_taint_pod"}) {
    const std::string name = "workqueue_work_duration_seconds_count{name=\"" + std::string(queue);
    EXPECT_THAT(page, HasSubstr(name + "\"} 2"));
  }
  const metrics::ZoneMetrics& zone = cluster.metrics().zone(zone_key(cluster.node("hollow-3")));
  EXPECT_EQ(zone.size.value(), 4);
  EXPECT_EQ(zone.unhealthy.value(), 1);
  EXPECT_EQ(zone.health.value(), 75);
  EXPECT_EQ(zone.waiting.value(), 0);
  EXPECT_EQ(zone.evictions.value(), 1);
  for (std::size_t i = 0; i < metrics::zone_states.size(); ++i) {
    EXPECT_EQ(zone.states[i].value(), metrics::zone_states[i] == "Normal" ? 1 : 0);
  }
}

}  // namespace
}  // namespace nlc::controller
