#include <gmock/gmock.h>
#include <iostream>

#include "tests/real/rig/objects.h"
#include "tests/real/rig/stage.h"
#include "tests/real/rig/timeline.h"
#include "tests/real/rig/waiting.h"

/// The server goes away while the nodes live on. What the controller did not see is no proof of
/// death.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using ::testing::IsEmpty;

/// Seconds of silence after which a node becomes Unknown; it renews four times in them.
const std::string brisk = "6";
const std::string usual = "40";

class Outage : public Stage {
 protected:
  void begin(std::size_t count, const std::string& grace, std::vector<std::string> more = {}) {
    start_controller({"--node-monitor-grace-period=" + grace + "s", "--node-monitor-period=1s",
                      "--node-eviction-rate=1"});
    std::vector<std::string> flags = {"--nodes",
                                      std::to_string(count),
                                      "--pods-per-node",
                                      "2",
                                      "--zones",
                                      "3",
                                      "--node-lease-duration-seconds",
                                      grace};
    flags.insert(flags.end(), more.begin(), more.end());
    start_nodes(flags);
    ASSERT_TRUE(await(120s, [&] { return names_with_ready(nodes(), "True").size() == count; }));
    ASSERT_TRUE(await(20s, [this] { return controller_->readiness() == 200; }));
    ASSERT_THAT(unknown(), IsEmpty());
  }

  std::vector<std::string> unknown() { return unknown_nodes(cluster_.audit_lines()); }

  /// Nothing to see for `length`; the programs go on.
  void sit_out(Duration length) {
    EXPECT_TRUE(stays(length, [this] { return controller_->process().running(); })) << "it ended";
  }

  void expect_all_spared_for(Duration length) {
    const auto spared = [this] { return unknown().empty() && controller_->process().running(); };
    EXPECT_TRUE(stays(length, spared, 1s))
        << listed(writes_of(cluster_.audit_lines(), controller_account));
    std::cout << "false positives after the server was away: " << unknown().size() << " of "
              << nodes().size() << std::endl;
    EXPECT_TRUE(await(20s, [this] { return controller_->readiness() == 200; }));
    expect_only_rightful_requests(cluster_.audit_lines());
  }

  void crash_for(Duration length) {
    cluster_.stop_server();
    sit_out(length);
    cluster_.start_server();
  }

  void pause_for(Duration length) {
    cluster_.pause_server();
    sit_out(length);
    cluster_.resume_server();
  }
};

TEST_F(Outage, OfThreeGracePeriodsCondemnsNoNodeThatRenewsAfterwards) {
  ASSERT_NO_FATAL_FAILURE(begin(30, brisk));
  crash_for(19s);
  expect_all_spared_for(12s);
}

/// Blind time is taken off, not made up for ever: who stays away is still found.
TEST_F(Outage, HidesNoNodeThatDiedDuringIt) {
  ASSERT_NO_FATAL_FAILURE(begin(12, brisk, {"--kill", "1", "--after", "8s"}));
  EXPECT_TRUE(await(
      30s, [this] { return nodes_->output().find("kill") != std::string::npos; }, 50ms));
  crash_for(12s);
  EXPECT_TRUE(await(
      40s, [this] { return unknown().size() == 1; }, 500ms));
  EXPECT_EQ(unknown(), names_with_ready(nodes(), "Unknown"));
}

class OutageLong : public Outage {};

/// At the pace of real clusters: 500 nodes that renew every 10 s.
TEST_F(OutageLong, OfAMinuteCondemnsNoneOf500Nodes) {
  ASSERT_NO_FATAL_FAILURE(begin(500, usual));
  crash_for(60s);
  expect_all_spared_for(60s);
}

TEST_F(OutageLong, PauseOfAMinuteCondemnsNoneOf500Nodes) {
  ASSERT_NO_FATAL_FAILURE(begin(500, usual));
  pause_for(60s);
  expect_all_spared_for(60s);
}

}  // namespace
}  // namespace nlc::real
