#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

TEST_F(RulesTest, PodIsNotDeletedWhileEvictionsArePausedForLongerThanAMoment) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "evictions"}});
  time_.run_for(under_way + 1s);
  delete_pod();
  EXPECT_EQ(by_controller(), "paused");
}

TEST_F(RulesTest, PodThatWasOnItsWayWhenThePauseCameMayGo) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "evictions"}});
  time_.run_for(under_way - 1s);
  delete_pod();
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, PodIsDeletedAgainWhenThePauseIsOver) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "evictions"}});
  time_.run_for(1min);
  say({{"pause", "none"}});
  delete_pod();
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, TextThatCannotBeReadEndsNoPause) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "all"}});
  time_.run_for(1min);
  say({{"pause", "nonne"}});
  delete_pod();
  EXPECT_EQ(by_controller(), "paused");
}

TEST_F(RulesTest, NoNodeIsGivenANoExecuteTaintWhileThatIsPausedForItsZone) {
  storage_.put(
      core_resource("nodes"), "z",
      {{"metadata",
        {{"name", "z"}, {"uid", "uid-z"}, {"labels", {{"topology.kubernetes.io/zone", "east"}}}}},
       {"spec", Json::object()},
       {"status", {{"conditions", {{{"type", "Ready"}, {"status", "Unknown"}}}}}}});
  say({{"pause", "evictions zone east"}});
  time_.run_for(1min);
  storage_.put(
      core_resource("nodes"), "z",
      {{"metadata",
        {{"name", "z"}, {"uid", "uid-z"}, {"labels", {{"topology.kubernetes.io/zone", "east"}}}}},
       {"spec", {{"taints", {unreachable}}}},
       {"status", {{"conditions", {{{"type", "Ready"}, {"status", "Unknown"}}}}}}});
  EXPECT_EQ(by_controller(), "paused");
}

TEST_F(RulesTest, NoMorePodsLeaveInAStretchOfTimeThanTheOperatorAllows) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pod-evictions-per-second", "0.1"}});
  time_.run_for(1min);
  for (int i = 0; i < 2; ++i) {
    put_pod("a", Json::array());
    (void)by_others();
    delete_pod();
    EXPECT_EQ(by_controller(), "") << i;
  }
  put_pod("a", Json::array());
  (void)by_others();
  delete_pod();
  EXPECT_EQ(by_controller(), "pods' pace");
}

}  // namespace
}  // namespace nlc::sim::rules
