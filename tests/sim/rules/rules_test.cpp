#include "sim/rules/rules.h"

#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

TEST_F(RulesTest, WhatControllersSwitchesOffWritesNothing) {
  begin({.judges_nodes = false});
  put_node("a", "True", Json::array({taint("node.kubernetes.io/unschedulable", "NoSchedule")}));
  EXPECT_EQ(by_controller(), "only watching");
  begin({.evicts_pods = false});
  EXPECT_EQ(broken_by_deletion(), "only watching");
}

TEST_F(RulesTest, ObserverWritesNothing) {
  rules_->observer_wrote("w");
  EXPECT_EQ(rules_->broken()->rule, "only watching");
}

TEST_F(RulesTest, NodeThatIsUnknownMayGetItsNoScheduleTaintWhileItsLeaseIsRenewedAndNoNoExecute) {
  others_put_node("a", "Unknown");
  time_.run_for(1min);
  renew("a");
  EXPECT_EQ(
      broken_by_mark("a", Json::array({taint("node.kubernetes.io/unreachable", "NoSchedule")})),
      "");
  time_.run_for(under_way + 1s);
  renew("a");
  EXPECT_EQ(broken_by_mark("a", Json::array({unreachable})), "silent");
}

TEST_F(RulesTest, TaintOfSomebodyElseStays) {
  others_put_node("a", "True", Json::array({taint("example.com/mine", "NoSchedule")}));
  put_node("a", "True", Json::array());
  EXPECT_EQ(by_controller(), "others");
}

TEST_F(RulesTest, NobodyButAKubeletSaysReady) {
  others_put_node("a", "False");
  put_node("a", "True");
  EXPECT_EQ(by_controller(), "others");
}

TEST_F(RulesTest, TwoMayNotWriteAtOneMoment) {
  const Instant now = time_.now();
  rules_->leaders({{"a#1", "a_1", now}});
  EXPECT_FALSE(rules_->broken());
  rules_->leaders({{"a#1", "a_1", now}, {"b#1", "b_1", now}});
  ASSERT_TRUE(rules_->broken());
  EXPECT_EQ(rules_->broken()->rule, "one leader");
}

/// Each of the rules is seen broken in this folder.
TEST(RuleNames, AreThoseThatTestsBreak) {
  EXPECT_THAT(Rules::names(), ::testing::UnorderedElementsAre(
                                  "silent", "ready", "tolerations", "others", "pace", "disruption",
                                  "paused", "pods' pace", "one leader", "timeouts", "only watching",
                                  "requests", "lock", "uid", "in time"));
}

}  // namespace
}  // namespace nlc::sim::rules
