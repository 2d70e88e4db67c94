#include "sim/kubelet/hollow_cluster.h"

#include <algorithm>
#include <map>

#include "hollow_world.h"

namespace nlc::sim {
namespace {

using namespace std::chrono_literals;
using nlohmann::json;

json bare_node(const std::string& name) {
  return {{"kind", "Node"},
          {"apiVersion", "v1"},
          {"metadata", {{"name", name}}},
          {"spec", json::object()},
          {"status", {{"conditions", json::array()}}}};
}

std::size_t count(HollowWorld& world, const std::string& collection) {
  return world.get(collection).at("items").size();
}

TEST(HollowCluster, NodesAreDealtToTheZonesInTurn) {
  HollowWorld world;
  const HollowCluster cluster(world.world(), {.nodes = 7, .zones = 3});
  world.time.run_for(2s);
  std::map<std::string, int> nodes_in;
  const json nodes = world.get("/api/v1/nodes");
  for (const json& node : nodes.at("items")) {
    ++nodes_in[node.at("metadata").at("labels").at("topology.kubernetes.io/zone")];
  }
  EXPECT_EQ(nodes_in, (std::map<std::string, int>{{"zone-a", 3}, {"zone-b", 2}, {"zone-c", 2}}));
}

TEST(HollowCluster, IsCompleteWhenAllNodesAndPodsRun) {
  HollowWorld world;
  const HollowCluster cluster(world.world(), {.nodes = 20, .workload = {.pods_per_node = 5}});
  EXPECT_FALSE(cluster.progress().complete);
  world.time.run_for(5s);
  EXPECT_TRUE(cluster.progress().complete);
  EXPECT_EQ(cluster.progress().pods_running, 100U);
  EXPECT_EQ(count(world, "/api/v1/namespaces/hollow/pods"), 100U);
}

TEST(HollowCluster, PodsTolerateAsLongAsAskedElseWhatTheServerGives) {
  HollowWorld world;
  const HollowCluster cluster(world.world(),
                              {.nodes = 1, .workload = {.pods_per_node = 1, .toleration = 10s}});
  world.time.run_for(2s);
  const json asked = world.get(pod_path_0);
  for (const json& toleration : asked.at("spec").at("tolerations")) {
    EXPECT_EQ(toleration.at("tolerationSeconds"), 10);
  }
  HollowWorld plain;
  const HollowCluster other(plain.world(), {.nodes = 1, .workload = {.pods_per_node = 1}});
  plain.time.run_for(2s);
  const json given = plain.get(pod_path_0);
  for (const json& toleration : given.at("spec").at("tolerations")) {
    EXPECT_EQ(toleration.at("tolerationSeconds"), 300);
  }
}

TEST(HollowCluster, RenewalsAreSpreadOverTheIntervalThoughAllBootTogether) {
  HollowWorld world;
  const HollowCluster cluster(world.world(), {.nodes = 100, .workload = {.pods_per_node = 0}});
  world.time.run_for(10s);
  world.served.clear();
  const Instant start = world.time.now();
  world.time.run_for(10s);
  std::map<std::int64_t, int> in_second;
  for (const ServedRequest& renewal : world.requests("update", "leases")) {
    ++in_second[std::chrono::floor<std::chrono::seconds>(renewal.at - start).count()];
  }
  ASSERT_EQ(in_second.size(), 10U);
  for (const auto& [second, renewals] : in_second) {
    EXPECT_GE(renewals, 5) << second;
    EXPECT_LE(renewals, 15) << second;
  }
}

TEST(HollowCluster, RenewalsOfOneTickLeaveTogetherAndStaySpreadOverTheInterval) {
  HollowWorld world;
  HollowClusterOptions options{.nodes = 400, .workload = {.pods_per_node = 0}};
  options.kubelet.tick = 50ms;
  const HollowCluster cluster(world.world(), options);
  world.time.run_for(30s);
  world.served.clear();
  world.time.run_for(10s);
  std::map<Instant, int> renewals_at;
  for (const ServedRequest& request : world.requests("update", "leases")) {
    ++renewals_at[request.at];
  }
  EXPECT_GE(renewals_at.size(), 150U);  // of 200 ticks
  EXPECT_LE(renewals_at.size(), 201U);
  for (const auto& [at, count] : renewals_at) EXPECT_LE(count, 12);
}

TEST(HollowCluster, MachinesBootOverTheSpan) {
  HollowWorld world;
  const HollowCluster cluster(world.world(),
                              {.nodes = 10, .workload = {.pods_per_node = 0}, .boot_span = 10s});
  world.time.run_for(4500ms);
  EXPECT_EQ(cluster.progress().registered, 5U);
  world.time.run_for(6s);
  EXPECT_EQ(cluster.progress().registered, 10U);
}

TEST(HollowCluster, KilledMachinesAreTheFirstOnesAndOnlyThose) {
  HollowWorld world;
  HollowCluster cluster(world.world(), {.nodes = 6, .workload = {.pods_per_node = 0}});
  world.time.run_for(15s);
  cluster.kill(2);
  world.served.clear();
  world.time.run_for(20s);
  const auto renewals = world.requests("update", "leases");
  const auto is_of = [](const std::string& name) {
    return [name](const ServedRequest& request) { return request.info.name == name; };
  };
  EXPECT_TRUE(std::ranges::none_of(renewals, is_of("hollow-0")));
  EXPECT_TRUE(std::ranges::none_of(renewals, is_of("hollow-1")));
  EXPECT_TRUE(std::ranges::any_of(renewals, is_of("hollow-2")));
  cluster.revive(2);
  world.time.run_for(1s);
  EXPECT_EQ(cluster.progress().registered, 6U);
}

TEST(HollowCluster, CleanUpRemovesNodesLeasesPodsAndNamespace) {
  HollowWorld world;
  HollowCluster cluster(world.world(), {.nodes = 5, .workload = {.pods_per_node = 3}});
  world.time.run_for(5s);
  std::size_t removed = 0;
  cluster.clean_up([&removed](std::size_t count) { removed = count; });
  world.time.run_for(5s);
  EXPECT_EQ(count(world, "/api/v1/nodes"), 0U);
  EXPECT_EQ(count(world, "/api/v1/pods"), 0U);
  EXPECT_EQ(count(world, std::string(client::node_leases_path)), 0U);
  EXPECT_TRUE(world.get("/api/v1/namespaces/hollow").is_null());
  EXPECT_EQ(removed, 5U + 5U + 15U + 2U);
}

TEST(HollowCluster, CleanUpLeavesWhatOthersMade) {
  HollowWorld world;
  world.server.load(bare_node("hollow-1"));
  world.server.load(bare_node("other"));
  EXPECT_EQ(world.write(
                "POST", "/api/v1/namespaces",
                {{"kind", "Namespace"}, {"apiVersion", "v1"}, {"metadata", {{"name", "hollow"}}}}),
            201);
  HollowCluster cluster(world.world(), {.nodes = 3, .workload = {.pods_per_node = 1}});
  world.time.run_for(5s);
  bool done = false;
  cluster.clean_up([&done](std::size_t) { done = true; });
  world.time.run_for(5s);
  EXPECT_TRUE(done);
  EXPECT_EQ(count(world, "/api/v1/nodes"), 2U);
  EXPECT_FALSE(world.get("/api/v1/nodes/hollow-1").is_null());
  EXPECT_FALSE(world.get("/api/v1/namespaces/hollow").is_null());
}

/// A run that was killed could not clean up.
TEST(HollowCluster, WhatAnEarlierRunLeftIsTakenOverAndRemovedAtTheEnd) {
  HollowWorld world;
  {
    const HollowCluster killed(world.world(),
                               {.nodes = 3, .workload = {.run = "first", .pods_per_node = 2}});
    world.time.run_for(5s);
  }
  HollowCluster cluster(world.world(),
                        {.nodes = 3, .workload = {.run = "second", .pods_per_node = 2}});
  world.time.run_for(20s);
  EXPECT_TRUE(cluster.progress().complete);
  cluster.clean_up([](std::size_t) {});
  world.time.run_for(5s);
  EXPECT_EQ(count(world, "/api/v1/nodes"), 0U);
  EXPECT_EQ(count(world, "/api/v1/pods"), 0U);
  EXPECT_EQ(count(world, std::string(client::node_leases_path)), 0U);
}

TEST(HollowCluster, WhatAnEarlierRunLeftIsRemovedThoughTheEndComesBeforeItsMachinesBoot) {
  HollowWorld world;
  {
    const HollowCluster killed(world.world(), {.nodes = 3, .workload = {.run = "first"}});
    world.time.run_for(5s);
  }
  HollowCluster cluster(world.world(), {.nodes = 3,
                                        .workload = {.run = "second"},
                                        .boot_span = 1h,
                                        .inherited = {"hollow-0", "hollow-1", "hollow-2"}});
  world.time.run_for(1s);
  cluster.clean_up([](std::size_t) {});
  world.time.run_for(5s);
  EXPECT_EQ(count(world, "/api/v1/nodes"), 0U);
  EXPECT_EQ(count(world, std::string(client::node_leases_path)), 0U);
}

TEST(HollowCluster, CleanUpRemovesANodeOfWhichNobodyKnowsWhetherItWasMade) {
  HollowWorld world;
  world.server.load(bare_node("hollow-1"));
  world.server.faults().add(
      FaultRule::doing({.verb = "create", .resource = "nodes"}, FaultRule::Action::LoseResponse));
  HollowCluster cluster(world.world(), {.nodes = 2, .workload = {.run = "this"}});
  world.time.run_for(100ms);
  cluster.clean_up([](std::size_t) {});
  world.time.run_for(5s);
  EXPECT_TRUE(world.get("/api/v1/nodes/hollow-0").is_null());
  EXPECT_FALSE(world.get("/api/v1/nodes/hollow-1").is_null()) << "somebody else's";
}

TEST(HollowCluster, TellsWhyTheServerTakesNoNode) {
  HollowWorld world;
  world.server.faults().add(FaultRule::answering({.verb = "create", .resource = "nodes"},
                                                 status_answer(403, "Forbidden", "not you")));
  const HollowCluster cluster(world.world(), {.nodes = 2});
  world.time.run_for(2s);
  EXPECT_NE(cluster.trouble().find("not you"), std::string::npos) << cluster.trouble();
  world.server.faults().clear();
  world.time.run_for(20s);
  EXPECT_EQ(cluster.trouble(), "");
}

TEST(HollowCluster, CleanUpWhileMachinesStillBootLeavesNothingBehind) {
  for (const Duration into_boot : {1ms, 2ms, 3ms, 5ms, 8ms}) {
    HollowWorld world;
    HollowCluster cluster(world.world(), {.nodes = 5, .workload = {.pods_per_node = 2}});
    world.time.run_for(into_boot);
    bool done = false;
    cluster.clean_up([&done](std::size_t) { done = true; });
    world.time.run_for(5s);
    EXPECT_TRUE(done);
    EXPECT_EQ(count(world, "/api/v1/nodes"), 0U) << into_boot.count();
    EXPECT_EQ(count(world, "/api/v1/pods"), 0U) << into_boot.count();
    EXPECT_EQ(count(world, std::string(client::node_leases_path)), 0U) << into_boot.count();
  }
}

TEST(HollowCluster, CleanUpRemovesWhatWasMadeThoughTheAnswerWasLost) {
  HollowWorld world;
  for (const char* resource : {"nodes", "pods", "namespaces", "leases"}) {
    world.server.faults().add(
        FaultRule::doing({.verb = "create", .resource = resource}, FaultRule::Action::LoseResponse)
            .at_most(2));
  }
  HollowCluster cluster(world.world(), {.nodes = 2, .workload = {.pods_per_node = 1}});
  world.time.run_for(30s);
  EXPECT_TRUE(cluster.progress().complete);
  cluster.clean_up([](std::size_t) {});
  world.time.run_for(5s);
  EXPECT_EQ(count(world, "/api/v1/nodes"), 0U);
  EXPECT_EQ(count(world, "/api/v1/pods"), 0U);
  EXPECT_EQ(count(world, std::string(client::node_leases_path)), 0U);
  EXPECT_TRUE(world.get("/api/v1/namespaces/hollow").is_null());
}

TEST(HollowCluster, CleanUpLeavesWhatWasThereThoughTheFirstTryWasLost) {
  HollowWorld world;
  world.server.load(bare_node("hollow-0"));
  world.server.faults().add(
      FaultRule::doing({.verb = "create", .resource = "nodes"}, FaultRule::Action::Drop)
          .at_most(1));
  HollowCluster cluster(world.world(), {.nodes = 1, .workload = {.pods_per_node = 0}});
  world.time.run_for(5s);
  EXPECT_TRUE(cluster.progress().complete);
  cluster.clean_up([](std::size_t) {});
  world.time.run_for(5s);
  EXPECT_EQ(count(world, "/api/v1/nodes"), 1U);
}

TEST(HollowCluster, CleanUpGoesOnThroughAnOutage) {
  HollowWorld world;
  HollowCluster cluster(world.world(), {.nodes = 3, .workload = {.pods_per_node = 1}});
  world.time.run_for(5s);
  world.transport.set_link(Link::Refused);
  bool done = false;
  cluster.clean_up([&done](std::size_t) { done = true; });
  world.time.run_for(1min);
  EXPECT_FALSE(done);
  world.transport.set_link(Link::Up);
  world.time.run_for(10s);
  EXPECT_TRUE(done);
  EXPECT_EQ(count(world, "/api/v1/nodes"), 0U);
}

TEST(HollowCluster, SurvivesAServerThatVanishesForAMinute) {
  HollowWorld world;
  const HollowCluster cluster(world.world(), {.nodes = 10, .workload = {.pods_per_node = 2}});
  world.time.run_for(5s);
  world.transport.set_link(Link::Refused);
  world.time.run_for(1min);
  world.transport.set_link(Link::Up);
  world.served.clear();
  world.time.run_for(11s);
  EXPECT_GE(world.requests("update", "leases").size(), 10U);
  EXPECT_TRUE(cluster.progress().complete);
}

TEST(HollowCluster, TwoRunsWithOneSeedAreTheSameToTheLastRequest) {
  const auto run = [] {
    HollowWorld world;
    const HollowCluster cluster(world.world(), {.nodes = 20, .seed = 7});
    world.time.run_for(3min);
    std::string story;
    for (const ServedRequest& request : world.served) {
      story += std::to_string(request.at.time_since_epoch().count()) + request.info.verb +
               request.info.path + "\n";
    }
    return story;
  };
  EXPECT_EQ(run(), run());
}

}  // namespace
}  // namespace nlc::sim
