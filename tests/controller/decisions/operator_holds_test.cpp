#include "controller/decisions/operator_holds.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/observed_nodes.h"

namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using By = OperatorHolds::Held::By;

/// What keeps pods that are due, on nodes of zones that are counted.
class OperatorHoldsTest : public ObservedNodes {
 protected:
  /// The operator's ConfigMap, read from the server itself.
  void say(api::Labels data) {
    const api::ConfigMap config{.namespace_ = "kube-system",
                                .name = "policy",
                                .uid = "u",
                                .resource_version = std::to_string(++version),
                                .data = std::move(data)};
    holds.in_force().stored(config);
    follow();
    holds.in_force().look_begun(now);
    holds.in_force().look_answered(config, now);
  }
  void follow() { holds.follow({.lists = 1, .forbidden = false, .trouble = {}}, now); }
  void put(const std::string& zone, const std::string& name, ConditionStatus ready) {
    api::Node node = node_with_ready(name, ready);
    node.labels = {{std::string(api::label::zone), zone}};
    const std::optional<api::Node> before = nodes.find(name);
    if (before) holds.node_stored(slot(name), node, &*before, now);
    store(node);
    if (!before) holds.node_stored(slot(name), node, nullptr, now);
    lifecycle.settle_zones(at());
  }
  void put_ready(const std::string& zone, const std::vector<std::string>& names) {
    for (const std::string& name : names) put(zone, name, ConditionStatus::True);
  }

  PodDue due(std::string_view node, EvictionStep step = EvictionStep::Mark) const {
    return {.node = node, .since = start, .step = step};
  }
  std::optional<Instant> until(std::string_view node) { return holds.ask(due(node), now); }
  std::optional<By> why(std::string_view node) const {
    const auto held = holds.held_by(due(node), now);
    return held ? std::optional(held->by) : std::nullopt;
  }

  OperatorHolds holds{view(), policy, &lifecycle};
};

TEST_F(OperatorHoldsTest, NobodyGoesBeforeTheOperatorWasAsked) {
  follow();
  put_ready("a", {"n"});
  EXPECT_EQ(until("n"), now) << "when he has answered";
  EXPECT_TRUE(holds.in_force().look_due(now));
  say({});
  EXPECT_EQ(until("n"), std::nullopt);
  EXPECT_EQ(why("n"), std::nullopt);
}

TEST_F(OperatorHoldsTest, HeIsAskedBeforeSomebodyIsDueWhoseReadWouldBeTooOld) {
  say({});
  now += 8s;
  holds.expect_evictions(now);
  EXPECT_FALSE(holds.in_force().look_due(now));
  now += 1ns;
  holds.expect_evictions(now);
  EXPECT_TRUE(holds.in_force().look_due(now));
}

TEST_F(OperatorHoldsTest, PausedPodsAskAgainInASecond) {
  put_ready("a", {"n"});
  put_ready("b", {"m"});
  say({{"pause", "evictions zone a"}});
  EXPECT_EQ(until("n"), now + 1s);
  EXPECT_EQ(why("n"), By::Pause);
  EXPECT_EQ(holds.paused_by(due("n")), "the operator's ConfigMap, pause: evictions zone a");
  EXPECT_EQ(until("m"), std::nullopt);
  EXPECT_EQ(until("gone"), now + 1s) << "it may have been in that zone";
  EXPECT_EQ(holds.paused_by(due("gone")), "the operator's ConfigMap, pause: evictions zone a");
  EXPECT_EQ(why(""), std::nullopt) << "not all of them are";
  say({{"pause", "evictions"}});
  EXPECT_EQ(why(""), By::Pause);
  EXPECT_EQ(holds.paused_by(due("")), "the operator's ConfigMap, pause: evictions");
  EXPECT_TRUE(holds.keeps_all());
}

TEST_F(OperatorHoldsTest, WhereADisruptionHoldsNobodyLeavesItsZone) {
  put_ready("a", {"n"});
  put_ready("b", {"m"});
  put("a", "n", ConditionStatus::False);
  say({});
  EXPECT_EQ(why("n"), std::nullopt) << "nobody asked for that";
  say({{"hold-evictions-in-disruption", "true"}});
  EXPECT_EQ(until("n"), now + 1s);
  EXPECT_EQ(why("n"), By::Disruption);
  EXPECT_EQ(until("m"), std::nullopt);
  EXPECT_EQ(why("gone"), By::Disruption) << "nobody knows in which zone it was";
  EXPECT_EQ(why(""), std::nullopt);
  put("a", "n", ConditionStatus::True);
  EXPECT_EQ(why("gone"), std::nullopt);
}

TEST_F(OperatorHoldsTest, WhileADisruptionHoldsHeIsAskedWhetherThatIsOver) {
  put_ready("a", {"n"});
  put_ready("b", {"m"});
  say({{"hold-evictions-in-disruption", "true"}});
  now += 10s;
  follow();
  EXPECT_FALSE(holds.in_force().look_due(now)) << "it holds nobody";
  put("a", "n", ConditionStatus::False);
  follow();
  EXPECT_TRUE(holds.in_force().look_due(now));
}

TEST_F(OperatorHoldsTest, WhatADisruptionHeldLeavesNodeByNode) {
  say({{"hold-evictions-in-disruption", "true"}});
  put_ready("a", {"n", "o", "p"});
  for (const char* name : {"n", "o", "p"}) put("a", name, ConditionStatus::False);
  put("a", "p", ConditionStatus::True);  // the other two are not ready, which is no disruption
  EXPECT_EQ(until("n"), std::nullopt);
  holds.requested(due("n"), now);
  EXPECT_EQ(until("o"), now + 10s);
  EXPECT_EQ(why("o"), By::NodesTurn);
  EXPECT_EQ(holds.held_by(due("o"), now)->until, now + 10s);
}

