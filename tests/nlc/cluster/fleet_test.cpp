#include "nlc/cluster/fleet.h"

#include <gmock/gmock.h>

#include "tests/sim/kubelet/hollow_world.h"

namespace nlc::workbench {
namespace {

using namespace std::chrono_literals;

/// A fleet in virtual time, and what it says.
struct Fleet : sim::HollowWorld {
  explicit Fleet(FleetFlags asked)
      : flags(asked),
        cluster(world(), cluster_options(flags, 2ms)),
        play(
            cluster, flags, world(),
            {.say = [this](const std::string& line) { said.push_back(line); },
             .on_complete = [this] { ++completed; },
             .on_killed =
                 [this](const sim::HollowKubelet& it) { killed.push_back(it.identity().name); },
             .on_revived =
                 [this](const sim::HollowKubelet& it) { revived.push_back(it.identity().name); }}) {
  }

  FleetFlags flags;
  std::vector<std::string> said;
  std::vector<std::string> killed;
  std::vector<std::string> revived;
  int completed = 0;
  sim::HollowCluster cluster;
  FleetPlay play;
};

TEST(NlcFleet, TellsHowFarItHasComeUntilEverythingRuns) {
  Fleet fleet({.nodes = 4, .pods_per_node = 2});
  fleet.time.run_for(10s);
  EXPECT_THAT(fleet.said.front(), "registered 0/4 nodes, running 0/8 pods");
  EXPECT_THAT(fleet.said, testing::Contains("registered 4/4 nodes, running 8/8 pods"));
  EXPECT_THAT(fleet.said.back(), testing::StartsWith("all nodes and pods run after "));
  EXPECT_EQ(fleet.completed, 1);
}

TEST(NlcFleet, APodThatIsDeletedBeforeAllRunIsNotWaitedFor) {
  Fleet fleet({.nodes = 4, .pods_per_node = 2, .kill = 1, .after = 10s});
  fleet.time.run_for(500ms);
  ASSERT_EQ(fleet.completed, 0);
  const nlohmann::json at_once{
      {"kind", "DeleteOptions"}, {"apiVersion", "v1"}, {"gracePeriodSeconds", 0}};
  ASSERT_EQ(fleet.write("DELETE", sim::pod_path_0, at_once), 200);
  fleet.time.run_for(5s);
  EXPECT_THAT(fleet.said, testing::Contains("registered 4/4 nodes, running 7/8 pods (1 deleted, "
                                            "and not waited for)"));
  EXPECT_EQ(fleet.completed, 1);
  fleet.time.run_for(10s);
  EXPECT_EQ(fleet.said.back(), "killed hollow-0");
}

TEST(NlcFleet, TellsWhatTheServerRefuses) {
  Fleet fleet({.nodes = 1, .pods_per_node = 1});
  fleet.server.faults().add(
      sim::FaultRule::answering({.verb = "create", .resource = "namespaces"},
                                sim::status_answer(403, "Forbidden", "not you")));
  fleet.time.run_for(5s);
  EXPECT_THAT(fleet.said.back(), testing::HasSubstr("not you"));
}

TEST(NlcFleet, KillsAndRevivesTheFirstNodesWhenAsked) {
  Fleet fleet({.nodes = 5, .pods_per_node = 0, .kill = 2, .after = 10s, .revive_after = 20s});
  fleet.time.run_for(9s);
  EXPECT_TRUE(fleet.cluster.kubelet(0).is_running());
  fleet.time.run_for(3s);
  EXPECT_FALSE(fleet.cluster.kubelet(0).is_running());
  EXPECT_FALSE(fleet.cluster.kubelet(1).is_running());
  EXPECT_TRUE(fleet.cluster.kubelet(2).is_running());
  EXPECT_EQ(fleet.said.back(), "killed hollow-0 … hollow-1 (2 nodes)");
  fleet.time.run_for(20s);
  EXPECT_TRUE(fleet.cluster.kubelet(1).is_running());
  EXPECT_EQ(fleet.said.back(), "revived hollow-0 … hollow-1 (2 nodes)");
}

TEST(NlcFleet, PowerIsCutAndGivenBackAtOnceWhenTold) {
  Fleet fleet({.nodes = 3, .pods_per_node = 0, .kill = 2, .after = 24h});
  fleet.time.run_for(5s);
  fleet.play.kill();
  fleet.play.kill();
  EXPECT_FALSE(fleet.cluster.kubelet(1).is_running());
  EXPECT_THAT(fleet.killed, testing::ElementsAre("hollow-0", "hollow-1"));
  fleet.play.revive();
  fleet.play.revive();
  EXPECT_TRUE(fleet.cluster.kubelet(1).is_running());
  EXPECT_THAT(fleet.revived, testing::ElementsAre("hollow-0", "hollow-1"));
  fleet.play.kill();
  EXPECT_EQ(fleet.killed.size(), 4U);
}

TEST(NlcFleet, ZoneLosesItsPowerAsAWhole) {
  Fleet fleet({.nodes = 7, .pods_per_node = 0, .zones = 3, .kill_zone = "zone-b", .after = 24h});
  fleet.time.run_for(5s);
  fleet.play.kill();
  EXPECT_THAT(fleet.killed, testing::ElementsAre("hollow-1", "hollow-4"));
  EXPECT_EQ(fleet.said.back(), "killed hollow-1 … hollow-4 (2 nodes)");
}

TEST(NlcFleet, ZoneHasToBeOneThatHasNodes) {
  EXPECT_TRUE(names_a_zone({.nodes = 5, .zones = 2}, "zone-b"));
  EXPECT_FALSE(names_a_zone({.nodes = 5, .zones = 2}, "zone-c"));
  EXPECT_FALSE(names_a_zone({.nodes = 1, .zones = 2}, "zone-b"));
}

TEST(NlcFleet, PodsChangeInTurnOnceAllRun) {
  Fleet fleet({.nodes = 3, .pods_per_node = 2, .pod_changes_per_second = 2});
  fleet.time.run_for(5s);
  ASSERT_EQ(fleet.completed, 1);
  fleet.served.clear();
  fleet.time.run_for(3s);
  std::vector<std::string> changed;
  for (const sim::ServedRequest& request : fleet.requests("patch", "pods", "status")) {
    changed.push_back(request.info.name);
  }
  EXPECT_THAT(changed, testing::UnorderedElementsAre("hollow-0-0", "hollow-1-0", "hollow-2-0",
                                                     "hollow-0-1", "hollow-1-1", "hollow-2-1"));
}

TEST(NlcFleet, TellsWhenRenewalsFailAndWhenTheyAreTakenAgain) {
  Fleet fleet({.nodes = 4, .pods_per_node = 0});
  fleet.time.run_for(30s);
  fleet.transport.set_link(sim::Link::Refused);
  fleet.time.run_for(30s);
  EXPECT_THAT(fleet.said.back(), testing::StartsWith("renewals fail: "));
  fleet.transport.set_link(sim::Link::Up);
  fleet.time.run_for(30s);
  EXPECT_EQ(fleet.said.back(), "the server takes renewals again");
}

TEST(NlcFleet, WithoutRevivalTheDeadStayDead) {
  Fleet fleet({.nodes = 2, .pods_per_node = 0, .kill = 1, .after = 1s});
  fleet.time.run_for(1h);
  EXPECT_FALSE(fleet.cluster.kubelet(0).is_running());
}

}  // namespace
}  // namespace nlc::workbench
