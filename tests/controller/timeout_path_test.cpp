#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "controller/rules/taints.h"
#include "tests/controller/whole_path.h"

/// Pods go by timeout and not by taints (spec/node-lifecycle.md "Eviction by timeout"), and each
/// half of the controller alone.
namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using Json = nlohmann::json;

constexpr Duration timeout = 3min;

sim::HollowClusterOptions six_nodes_in_two_zones() {
  sim::HollowClusterOptions options;
  options.nodes = 6;
  options.zones = 2;
  options.workload.pods_per_node = 2;
  options.workload.toleration = 30s;
  return options;
}

LoopOptions by_timeout() {
  LoopOptions options;
  options.policy.monitor_grace = grace;
  options.policy.evict_by_taints = false;
  options.policy.pod_eviction_timeout = timeout;
  return options;
}

class TimeoutPath : public ClusterTest {
 protected:
  TimeoutPath() : ClusterTest(six_nodes_in_two_zones()) { cluster.time.run_for(1min); }

  void start(const LoopOptions& options) {
    cluster.start_controller(options);
    cluster.time.run_for(1min);
    cluster.requests.clear();
  }

  bool leaves(const std::string& pod) const {
    const std::optional<api::Pod> found = cluster.pod(pod);
    return !found || found->deleting;
  }
};

TEST_F(TimeoutPath, PodsOfASilentNodeGoWhenTheTimeoutHasRunOutAndNoNoExecuteTaintIsWritten) {
  start(by_timeout());
  cluster.kubelets.kubelet(2).die();
  ASSERT_TRUE(until([&] { return leaves("hollow-2-0") && leaves("hollow-2-1"); }, 5min));
  const Duration silent_for = cluster.time.wall_now() - cluster.last_renewal("hollow-2");
  EXPECT_GT(silent_for, timeout);
  EXPECT_LE(silent_for, timeout + 100ms);
  EXPECT_TRUE(cluster.has_taint("hollow-2", taint::unreachable, "NoSchedule"));
  EXPECT_FALSE(cluster.has_taint("hollow-2", taint::unreachable, "NoExecute"));
  EXPECT_TRUE(cluster.pod("hollow-2-0")->lost);
  EXPECT_FALSE(cluster.pod("hollow-2-0")->disruption_target);
}

TEST_F(TimeoutPath, EventsAndTheCounterTellTheEviction) {
  start(by_timeout());
  cluster.kubelets.kubelet(2).die();
  cluster.time.run_for(5min);
  EXPECT_EQ(told("Node hollow-2 event: Deleting all Pods from Node hollow-2."), 1);
  EXPECT_EQ(told("Marking for deletion Pod hollow-2-0 from Node hollow-2"), 1);
  EXPECT_EQ(told("Marking for deletion Pod hollow-2-1 from Node hollow-2"), 1);
  EXPECT_EQ(told("TaintManagerEviction"), 0);
  EXPECT_EQ(cluster.metrics().zone(zone_key(cluster.node("hollow-2"))).evictions.value(), 1);
}

TEST_F(TimeoutPath, NodeThatReturnsInTimeKeepsItsPods) {
  start(by_timeout());
  cluster.kubelets.kubelet(2).die();
  cluster.time.run_for(150s);
  cluster.kubelets.kubelet(2).revive();
  cluster.time.run_for(10min);
  EXPECT_FALSE(leaves("hollow-2-0"));
  EXPECT_EQ(told("Deleting all Pods"), 0);
}

TEST_F(TimeoutPath, NodeThatSaysItIsNotReadyIsEvictedAfterTheTimeoutToo) {
  start(by_timeout());
  cluster.kubelets.kubelet(2).report({.not_ready = sim::NotReadyCause::RuntimeDown});
  ASSERT_TRUE(
      until([&] { return cluster.ready("hollow-2").status == ConditionStatus::False; }, 30s));
  const auto left = until([&] { return leaves("hollow-2-0"); }, 5min);
  ASSERT_TRUE(left);
  EXPECT_GE(*left, timeout - 100ms);
  EXPECT_LE(*left, timeout + 1s);
}

TEST_F(TimeoutPath, PodsOfDaemonSetsStay) {
  Json pod = Json::parse(R"({"apiVersion": "v1", "kind": "Pod",
      "metadata": {"namespace": "hollow", "name": "of-daemon", "uid": "d",
                   "ownerReferences": [{"apiVersion": "apps/v1", "kind": "DaemonSet",
                                        "name": "d", "uid": "1", "controller": true}]},
      "spec": {"nodeName": "hollow-2", "containers": [{"name": "c", "image": "i"}]},
      "status": {"conditions": [{"type": "Ready", "status": "True"}]}})");
  cluster.server.load(std::move(pod));
  start(by_timeout());
  cluster.kubelets.kubelet(2).die();
  cluster.time.run_for(5min);
  EXPECT_TRUE(leaves("hollow-2-0"));
  EXPECT_FALSE(leaves("of-daemon"));
  EXPECT_FALSE(cluster.pod("of-daemon")->lost);
}

TEST_F(TimeoutPath, SecondNodeOfAZoneWaitsForTheZonesRate) {
  start(by_timeout());
  cluster.kubelets.kubelet(0).die();
  cluster.kubelets.kubelet(2).die();
  const auto gone = [&](int node) { return leaves("hollow-" + std::to_string(node) + "-0"); };
  ASSERT_TRUE(until([&] { return gone(0) || gone(2); }, 5min));
  const auto second = until([&] { return gone(0) && gone(2); }, 1min);
  ASSERT_TRUE(second);
  EXPECT_GE(*second, 9s);
  EXPECT_LE(*second, 11s);
}

