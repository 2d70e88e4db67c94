#include "sim/nlc_fleet.h"

#include <gmock/gmock.h>

#include "hollow_world.h"

namespace nlc::sim {
namespace {

using namespace std::chrono_literals;

/// A fleet in virtual time, and what it says.
struct Fleet : HollowWorld {
  explicit Fleet(FleetFlags asked)
      : flags(asked),
        cluster(world(), cluster_options(flags, 2ms)),
        play(
            cluster, flags, world(), [this](const std::string& line) { said.push_back(line); },
            [this] { ++completed; }) {}

  FleetFlags flags;
  std::vector<std::string> said;
  int completed = 0;
  HollowCluster cluster;
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

TEST(NlcFleet, TellsWhatTheServerRefuses) {
  Fleet fleet({.nodes = 1, .pods_per_node = 1});
  fleet.server.faults().add(FaultRule::answering({.verb = "create", .resource = "namespaces"},
                                                 status_answer(403, "Forbidden", "not you")));
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

TEST(NlcFleet, WithoutRevivalTheDeadStayDead) {
  Fleet fleet({.nodes = 2, .pods_per_node = 0, .kill = 1, .after = 1s});
  fleet.time.run_for(1h);
  EXPECT_FALSE(fleet.cluster.kubelet(0).is_running());
}

}  // namespace
}  // namespace nlc::sim
