#include "sim/rules/reference_model.h"

#include <string>
#include <vector>

#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

class ReferenceModelTest : public RulesTest {
 protected:
  /// The one of its zone that is not Ready, which gets taints at that rate.
  void give_up_a_whose_pod_goes_later(double eviction_rate) {
    begin({.eviction_rate = eviction_rate});
    time_.run_for(45s);
    renew("b");
    put_node("a", "Unknown",
             Json::array({taint("node.kubernetes.io/unreachable", "NoSchedule"), unreachable}));
    ASSERT_EQ(by_controller(), "");
    time_.run_for(90s);
    renew("b");
    delete_pod();
    ASSERT_EQ(by_controller(), "");
    time_.run_for(1s);
  }
};

TEST_F(ReferenceModelTest,
       NodesMayWaitForTheirTaintsWhileTheirZoneStillGetsThemByItsRateAndNotLonger) {
  const Json no_schedule = taint("node.kubernetes.io/unreachable", "NoSchedule");
  for (const char* name : {"c", "d"}) put_node(name, "True");
  begin({});
  time_.run_for(45s);
  for (const char* name : {"a", "b"}) renew(name);
  put_node("c", "Unknown", Json::array({no_schedule, unreachable}));
  put_node("d", "Unknown", Json::array({no_schedule}));
  ASSERT_EQ(by_controller(), "");
  time_.run_for(15s);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s), ::testing::IsEmpty());
  time_.run_for(15s);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 20s),
              ::testing::ElementsAre("node d lacks unreachable:NoExecute"));
}

TEST_F(ReferenceModelTest,
       WhatFollowsFromTheLastTaintOfALongQueueMayBeWrittenUntilPodsTolerateItNoLonger) {
  give_up_a_whose_pod_goes_later(1.0 / 301);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s), ::testing::IsEmpty());
}

/// The one before it was not the last of its zone.
TEST_F(ReferenceModelTest, PodsOfANodeThatWaitedLongForItsTaintTolerateItFromThenOn) {
  put_node("c", "True");
  put_pod("a", Json::array({{{"key", "node.kubernetes.io/unreachable"},
                             {"operator", "Exists"},
                             {"effect", "NoExecute"},
                             {"tolerationSeconds", 30}}}));
  begin({.eviction_rate = 1.0 / 301});
  time_.run_for(45s);
  for (const char* name : {"b", "c"}) renew(name);
  put_node("a", "Unknown",
           Json::array({taint("node.kubernetes.io/unreachable", "NoSchedule"), unreachable}));
  ASSERT_EQ(by_controller(), "");
  time_.run_for(30s);
  for (const char* name : {"b", "c"}) renew(name);
  time_.run_for(arrival);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s), ::testing::IsEmpty());
  time_.run_for(1s);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s),
              ::testing::ElementsAre("pod default/p is not deleted from a"));
}

TEST_F(ReferenceModelTest, WhereNobodyWaitsForMinutesAllIsWrittenEarlyInPeace) {
  give_up_a_whose_pod_goes_later(1.0 / 299);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s),
              ::testing::ElementsAre("the controller still wrote 1s ago"));
}

TEST_F(ReferenceModelTest, PodThatAPauseHeldIsGoneInPeaceAlsoWhereNoNodeIsEverGivenATaint) {
  begin({.eviction_rate = 0});
  say({{"pause", "evictions"}});
  others_put_node("a", "True", Json::array({taint("dedicated", "NoExecute")}));
  time_.run_for(1min);
  say({{"pause", "none"}});
  for (const char* name : {"a", "b"}) renew(name);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s),
              ::testing::ElementsAre("pod default/p is not deleted from a"));
}

/// Who judges nodes, which this controller does not, takes it off.
TEST_F(ReferenceModelTest, PodsOfANodeThatSaysReadyStayWhateverTaintOfItsHealthItHas) {
  begin({.judges_nodes = false});
  others_put_node("a", "True", Json::array({unreachable}));
  time_.run_for(2min);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s), ::testing::IsEmpty());
  others_put_node("a", "True",
                  Json::array({unreachable, taint("example.com/drained", "NoExecute")}));
  time_.run_for(2min);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s),
              ::testing::ElementsAre("pod default/p is not deleted from a"));
}

TEST_F(ReferenceModelTest, PodsStayReadyWhileNoNodeIsReadyWhereThatIsAskedForAndNotLonger) {
  const Json no_schedule = taint("node.kubernetes.io/unreachable", "NoSchedule");
  storage_.put(
      core_resource("pods"), "default/p",
      {{"metadata", {{"name", "p"}, {"namespace", "default"}, {"uid", "uid-p"}}},
       {"spec", {{"nodeName", "a"}, {"tolerations", Json::array({{{"operator", "Exists"}}})}}},
       {"status", {{"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}});
  const std::string is_ready = "pod default/p is Ready on a, which is dead";
  for (const bool holds : {false, true}) {
    for (const char* name : {"a", "b"}) put_node(name, "Unknown", Json::array({no_schedule}));
    begin({.holds_pods_ready = holds});
    time_.run_for(45s);
    const std::vector<std::string> found = differences(storage_, *rules_, time_.now(), 60s);
    EXPECT_EQ(found, holds ? std::vector<std::string>{} : std::vector{is_ready});
  }
  put_node("a", "Unknown", Json::array({no_schedule, unreachable}));
  others_put_node("b", "True");
  renew("b");
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s), ::testing::ElementsAre(is_ready));
}

}  // namespace
}  // namespace nlc::sim::rules