TEST_F(OperatorHoldsTest, WhatIsHeldNoMoreLeavesNodeByNodeAllTheSame) {
  put_ready("a", {"n"});
  put_ready("b", {"m"});
  put("a", "n", ConditionStatus::False);
  say({{"hold-evictions-in-disruption", "true"}});
  say({{"hold-evictions-in-disruption", "true"}, {"pod-evictions-per-second", "1"}});
  EXPECT_FALSE(holds.remembers(slot("n"))) << "it is held";
  say({});
  EXPECT_TRUE(holds.remembers(slot("n")));
  EXPECT_FALSE(holds.remembers(slot("m"))) << "nothing held it";
  holds.node_removed(slot("n"));
  EXPECT_FALSE(holds.remembers(slot("n")));
}

TEST_F(OperatorHoldsTest, NodeThatLeavesADisruptedZoneTakesAlongThatItWasHeld) {
  put_ready("a", {"n", "o"});
  put_ready("b", {"m"});
  for (const char* name : {"n", "o"}) put("a", name, ConditionStatus::False);
  say({{"hold-evictions-in-disruption", "true"}});
  put("a", "o", ConditionStatus::False);
  EXPECT_FALSE(holds.remembers(slot("o"))) << "it stays there";
  put("b", "n", ConditionStatus::False);
  EXPECT_TRUE(holds.remembers(slot("n")));
}

TEST_F(OperatorHoldsTest, WhatWasPausedInAZoneOfRateZeroLeavesAtTheRateOfOthers) {
  policy.eviction_rate = 0.5;
  say({});
  put_ready("a", {"n", "o", "p", "q", "r"});
  for (const char* name : {"n", "o", "p"}) put("a", name, ConditionStatus::False);
  ASSERT_EQ(lifecycle.zones().all().begin()->second.evictions.rate(), 0);
  for (const char* name : {"n", "o"}) holds.hold_back(slot(name), now);
  EXPECT_EQ(until("n"), std::nullopt);
  holds.requested(due("n"), now);
  EXPECT_EQ(until("o"), now + 2s);
}

TEST_F(OperatorHoldsTest, WhereNoFlagNamesARateItLeavesOneNodeInTenSeconds) {
  policy.eviction_rate = 0;
  say({});
  put_ready("a", {"n", "o"});
  for (const char* name : {"n", "o"}) holds.hold_back(slot(name), now);
  EXPECT_EQ(until("n"), std::nullopt);
  holds.requested(due("n"), now);
  EXPECT_EQ(until("o"), now + 10s);
}

TEST_F(OperatorHoldsTest, WherePodsLeaveByTimeoutWhatWasHeldSharesTheTokensOfItsZone) {
  for (const bool by_taints : {true, false}) {
    policy.evict_by_taints = by_taints;
    pass(1min);
    put_ready("a", {"n"});
    say({});
    holds.hold_back(slot("n"), now);
    EXPECT_EQ(until("n"), std::nullopt);
    holds.requested(due("n", EvictionStep::Delete), now);
    EXPECT_EQ(lifecycle.zones().all().begin()->second.evictions.has_token(now), by_taints);
  }
}

TEST_F(OperatorHoldsTest, SoManyPodsLeaveInASecond) {
  put_ready("a", {"n"});
  say({{"pod-evictions-per-second", "1"}});
  EXPECT_EQ(until("n"), std::nullopt);
  holds.requested(due("n"), now);
  EXPECT_EQ(until("n"), now + 1s);
  EXPECT_EQ(why("n"), By::PodsTurn);
  EXPECT_TRUE(holds.may_delay());
}

TEST_F(OperatorHoldsTest, WhileHisAnswerIsMissingThatIsTheReason) {
  put_ready("a", {"n"});
  say({});
  holds.in_force().stood_still(now);
  EXPECT_EQ(why("n"), By::PolicyUnread);
}

/// Another judges nodes.
TEST_F(OperatorHoldsTest, WhereNobodyCountsZonesOnlyTheOperatorHolds) {
  OperatorHolds alone{view(), policy, nullptr};
  const auto say_alone = [&](api::Labels data) {
    const api::ConfigMap config{.namespace_ = "kube-system",
                                .name = "policy",
                                .uid = "u",
                                .resource_version = std::to_string(++version),
                                .data = std::move(data)};
    alone.in_force().stored(config);
    alone.follow({.lists = 1, .forbidden = false, .trouble = {}}, now);
    alone.in_force().look_begun(now);
    alone.in_force().look_answered(config, now);
  };
  put_ready("a", {"n", "o"});
  say_alone({{"hold-evictions-in-disruption", "true"}});
  EXPECT_TRUE(alone.disruption_hold_has_no_zones());
  EXPECT_EQ(alone.ask(due("n"), now), std::nullopt);
  say_alone({});
  EXPECT_FALSE(alone.remembers(slot("n")));
  for (const char* name : {"n", "o"}) alone.hold_back(slot(name), now);
  EXPECT_EQ(alone.ask(due("n"), now), std::nullopt);
  alone.requested(due("n"), now);
  EXPECT_EQ(alone.ask(due("o"), now), now + 10s);
}

}  // namespace
}  // namespace nlc::controller
