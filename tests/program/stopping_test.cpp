#include <gtest/gtest.h>
#include <optional>

#include "tests/controller/whole_path.h"

/// What becomes of the lock when a replica that leads is asked to stop.
namespace nlc::program {
namespace {

using namespace controller::testing;

class Stopping : public ::testing::Test {
 protected:
  Stopping() {
    cluster.start_controller(*read_command_line({}).flags,
                             [this](int exit_code) { ended = exit_code; });
    cluster.time.run_for(1min);
  }

  bool is_held() const {
    const sim::ObjectRef lock =
        cluster.server.storage().find(*sim::find_resource("coordination.k8s.io", "v1", "leases"),
                                      "kube-system/node-lifecycle-controller");
    return lock != nullptr && lock->bytes.find(R"("holderIdentity":"only")") != std::string::npos;
  }

  Cluster cluster{twelve_nodes(2)};
  std::optional<int> ended;
};

TEST_F(Stopping, GivesTheLockBackAndEnds) {
  ASSERT_TRUE(is_held());
  cluster.replica->stop();
  EXPECT_FALSE(ended) << "never inline";
  cluster.time.run_for(100ms);
  EXPECT_EQ(ended, 0);
  EXPECT_FALSE(is_held());
}

TEST_F(Stopping, WhoIsAskedAgainGivesTheLockBackAllTheSame) {
  for (int signal = 0; signal < 3; ++signal) cluster.replica->stop();
  cluster.time.run_for(100ms);
  EXPECT_EQ(ended, 0);
  EXPECT_FALSE(is_held());
}

TEST_F(Stopping, SaysThatTheLockIsLeftWhereTheServerDoesNotAnswer) {
  cluster.controller_link->set_link(sim::Link::Silent);
  cluster.replica->stop();
  cluster.time.run_for(2s);
  EXPECT_EQ(ended, 0);
  EXPECT_TRUE(is_held());
  EXPECT_EQ(cluster.log.count("the lease could not be given back, it is left to run out"), 1U);
}

}  // namespace
}  // namespace nlc::program
