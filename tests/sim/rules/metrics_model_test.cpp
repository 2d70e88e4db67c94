#include "sim/rules/metrics_model.h"

#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

using namespace std::string_literals;

/// What a leader at rest says of the two nodes and the pod.
class MetricsModelTest : public RulesTest {
 protected:
  MetricsModelTest() { put_node("b", "False"); }
  std::string wrong() {
    const std::vector<std::string> found = untrue(says_, storage_, rules_->inputs(), time_.now());
    return found.empty() ? "" : found.front();
  }
  static std::map<std::string, std::string> zone(const std::string& key) { return {{"zone", key}}; }

  Metrics says_{{"nlc_store_objects",
                 {{{{"resource", "nodes"}}, 2},
                  {{{"resource", "pods"}}, 1},
                  {{{"resource", "leases"}}, 0},
                  {{{"resource", "configmaps"}}, 0}}},
                {"node_collector_zone_size", {{zone(""), 2}}},
                {"node_collector_unhealthy_nodes_in_zone", {{zone(""), 1}}},
                {"node_collector_zone_health", {{zone(""), 50}}},
                {"workqueue_depth", {{{{"name", "noexec_taint_pod"}}, 0}}},
                {"nlc_judgement_held", {{{{"reason", "lease_unread"}}, 0}}}};
};

TEST_F(MetricsModelTest, MetricsThatSayWhatIsThereAreTrue) { EXPECT_EQ(wrong(), ""); }

TEST_F(MetricsModelTest, MoreObjectsInMemoryThanThereAreAreTold) {
  says_["nlc_store_objects"][{{"resource", "pods"}}] = 2;
  EXPECT_THAT(wrong(), ::testing::HasSubstr("nlc_store_objects resource=pods is not 1"));
}

/// No version shows it where no leases are followed.
TEST_F(MetricsModelTest, WhatCameBackWithABackupOfAMomentAgoIsKnownToWhoJudgesNodesAlone) {
  says_["nlc_store_objects"][{{"resource", "pods"}}] = 0;
  for (const bool judges : {true, false}) {
    for (const bool at_once : {true, false}) {
      begin({.judges_nodes = judges, .restores = {.unnoticed = at_once}});
      EXPECT_EQ(wrong().empty(), !judges && at_once);
    }
  }
}

/// All was written on it before; what its zone lets go is asked for.
TEST_F(MetricsModelTest, NodeThatIsGoneAndThatAWatchToldOfAgainStaysWhereNobodyIsLetGo) {
  says_["nlc_store_objects"][{{"resource", "nodes"}}] = 3;
  begin({.told_again = {{.node = "c", .from = time_.now(), .until = Instant::max()}}});
  EXPECT_THAT(wrong(), ::testing::HasSubstr("nlc_store_objects"));
  put_node("a", "False");
  EXPECT_EQ(wrong(), "");
}

TEST_F(MetricsModelTest, ZonesAreThoseOfTheNodesThatAreThere) {
  says_["node_collector_zone_size"][zone("eu:\0:a"s)] = 0;
  EXPECT_THAT(wrong(), ::testing::HasSubstr("is of nothing that is there"));
  put_node("c", "True");
  says_["nlc_store_objects"][{{"resource", "nodes"}}] = 3;
  EXPECT_THAT(wrong(), ::testing::HasSubstr("node_collector_zone_size zone= is not 3"));
}

/// Of a node whose turn had come when its zone was still well.
TEST_F(MetricsModelTest, EvictionsByTimeoutWaitWhereAZoneLetsNobodyGo) {
  for (const char* name : {"c", "d"}) put_node(name, "False");
  says_["nlc_store_objects"][{{"resource", "nodes"}}] = 4;
  says_["node_collector_zone_size"][zone("")] = 4;
  says_["node_collector_unhealthy_nodes_in_zone"][zone("")] = 3;
  says_["node_collector_zone_health"][zone("")] = 25;
  says_["workqueue_depth"].begin()->second = 2;
  EXPECT_THAT(wrong(), ::testing::HasSubstr("workqueue_depth")) << "a taint lets its pods go";
  begin({.pod_timeout = 30s});
  EXPECT_EQ(wrong(), "");
  begin({.unhealthy_zone_threshold = 0.8, .pod_timeout = 30s});
  EXPECT_THAT(wrong(), ::testing::HasSubstr("workqueue_depth"));
}

TEST_F(MetricsModelTest, NothingWaitsAndNothingIsHeld) {
  for (const char* name : {"workqueue_depth", "nlc_judgement_held"}) {
    double& says = says_[name].begin()->second;
    says = 1;
    EXPECT_THAT(wrong(), ::testing::HasSubstr(name));
    says = 0;
  }
}

TEST_F(MetricsModelTest, PodsThatAreToStayReadyWhileNoNodeIsWaitForThat) {
  begin({.holds_pods_ready = true});
  says_["workqueue_depth"][{{"name", "node_lifecycle_controller_pods"}}] = 1;
  EXPECT_THAT(wrong(), ::testing::HasSubstr("workqueue_depth"));
  put_node("a", "Unknown");
  says_["node_collector_unhealthy_nodes_in_zone"] = {{zone(""), 2}};
  says_["node_collector_zone_health"] = {{zone(""), 0}};
  EXPECT_EQ(wrong(), "");
}

TEST_F(MetricsModelTest, StreamMayBeBehindForAsLongAsItsWatchIsRefusedAndNothingElseIsHeld) {
  begin({.watches_refused = {{.from = time_.now(), .until = time_.now() + 1min}}});
  Series& held = says_["nlc_judgement_held"];
  held[{{"reason", "stream_stalled"}}] = 1;
  EXPECT_EQ(wrong(), "");
  held[{{"reason", "lease_unread"}}] = 1;
  EXPECT_THAT(wrong(), ::testing::HasSubstr("lease_unread"));
  held[{{"reason", "lease_unread"}}] = 0;
  time_.run_for(61s);
  EXPECT_THAT(wrong(), ::testing::HasSubstr("stream_stalled"));
}

/// Of its metrics, which say nothing of zones.
TEST_F(MetricsModelTest, StandbyRemembersWhatIsThere) {
  says_.erase("node_collector_zone_size");
  const auto wrong_of_standby = [this] {
    return untrue_of_standby(says_, storage_, rules_->inputs());
  };
  EXPECT_THAT(wrong_of_standby(), ::testing::IsEmpty());
  says_["nlc_store_objects"][{{"resource", "pods"}}] = 2;
  EXPECT_THAT(wrong_of_standby(), ::testing::ElementsAre(::testing::HasSubstr("is not 1")));
  begin({.told_to_leaders_alone = true});
  EXPECT_THAT(wrong_of_standby(), ::testing::IsEmpty());
}

}  // namespace
}  // namespace nlc::sim::rules
