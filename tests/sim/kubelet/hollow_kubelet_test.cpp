#include "sim/kubelet/hollow_kubelet.h"

#include "hollow_world.h"

namespace nlc::sim {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

/// One hollow node with one pod, all running and at rest for a while.
struct OneNode : HollowWorld {
  explicit OneNode(HollowClusterOptions options = {}) : cluster(world(), one(std::move(options))) {
    time.run_for(15s);
    served.clear();
  }

  static HollowClusterOptions one(HollowClusterOptions options) {
    options.nodes = 1;
    options.workload.pods_per_node = 1;
    return options;
  }

  HollowKubelet& kubelet() { return cluster.kubelet(0); }

  /// As the controller does to a node that fell silent.
  void call_unknown() {
    json conditions = json::array();
    for (const char* type : {"Ready", "MemoryPressure", "DiskPressure", "PIDPressure"}) {
      conditions.push_back({{"type", type},
                            {"status", "Unknown"},
                            {"reason", "NodeStatusUnknown"},
                            {"message", "Kubelet stopped posting node status."}});
    }
    const json patch{{"status", {{"conditions", conditions}}}};
    EXPECT_EQ(write("PATCH", node_path_0 + "/status", patch), 200);
  }

  void call_pod_not_ready() {
    const json ready{{"type", "Ready"}, {"status", "False"}};
    const json patch{{"status", {{"conditions", json::array({ready})}}}};
    EXPECT_EQ(write("PATCH", pod_path_0 + "/status", patch), 200);
  }

