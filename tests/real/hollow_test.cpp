#include <csignal>
#include <gmock/gmock.h>

#include "tests/real/rig/objects.h"
#include "tests/real/rig/stage.h"
#include "tests/real/rig/waiting.h"

/// `nlc hollow` on somebody's cluster: it comes whole or not at all, leaves nothing behind, touches
/// nothing that is not its own, and outlasts the server.
namespace nlc::real {
namespace {

using namespace std::chrono_literals;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class HollowNodes : public Stage {
 protected:
  /// In a namespace of their own: who ends them deletes it, and without a namespace controller it
  /// stays in that state, closed for all stories to come.
  void start_nodes_for_good(const std::string& space, std::vector<std::string> flags) {
    flags.push_back("--namespace=" + space);
    start_nodes(std::move(flags));
  }
  bool said(const std::string& words) { return nodes_->output().find(words) != std::string::npos; }
  bool await_words(const std::string& words, Duration limit) {
    return await(limit, [&] { return said(words) || !nodes_->running(); }) && said(words);
  }
  std::vector<nlohmann::json> heartbeats() {
    return items_of({"leases", "--namespace=kube-node-lease"});
  }
  void create_node(const std::string& name) {
    const nlohmann::json node{
        {"apiVersion", "v1"}, {"kind", "Node"}, {"metadata", {{"name", name}}}};
    cluster_.must({"create", "-f", "-"}, node.dump());
  }
};

TEST_F(HollowNodes, AreReadyAndGoWithAllThatIsTheirsWhenTheyAreTold) {
  start_nodes_for_good("guests", {"--nodes", "100", "--pods-per-node", "2"});
  ASSERT_TRUE(await_words("all nodes and pods run", 60s)) << nodes_->last_lines(5);
  EXPECT_THAT(names_with_ready(nodes(), "True"), SizeIs(100));
  EXPECT_THAT(taints_of(nodes().front()), ElementsAre("nlc.hollow/no-machine:NoSchedule"));
  EXPECT_THAT(names_with_ready(pods(), "True"), SizeIs(200));
  EXPECT_THAT(heartbeats(), SizeIs(100));
  nodes_->send_signal(SIGTERM);
  EXPECT_EQ(nodes_->wait(60s), 0) << nodes_->last_lines(5);
  EXPECT_THAT(nodes(), IsEmpty());
  EXPECT_THAT(pods(), IsEmpty());
  EXPECT_THAT(heartbeats(), IsEmpty());
}

TEST_F(HollowNodes, DoNotComeWhereOneOfTheirNamesIsTaken) {
  create_node("hollow-1");
  start_nodes({"--nodes", "3"});
  EXPECT_EQ(nodes_->wait(20s), 1);
  EXPECT_THAT(nodes_->output(), HasSubstr("no hollow kubelet made them: hollow-1"));
  EXPECT_THAT(nodes_->output(), HasSubstr("nothing was made"));
  EXPECT_THAT(nodes(), SizeIs(1));
  EXPECT_THAT(pods(), IsEmpty());
}

TEST_F(HollowNodes, SayEverythingThatTheyMayNotAndMakeNothing) {
  start_nodes(write_kubeconfig(folder_ / "hollow.kubeconfig", cluster_.controller_account_config()),
              {"--nodes", "3"});
  EXPECT_EQ(nodes_->wait(20s), 1);
  EXPECT_THAT(nodes_->output(), HasSubstr("create nodes"));
  EXPECT_THAT(nodes_->output(), HasSubstr("create pods in hollow"));
  EXPECT_THAT(nodes_->output(), HasSubstr("nothing was made"));
  EXPECT_THAT(nodes(), IsEmpty());
}

TEST_F(HollowNodes, OutlastAServerThatVanishesAndComesBack) {
  start_nodes_for_good("survivors", {"--nodes", "20", "--node-lease-duration-seconds", "8"});
  ASSERT_TRUE(await_words("all nodes and pods run", 60s)) << nodes_->last_lines(5);
  cluster_.stop_server();
  EXPECT_TRUE(await_words("renewals fail: ", 20s)) << nodes_->last_lines(5);
  cluster_.start_server();
  EXPECT_TRUE(await_words("the server takes renewals again", 30s)) << nodes_->last_lines(5);
  nodes_->send_signal(SIGTERM);
  EXPECT_EQ(nodes_->wait(60s), 0) << nodes_->last_lines(5);
  EXPECT_THAT(nodes(), IsEmpty());
  EXPECT_THAT(heartbeats(), IsEmpty());
}

}  // namespace
}  // namespace nlc::real
