#include "controller/decisions/decisions.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/rules/taints.h"
#include "tests/controller/objects.h"
#include "tests/controller/stores.h"

namespace nlc::controller {
namespace {

using namespace testing;
using namespace std::chrono_literals;
using api::ConditionStatus;

/// A leader that has listed everything once; all watches are as they should be.
class DecisionsTest : public ::testing::Test,
                      protected Stores,
                      private Watches,
                      private informer::StoreListener<api::Node> {
 protected:
  DecisionsTest() {
    nodes.set_listener(this);
    nodes.replace({});
    decisions.lead(true, now);
  }

  Moment at() const { return moment_at(now); }
  void store(api::Node node) {
    node.resource_version = std::to_string(++version);
    nodes.apply(std::move(node));
  }
  static api::Node tainted(std::string name, const std::string& zone = "a") {
    api::Node node = silent_node(std::move(name));
    node.labels = {{std::string(api::label::zone), zone}};
    node.taints = {a_taint(taint::unreachable, api::effect::no_execute)};
    return node;
  }
  void renewed(const std::string& name, std::optional<WallTime> when) {
    leases.apply({.name = name, .resource_version = std::to_string(++version), .renewed = when});
  }
  void follow(PolicyAccess access) { decisions.follow_policy(access, now); }
  /// The operator's ConfigMap, as its watch brings it.
  void say(api::Labels data) {
    holds().in_force().stored({.namespace_ = "kube-system",
                               .name = "policy",
                               .uid = "u",
                               .resource_version = std::to_string(++version),
                               .data = std::move(data)});
    follow({.lists = 1});
  }
  OperatorHolds& holds() { return decisions.machines().holds; }
  /// Its pods leave at the pace of its zone.
  bool held_back(const std::string& node) { return holds().remembers(*nodes.slot_of(node)); }
  bool asks_for_leases(bool leading) {
    for (const Decision& decision : decisions.monitor_pass(at(), leading)) {
      if (std::holds_alternative<ReadLeases>(decision)) return true;
    }
    return false;
  }
  /// Time in which the server is proved to take writes all along.
  void pass(Duration span) {
    for (const Instant end = now + span; now < end;) {
      now = std::min(now + 5s, end);
      server.availability().prove(now);
    }
  }

  Instant now = start;
  int version = 0;
  ApiServerHealth server{view(), *this, {.blind_after = 10s, .probe_after = 5s}, start};
  Decisions decisions{view(),
                      server,
                      {.policy = {.monitor_grace = 40s, .gathering = 0s}, .controllers = {}},
                      start};

 private:
  WatchProgress progress(Watched) const override {
    return {.version = "1",
            .lists = 1,
            .last_heard = now,
            .last_change = now,
            .synced = true,
            .open = true};
  }
  void on_stored(Slot slot, const api::Node& node, const api::Node* before) override {
    decisions.node_stored(slot, node, before, at());
  }
  void on_removed(Slot slot, const api::Node& node) override {
    decisions.node_removed(slot, node, now);
  }
  void on_synced() override {}
};

TEST_F(DecisionsTest, FirstLeasesAreCountedOfNodesThatSayReadyAndHaveOne) {
  for (const char* name : {"fresh", "at-the-edge", "old", "without", "never-renewed"}) {
    store(ready_node(name));
  }
  store(silent_node("silent"));
  store(node_with_ready("not-ready", api::ConditionStatus::False));
  store(node_with_ready("never-heard", api::ConditionStatus::Unknown));
  renewed("fresh", noon);
  renewed("at-the-edge", noon - 15s);
  renewed("old", noon - 15s - 1us);
  renewed("never-renewed", std::nullopt);
  renewed("silent", noon);
  const ApiServerHealth::FirstLists first = decisions.view_synced(at());
  EXPECT_EQ(first.fresh_leases, 2U);
  EXPECT_EQ(first.old_leases, 1U);
  EXPECT_EQ(first.unknown_nodes, 1U);
  EXPECT_EQ(first.not_ready_nodes, 1U);
}

TEST_F(DecisionsTest, LeasesAreAskedForByALeaderThatDoubtsNothing) {
  store(ready_node("n"));
  decisions.monitor_pass(at(), true);
  pass(40s + 1ns);
  EXPECT_FALSE(asks_for_leases(false)) << "it stands by";
  EXPECT_TRUE(asks_for_leases(true));
}

TEST_F(DecisionsTest, WhileTheServerMayHaveGoneBackNoLeaseIsAskedFor) {
  store(ready_node("n"));
  decisions.monitor_pass(at(), true);
  pass(40s + 1ns);
  server.went_back("so it was said");
  EXPECT_FALSE(asks_for_leases(true));
}

TEST_F(DecisionsTest, WhatWasDueWhileItsNodeWasPausedLeavesAtThePaceOfItsZone) {
  store(tainted("n"));
  store(ready_node("m"));
  say({});
  say({{"pause", "evictions"}});
  EXPECT_FALSE(held_back("n")) << "it is paused";
  say({});
  EXPECT_TRUE(held_back("n"));
  EXPECT_FALSE(held_back("m")) << "nothing of it was due";
}

TEST_F(DecisionsTest, WhatWasHeldBackOfANodeIsForgottenWithIt) {
  store(tainted("n"));
  say({});
  say({{"pause", "evictions"}});
  say({});
  ASSERT_TRUE(held_back("n"));
  EXPECT_EQ(holds().pauses().count(Pause::None), 1U);
  nodes.remove("n");
  EXPECT_EQ(holds().pauses().count(Pause::None), 0U);
  store(tainted("n"));
  EXPECT_FALSE(held_back("n"));
}

TEST_F(DecisionsTest, APauseThatBecomesLessIsNotOver) {
  store(tainted("n"));
  say({{"pause", "all"}});
  say({{"pause", "evictions"}});
  EXPECT_FALSE(held_back("n"));
  say({});
  EXPECT_TRUE(held_back("n"));
}

TEST_F(DecisionsTest, ThatNothingWasKnownOfTheConfigMapIsNoPause) {
  store(tainted("n"));
  follow({.lists = 0});
  EXPECT_TRUE(holds().pauses().pauses_evictions(*nodes.slot_of("n")));
  say({});
  EXPECT_FALSE(holds().pauses().pauses_evictions(*nodes.slot_of("n")));
  EXPECT_FALSE(held_back("n"));
}

TEST_F(DecisionsTest, WhatWasPausedBeforeAllNodesWereSeenIsHeldBackOnceTheyAre) {
  say({{"pause", "evictions zone a"}});
  say({});
  store(tainted("n", "a"));
  store(tainted("m", "b"));
  decisions.view_synced(at());
  EXPECT_TRUE(held_back("n"));
  EXPECT_FALSE(held_back("m"));
}

TEST_F(DecisionsTest, BeforeTheConfigMapIsReadNothingWasPausedOfNodesThatAreNotSeenYet) {
  follow({.lists = 0});
  say({});
  store(tainted("n"));
  decisions.view_synced(at());
  EXPECT_FALSE(held_back("n"));
}

}  // namespace
}  // namespace nlc::controller