  HollowCluster cluster;
};

TEST(HollowKubelet, RegistersItsNodeNotReadyAndTurnsItReadyAtOnce) {
  HollowWorld world;
  const HollowCluster cluster(world.world(), OneNode::one({}));
  world.time.run_for(10ms);
  ASSERT_EQ(world.requests("create", "nodes").size(), 1U);
  const json posted = json::parse(world.requests("create", "nodes").front().body);
  EXPECT_EQ(HollowWorld::condition(posted, "Ready").at("status"), "False");
  EXPECT_EQ(world.ready_of(node_path_0), "True");
}

TEST(HollowKubelet, AdoptsTheNodeThatIsThereAndSetsItsLabels) {
  HollowWorld world;
  world.server.load({{"kind", "Node"},
                     {"apiVersion", "v1"},
                     {"metadata", {{"name", "hollow-0"}, {"labels", {{"old", "label"}}}}},
                     {"spec", json::object()},
                     {"status", {{"conditions", json::array()}}}});
  const HollowCluster cluster(world.world(), OneNode::one({}));
  world.time.run_for(1s);
  const json labels = world.get(node_path_0).at("metadata").at("labels");
  EXPECT_EQ(labels.at("old"), "label");
  EXPECT_EQ(labels.at("topology.kubernetes.io/zone"), "zone-a");
  EXPECT_EQ(world.ready_of(node_path_0), "True");
}

TEST(HollowKubelet, RegistrationIsTriedUntilTheServerTakesIt) {
  HollowWorld world;
  world.server.faults().add(FaultRule::answering({.verb = "create", .resource = "nodes"},
                                                 status_answer(500, "InternalError", "not yet")));
  const HollowCluster cluster(world.world(), OneNode::one({}));
  world.time.run_for(20s);
  EXPECT_TRUE(world.get(node_path_0).is_null());
  world.server.faults().clear();
  world.time.run_for(7s);
  EXPECT_EQ(world.ready_of(node_path_0), "True");
}

TEST(HollowKubelet, LeaseBelongsToItsNodeAndToNobodyElse) {
  OneNode world;
  const json lease = world.get(lease_path_0);
  const json& owner = lease.at("metadata").at("ownerReferences").at(0);
  EXPECT_EQ(owner.at("kind"), "Node");
  EXPECT_EQ(owner.at("uid"), world.get(node_path_0).at("metadata").at("uid"));
  EXPECT_EQ(lease.at("spec").at("holderIdentity"), "hollow-0");
  EXPECT_EQ(lease.at("spec").at("leaseDurationSeconds"), 40);
}

TEST(HollowKubelet, RenewsEachQuarterOfTheLeaseDurationWithOnePutAndNoRead) {
  OneNode world;
  world.time.run_for(100s);
  const std::size_t renewals = world.requests("update", "leases").size();
  EXPECT_GE(renewals, 9U);
  EXPECT_LE(renewals, 10U);
  EXPECT_EQ(world.requests("get", "leases").size(), 0U);
}

TEST(HollowKubelet, LeaseDurationSetsTheRhythm) {
  OneNode world({.kubelet = {.lease_duration = 8s}});
  world.time.run_for(100s);
  EXPECT_GE(world.requests("update", "leases").size(), 48U);
  EXPECT_LE(world.requests("update", "leases").size(), 50U);
}

TEST(HollowKubelet, LeaseThatWasDeletedIsMadeAgain) {
  OneNode world;
  EXPECT_EQ(world.write("DELETE", lease_path_0, json::object()), 200);
  world.time.run_for(11s);
  EXPECT_EQ(world.get(lease_path_0).at("spec").at("holderIdentity"), "hollow-0");
}

TEST(HollowKubelet, LeaseThatSomebodyWroteIsReadAndRenewedFromThere) {
  OneNode world;
  json lease = world.get(lease_path_0);
  const std::string renewed = lease.at("spec").at("renewTime");
  lease["spec"]["leaseDurationSeconds"] = 41;
  EXPECT_EQ(world.write("PUT", lease_path_0, lease), 200);
  world.time.run_for(11s);
  EXPECT_NE(world.get(lease_path_0).at("spec").at("renewTime"), renewed);
}

TEST(HollowKubelet, AfterAnOutageItRenewsWithinTheLongestBackOff) {
  OneNode world;
  world.server.faults().add(
      FaultRule::answering({.resource = "leases"}, status_answer(500, "InternalError", "down")));
  world.time.run_for(2min);
  world.server.faults().clear();
  world.served.clear();
  world.time.run_for(7s + 10ms);
  ASSERT_FALSE(world.requests("update", "leases").empty());
  EXPECT_EQ(world.requests("update", "leases").front().status, 200);
}

TEST(HollowKubelet, UnchangedStatusIsPostedEveryFiveMinutesOnly) {
  OneNode world;
  world.time.run_for(16min);
  EXPECT_EQ(world.requests("patch", "nodes", "status").size(), 3U);
}

TEST(HollowKubelet, ChangeIsPostedWithinOneUpdatePeriod) {
  OneNode world;
  world.kubelet().report({.not_ready = NotReadyCause::RuntimeDown, .memory_pressure = true});
  world.time.run_for(10400ms);
  const json node = world.get(node_path_0);
  EXPECT_EQ(HollowWorld::condition(node, "Ready").at("message"), "container runtime is down");
  EXPECT_EQ(HollowWorld::condition(node, "MemoryPressure").at("status"), "True");
  EXPECT_EQ(world.requests("patch", "nodes", "status").size(), 1U);
}

TEST(HollowKubelet, StatusThatSomebodyOverwroteIsPostedInTheNextRound) {
  OneNode world;
  world.call_unknown();
  world.time.run_for(10400ms);
  EXPECT_EQ(world.ready_of(node_path_0), "True");
}

TEST(HollowKubelet, RoundOfStatusHasFiveTries) {
  OneNode world;
  world.server.faults().add(
      FaultRule::answering({.verb = "patch", .resource = "nodes", .subresource = "status"},
                           status_answer(500, "InternalError", "no")));
  world.kubelet().report({.disk_pressure = true});
  world.time.run_for(10400ms);
  EXPECT_EQ(world.requests("patch", "nodes", "status").size(), 5U);
  EXPECT_EQ(world.requests("get", "nodes").size(), 5U);
}

TEST(HollowKubelet, DeadKubeletIsSilent) {
  OneNode world;
  world.kubelet().die();
  world.time.run_for(10min);
  EXPECT_TRUE(world.requests("update", "leases").empty());
  EXPECT_TRUE(world.requests("get", "nodes").empty());
}

TEST(HollowKubelet, RevivedKubeletRenewsAndTurnsItsNodeReadyAtOnce) {
  OneNode world;
  world.kubelet().die();
  world.time.run_for(1min);
  world.call_unknown();
  world.served.clear();
  world.kubelet().revive();
  world.time.run_for(1s);
  EXPECT_EQ(world.ready_of(node_path_0), "True");
  EXPECT_EQ(world.requests("update", "leases").size(), 1U);
}

TEST(HollowKubelet, RevivedKubeletMakesItsPodsReadyAgain) {
  OneNode world;
  world.kubelet().die();
  world.time.run_for(1min);
  world.call_pod_not_ready();
  world.time.run_for(1min);
  EXPECT_EQ(world.ready_of(pod_path_0), "False");
  world.kubelet().revive();
  world.time.run_for(11s);
  EXPECT_EQ(world.ready_of(pod_path_0), "True");
}

TEST(HollowKubelet, PodRunsWithAllItsConditionsTrue) {
  OneNode world;
  const json pod = world.get(pod_path_0);
  EXPECT_EQ(pod.at("status").at("phase"), "Running");
  for (const char* type :
       {"PodReadyToStartContainers", "Initialized", "Ready", "ContainersReady", "PodScheduled"}) {
    EXPECT_EQ(HollowWorld::condition(pod, type).at("status"), "True") << type;
  }
  EXPECT_EQ(pod.at("status").at("containerStatuses").at(0).at("ready"), true);
  EXPECT_EQ(pod.at("status").at("hostIP"), "10.0.0.1");
  EXPECT_EQ(pod.at("status").at("podIP"), "10.128.0.2");
}

TEST(HollowKubelet, PodOfAnybodyThatIsBoundToTheNodeIsRun) {
  OneNode world;
  const json pod{{"kind", "Pod"},
                 {"apiVersion", "v1"},
                 {"metadata", {{"name", "guest"}}},
                 {"spec",
                  {{"nodeName", "hollow-0"},
                   {"containers", json::array({json{{"name", "c"}, {"image", "i"}}})}}}};
  EXPECT_EQ(world.write("POST", "/api/v1/namespaces/default/pods", pod), 201);
  world.time.run_for(2s);
  EXPECT_EQ(world.ready_of("/api/v1/namespaces/default/pods/guest"), "True");
}

TEST(HollowKubelet, PodThatIsDeletedEndsSucceededAndIsGoneAfterItsTermination) {
  OneNode world;
  EXPECT_EQ(world.write("DELETE", pod_path_0, json::object()), 200);
  EXPECT_TRUE(world.get(pod_path_0).at("metadata").contains("deletionTimestamp"));
  world.time.run_for(2s);
  EXPECT_TRUE(world.get(pod_path_0).is_null());
  const auto removals = world.requests("delete", "pods");
  ASSERT_EQ(removals.size(), 2U);
  const json options = json::parse(removals.back().body);
  EXPECT_EQ(options.at("gracePeriodSeconds"), 0);
  EXPECT_TRUE(options.at("preconditions").contains("uid"));
}

TEST(HollowKubelet, DeletedPodOfADeadNodeStaysUntilTheNodeIsBack) {
  OneNode world;
  world.kubelet().die();
  EXPECT_EQ(world.write("DELETE", pod_path_0, json::object()), 200);
  world.time.run_for(10min);
  EXPECT_FALSE(world.get(pod_path_0).is_null());
  world.kubelet().revive();
  world.time.run_for(2s);
  EXPECT_TRUE(world.get(pod_path_0).is_null());
}

TEST(HollowKubelet, PodStatusThatTheServerRefusedIsPostedAgain) {
  OneNode world;
  world.call_pod_not_ready();
  world.server.faults().add(
      FaultRule::answering({.verb = "patch", .resource = "pods", .subresource = "status"},
                           status_answer(500, "InternalError", "no"))
          .at_most(1));
  world.time.run_for(25s);
  EXPECT_EQ(world.ready_of(pod_path_0), "True");
}

}  // namespace
}  // namespace nlc::sim
