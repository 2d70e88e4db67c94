#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

TEST_F(RulesTest, NodesOfAZoneGetTheirTaintsAtItsRate) {
  time_.run_for(1min);
  EXPECT_EQ(broken_by_mark("a", Json::array({unreachable})), "");
  put_node("b", "Unknown", Json::array({unreachable}));
  (void)by_controller();
  others_put_node("c", "Unknown");
  others_put_node("d", "Unknown");
  time_.run_for(1min);
  for (const char* name : {"c", "d"}) put_node(name, "Unknown", Json::array({unreachable}));
  EXPECT_EQ(by_controller(), "disruption");
}

TEST_F(RulesTest, ManyAtOnceAreTooMany) {
  for (const char* name : {"c", "d", "e", "f", "g"}) others_put_node(name, "Unknown");
  time_.run_for(1min);
  for (const char* name : {"c", "d", "e", "f", "g"}) {
    put_node(name, "Unknown", Json::array({unreachable}));
  }
  EXPECT_EQ(by_controller(), "pace");
}

/// As a zone that is partly disrupted may be faster than one that is not.
TEST_F(RulesTest, NodesTaintedAtTheRateOfThenAreNotTooManyForTheRateOfNow) {
  const std::vector<std::string> ill{"c", "d", "e", "f", "g", "h", "i", "j"};
  for (const std::string& name : ill) put_node(name, "Unknown");
  put_node("k", "Unknown");
  RuleInputs inputs;
  inputs.secondary_eviction_rate = 1;
  inputs.large_zone = 3;
  begin(inputs);
  time_.run_for(1min);
  const auto grant = [this](const std::string& name) {
    put_node(name, "Unknown", Json::array({unreachable}));
    return by_controller();
  };
  for (const std::string& name : ill) {
    EXPECT_EQ(grant(name), "") << name;
    time_.run_for(1s);
  }
  for (const std::string& name : ill) others_put_node(name, "True");
  time_.run_for(5s);
  EXPECT_EQ(grant("k"), "") << "8 within 8 s were allowed, and so is one more";
  time_.run_for(under_way);
  for (const char* name : {"c", "d", "e"}) {
    EXPECT_EQ(grant(name), "") << name;
    time_.run_for(1s);
  }
  EXPECT_EQ(grant("f"), "pace") << "by the rate of now";
}

/// Nobody who only watches can know that it is gone.
TEST_F(RulesTest, NodeThatIsGoneAndWasToldOfAgainCountsAsReadyUntilNodesAreListed) {
  const Instant now = time_.now();
  begin({.told_again = {{.node = "b", .from = now + 10s, .until = now + 2min}}});
  storage_.erase(core_resource("nodes"), "b");
  others_put_node("a", "False");
  time_.run_for(1min);
  put_node("a", "False", Json::array({taint("node.kubernetes.io/not-ready", "NoExecute")}));
  EXPECT_EQ(by_controller(), "");
  others_put_node("a", "False");
  time_.run_for(1min + under_way + 1s);
  put_node("a", "False", Json::array({taint("node.kubernetes.io/not-ready", "NoExecute")}));
  EXPECT_EQ(by_controller(), "disruption");
}

/// Nor that it is not Ready any more, where the watch of nodes stands still.
TEST_F(RulesTest, WhatAWatchThatStandsStillDoesNotTellIsKnownWhenItGoesOn) {
  const Instant now = time_.now();
  begin({.node_watch_held = {{.from = now, .until = now + 2min}}});
  for (const char* name : {"a", "b"}) others_put_node(name, "False");
  time_.run_for(1min);
  const auto grant = [this](const char* name) {
    put_node(name, "False", Json::array({taint("node.kubernetes.io/not-ready", "NoExecute")}));
    return by_controller();
  };
  EXPECT_EQ(grant("a"), "");
  time_.run_for(1min + under_way + 1s);
  EXPECT_EQ(grant("b"), "disruption");
}

/// And so it does in its zone, whose rate may be the greater for it; no longer than that.
TEST_F(RulesTest, NodesThatAreGoneAndWereToldOfAgainCountInTheirZoneUntilNodesAreListed) {
  for (const char* name : {"c", "d", "e", "f", "g", "h"}) put_node(name, "True");
  for (const char* name : {"x", "y", "z"}) others_put_node(name, "False");
  const Instant now = time_.now();
  RuleInputs inputs{.secondary_eviction_rate = 1, .large_zone = 3, .unhealthy_zone_threshold = 0.6};
  for (const char* name : {"x", "y", "z"}) {
    inputs.told_again.push_back({.node = name, .from = now + 10s, .until = now + 2min});
  }
  begin(inputs);
  for (const char* name : {"x", "y", "z"}) storage_.erase(core_resource("nodes"), name);
  for (const char* name : {"c", "d", "e", "f"}) others_put_node(name, "Unknown");
  time_.run_for(1min);
  const auto grant_all = [this] {
    std::string broken;
    for (const char* name : {"c", "d", "e", "f"}) {
      put_node(name, "Unknown", Json::array({unreachable}));
      broken = by_controller();
      time_.run_for(1s);
    }
    return broken;
  };
  EXPECT_EQ(grant_all(), "") << "7 of 11 are not Ready for whoever watches";
  for (const char* name : {"c", "d", "e", "f"}) others_put_node(name, "Unknown");
  time_.run_for(1min + under_way + 1s);
  EXPECT_EQ(grant_all(), "pace") << "4 of 8 are";
}