TEST_F(TimeoutPath, WholeClusterFallingSilentLosesNoPodAndAfterwardsTimeoutsBeginAnew) {
  start(by_timeout());
  cluster.kubelets.kill(6);
  cluster.time.run_for(10min);
  for (int node = 0; node < 6; ++node) {
    EXPECT_FALSE(leaves("hollow-" + std::to_string(node) + "-0")) << node;
  }
  cluster.kubelets.revive(3);  // 3, 4 and 5 stay down
  cluster.time.run_for(timeout - 10s);
  EXPECT_FALSE(leaves("hollow-3-0"));
  cluster.time.run_for(1min);
  EXPECT_TRUE(leaves("hollow-3-0"));
}

TEST_F(TimeoutPath, NodeThatCameBackUnseenKeepsItsPods) {
  start(by_timeout());
  cluster.kubelets.kubelet(2).die();
  ASSERT_TRUE(
      until([&] { return cluster.ready("hollow-2").status == ConditionStatus::Unknown; }, 2min));
  cluster.time.run_for(2s);
  cluster.server.watches().freeze("nodes");
  cluster.server.watches().freeze("leases");
  cluster.kubelets.kubelet(2).revive();
  cluster.time.run_for(5min);
  EXPECT_FALSE(leaves("hollow-2-0"));
}

TEST_F(TimeoutPath, RefusedDeletionsAreRepeatedAndToldOnce) {
  start(by_timeout());
  cluster.server.faults().add(
      sim::FaultRule::answering({.verb = "delete", .resource = "pods", .user_agent = "controller"},
                                sim::status_answer(500, "InternalError", "out of order"))
          .at_most(9));
  cluster.kubelets.kubelet(2).die();
  cluster.time.run_for(10min);
  EXPECT_TRUE(leaves("hollow-2-0"));
  EXPECT_TRUE(leaves("hollow-2-1"));
  EXPECT_EQ(told("Marking for deletion Pod hollow-2-0 from Node hollow-2"), 1);
}

// --- halves -------------------------------------------------------------------------------------

LoopOptions with(Controllers controllers) {
  LoopOptions options;
  options.policy.monitor_grace = grace;
  options.controllers = controllers;
  return options;
}

TEST_F(TimeoutPath, WithoutTaintEvictionNodesAreTaintedAndPodsStay) {
  start(with({.node_lifecycle = true, .taint_eviction = false}));
  cluster.kubelets.kubelet(2).die();
  cluster.time.run_for(10min);
  EXPECT_TRUE(cluster.has_taint("hollow-2", taint::unreachable, "NoExecute"));
  EXPECT_FALSE(cluster.pod_is_ready("hollow-2-0"));
  EXPECT_FALSE(leaves("hollow-2-0"));
}

TEST_F(TimeoutPath, TaintEvictionAloneEvictsForAnybodysTaintAndJudgesNobody) {
  start(with({.node_lifecycle = false, .taint_eviction = true}));
  cluster.kubelets.kubelet(2).die();
  cluster.time.run_for(5min);
  EXPECT_EQ(cluster.ready("hollow-2").status, ConditionStatus::True);
  EXPECT_EQ(cluster.writes("nodes"), 0U);
  Json node =
      Json::parse(cluster.server.storage().find(sim::core_resource("nodes"), "hollow-4")->bytes);
  node["apiVersion"] = "v1";
  node["kind"] = "Node";
  node["spec"]["taints"] = Json::array({{{"key", "maintenance"}, {"effect", "NoExecute"}}});
  cluster.server.load(std::move(node));
  EXPECT_TRUE(until([&] { return leaves("hollow-4-0"); }, 1s));
  EXPECT_FALSE(leaves("hollow-2-0"));
  EXPECT_THAT(cluster.metrics().exposition(), ::testing::Not(::testing::HasSubstr("zone=")));
  const auto checks = cluster.checks();
  EXPECT_TRUE(std::ranges::all_of(checks, &HealthCheck::ok));
}

// --- pods in full disruption --------------------------------------------------------------------

TEST_F(TimeoutPath, PodsAreMarkedNotReadyInFullDisruptionUnlessTheyAreToBeHeld) {
  start(with({}));
  cluster.kubelets.kill(6);
  cluster.time.run_for(2min);
  EXPECT_FALSE(cluster.pod_is_ready("hollow-2-0"));
}

TEST_F(TimeoutPath, HeldPodsStayReadyInFullDisruptionAndAreMarkedWhenItEnds) {
  LoopOptions options = with({});
  options.policy.hold_pods_ready_in_full_disruption = true;
  start(options);
  cluster.kubelets.kill(6);
  cluster.time.run_for(10min);
  std::string last = "hollow-1";  // to fall silent: with it the disruption was full
  for (int node = 1; node < 6; ++node) {
    const std::string name = "hollow-" + std::to_string(node);
    if (cluster.last_renewal(name) > cluster.last_renewal(last)) last = name;
  }
  EXPECT_TRUE(cluster.pod_is_ready(last + "-0"));
  cluster.kubelets.kubelet(0).revive();
  EXPECT_TRUE(until([&] { return !cluster.pod_is_ready(last + "-0"); }, 30s));
}

}  // namespace
}  // namespace nlc::controller
