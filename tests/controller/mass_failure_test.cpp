#include <gtest/gtest.h>

#include "tests/controller/whole_path.h"

namespace nlc::controller {
namespace {

using namespace testing;

/// Sixty nodes with ten pods each.
sim::HollowClusterOptions sixty_nodes() {
  sim::HollowClusterOptions options = twelve_nodes(2);
  options.nodes = 60;
  options.workload.pods_per_node = 10;
  return options;
}

TEST(MassFailure, ServerThatThrottlesIsAskedOnceASecondByAll) {
  Cluster cluster(sixty_nodes());
  cluster.time.run_for(1min);
  cluster.start_controller(with_grace_40s());
  cluster.time.run_for(1min);
  cluster.requests.clear();
  cluster.server.faults().add(
      sim::FaultRule::answering({.verb = "patch", .user_agent = "controller"},
                                sim::throttled_answer(std::chrono::seconds(1))));
  cluster.kubelets.kill(50);
  cluster.time.run_for(5min);
  EXPECT_LE(cluster.patches().size(), 360U);
  EXPECT_GE(cluster.patches().size(), 60U) << "nothing is given up";
}

TEST(MassFailure, MemoryIsGivenBackAfterStartUpAndAfterManyWritesAtRest) {
  Cluster cluster(sixty_nodes());
  cluster.time.run_for(1min);
  int given_back = 0;
  cluster.give_back_memory = [&] { ++given_back; };
  cluster.start_controller(with_grace_40s());
  cluster.time.run_for(40s);
  EXPECT_EQ(given_back, 1);
  cluster.time.run_for(20s);
  EXPECT_EQ(given_back, 2) << "once more, for connections that were idle are closed";
  cluster.time.run_for(10min);
  EXPECT_EQ(given_back, 2) << "a quiet cluster frees nothing";
  cluster.kubelets.kill(50);
  cluster.time.run_for(5min);
  EXPECT_EQ(given_back, 4);
}

}  // namespace
}  // namespace nlc::controller