/// After a restore its mark waits for as long as judgement is held.
TEST_F(RulesTest, NodeThatIsSilentCountsInItsZoneAsNotReadyBeforeItIsMarked) {
  for (const char* name : {"c", "d", "e", "f"}) put_node(name, "Unknown");
  begin({});
  time_.run_for(2min);
  const auto grant = [this](const std::string& name) {
    put_node(name, "Unknown", Json::array({unreachable}));
    return by_controller();
  };
  EXPECT_EQ(grant("c"), "");
  time_.run_for(10s);
  EXPECT_EQ(grant("d"), "") << "at the rate of a zone of which no node is left";
  renew("a");
  renew("b");
  time_.run_for(under_way + 1s);
  EXPECT_EQ(grant("e"), "pace") << "of one that is partly disrupted";
}

/// A restored backup may say Ready of nodes that are long dead.
TEST_F(RulesTest, NodesTaintedWhileOthersWereSilentAreNotTooManyForTheRateOfNow) {
  const std::vector<std::string> ill{"c", "d", "e", "f", "g", "h", "i", "j"};
  for (const std::string& name : ill) put_node(name, "Unknown");
  put_node("k", "Unknown");
  for (const char* name : {"x", "y", "z"}) put_node(name, "True");
  begin({.secondary_eviction_rate = 1, .large_zone = 3, .unhealthy_zone_threshold = 0.8});
  const auto grant = [this](const std::string& name) {
    put_node(name, "Unknown", Json::array({unreachable}));
    return by_controller();
  };
  const auto rest = [this](Duration span, const std::vector<std::string>& renewed) {
    for (; span > Duration{0}; span -= 10s) {
      for (const std::string& name : renewed) renew(name);
      time_.run_for(10s);
    }
  };
  rest(1min, {"a", "b"});
  for (const std::string& name : ill) {
    EXPECT_EQ(grant(name), "") << "twelve of fourteen are as good as dead";
    time_.run_for(1s);
  }
  rest(under_way, {"a", "b", "x", "y", "z"});
  EXPECT_EQ(grant("k"), "") << "8 within 8 s were allowed, and so is one more";
}

/// They fall silent one after the other, and where requests wait it is known when they are read.
TEST_F(RulesTest, OfTheNodesOfAZoneThatAreSilentSomeMayNotBeKnownToBeSo) {
  put_node("c", "True");
  for (const char* name : {"d", "e", "f", "g", "h"}) put_node(name, "Unknown");
  begin({.eviction_rate = 0.01,
         .secondary_eviction_rate = 1,
         .large_zone = 3,
         .unhealthy_zone_threshold = 0.8,
         .requests_wait = 1s});
  time_.run_for(2min);
  for (const char* name : {"d", "e", "f", "g", "h"}) {
    put_node(name, "Unknown", Json::array({unreachable}));
    EXPECT_EQ(by_controller(), "") << "seven of eight are not Ready, as far as anybody may know";
    time_.run_for(1s);
  }
}

class RulesOfExcludedNodesTest : public RulesTest {
 protected:
  void put_excluded(const std::string& name, const Json& taints = Json::array()) {
    storage_.put(core_resource("nodes"), name,
                 {{"metadata",
                   {{"name", name},
                    {"uid", "uid-" + name},
                    {"labels", {{"node.kubernetes.io/exclude-disruption", ""}}}}},
                  {"spec", {{"taints", taints}}},
                  {"status", {{"conditions", {{{"type", "Ready"}, {"status", "False"}}}}}}});
  }
  std::string grant_a() {
    put_excluded("a", Json::array({taint("node.kubernetes.io/not-ready", "NoExecute")}));
    return by_controller();
  }
  /// With one beside it that counts, or none.
  void begin_with_a(bool another_counts, RuleInputs inputs = {}) {
    put_excluded("a");
    put_node("b", "False");
    if (!another_counts) put_excluded("b");
    begin(std::move(inputs));
    time_.run_for(1min);
  }
  void last_that_counts_goes() {
    storage_.erase(core_resource("nodes"), "b");
    (void)by_others();
    time_.run_for(1min);
  }
};

TEST_F(RulesOfExcludedNodesTest, WhereNoneCountsAnyMoreAFullDisruptionGoesOn) {
  begin_with_a(true);
  last_that_counts_goes();
  EXPECT_EQ(grant_a(), "disruption");
}

TEST_F(RulesOfExcludedNodesTest, WhereNoneCountsADisruptionGoesOnWhoseBeginningCouldBeSeen) {
  for (const Duration doubt : {-1s, 1s}) {
    const Instant now = time_.now();
    begin_with_a(true, {.nodes_in_doubt = {{.from = now - 1min, .until = now + doubt}}});
    last_that_counts_goes();
    EXPECT_EQ(grant_a(), doubt < 0s ? "disruption" : "");
  }
}

TEST_F(RulesOfExcludedNodesTest, WhereNoneHasCountedNothingIsDisrupted) {
  begin_with_a(false);
  EXPECT_EQ(grant_a(), "");
}

TEST_F(RulesOfExcludedNodesTest, WhoBeginsWhereNoneCountsKnowsOfNoDisruption) {
  begin_with_a(true);
  last_that_counts_goes();
  rules_->leaders({{"a#1", "a_1", time_.now()}});
  EXPECT_EQ(grant_a(), "");
}

}  // namespace
}  // namespace nlc::sim::rules
