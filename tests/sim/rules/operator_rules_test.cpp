#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

class OperatorRulesTest : public RulesTest {
 protected:
  void put_node_with(const std::string& name, const std::string& ready, const Json& labels,
                     const Json& taints = Json::array()) {
    storage_.put(core_resource("nodes"), name,
                 {{"metadata", {{"name", name}, {"uid", "uid-" + name}, {"labels", labels}}},
                  {"spec", {{"taints", taints}}},
                  {"status", {{"conditions", {{{"type", "Ready"}, {"status", ready}}}}}}});
  }

  /// The rule that is broken when a pod leaves that node.
  std::string pod_leaves(const std::string& node) {
    put_pod(node, Json::array());
    (void)by_others();
    delete_pod();
    return by_controller();
  }

  /// A minute after that was said, and nothing before it.
  std::string pod_leaves_under(const Json& data, const std::string& node) {
    say(Json::object());
    begin({});
    say(data);
    time_.run_for(1min);
    return pod_leaves(node);
  }

  static Json in_zone(const std::string& zone) { return {{"topology.kubernetes.io/zone", zone}}; }
};

TEST_F(OperatorRulesTest, PodIsNotDeletedWhileEvictionsArePausedForLongerThanAMoment) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "evictions"}});
  time_.run_for(under_way + 1s);
  EXPECT_EQ(broken_by_deletion(), "paused");
}

TEST_F(OperatorRulesTest, PodThatWasOnItsWayWhenThePauseCameMayGo) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "evictions"}});
  time_.run_for(under_way - 1s);
  EXPECT_EQ(broken_by_deletion(), "");
}

TEST_F(OperatorRulesTest, PodIsDeletedAgainWhenThePauseIsOver) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "evictions"}});
  time_.run_for(1min);
  say({{"pause", "none"}});
  EXPECT_EQ(broken_by_deletion(), "");
}

TEST_F(OperatorRulesTest, TextThatCannotBeReadEndsNoPause) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "all"}});
  time_.run_for(1min);
  say({{"pause", "nonne"}});
  EXPECT_EQ(broken_by_deletion(), "paused");
}

TEST_F(OperatorRulesTest, KeyThatIsMissingBesideAMistypedOneEndsNoPause) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "evictions"}});
  time_.run_for(1min);
  say({{"pauze", "none"}});
  EXPECT_EQ(pod_leaves("a"), "paused");
}

TEST_F(OperatorRulesTest, NoNodeIsGivenANoExecuteTaintWhileThatIsPausedForItsZone) {
  put_node_with("z", "Unknown", in_zone("east"));
  say({{"pause", "evictions zone east"}});
  time_.run_for(1min);
  put_node_with("z", "Unknown", in_zone("east"), Json::array({unreachable}));
  EXPECT_EQ(by_controller(), "paused");
}

TEST_F(OperatorRulesTest, PauseIsOfTheNodesThatItNamesByTheirZoneOrTheirLabels) {
  put_node_with("z", "Unknown",
                {{"topology.kubernetes.io/region", "eu"},
                 {"topology.kubernetes.io/zone", "b"},
                 {"pool", "gpu"}},
                Json::array({unreachable}));
  for (const char* its :
       {"zone eu/b", "zone eu", "zone b", "nodes pool", "nodes pool=gpu", "nodes pool in (gpu)",
        "nodes pool!=cpu,topology.kubernetes.io/zone=b", "zone a\nall nodes !none"}) {
    EXPECT_EQ(pod_leaves_under({{"pause", std::string("evictions ") + its}}, "z"), "paused") << its;
  }
  for (const char* of_others :
       {"zone eu/a", "zone -/b", "zone -", "nodes !pool", "nodes pool=gpu,none",
        "nodes pool notin (gpu)", "zone /b", "nodes pool in gpu"}) {
    EXPECT_EQ(pod_leaves_under({{"pause", std::string("evictions ") + of_others}}, "z"), "")
        << of_others;
  }
}

TEST_F(OperatorRulesTest, AnnotationThatCannotBeReadPausesEvictionsOfItsNode) {
  storage_.put(core_resource("nodes"), "a",
               {{"metadata",
                 {{"name", "a"},
                  {"uid", "uid-a"},
                  {"annotations", {{"node-lifecycle-controller/pause", "evictons"}}}}},
                {"spec", {{"taints", {unreachable}}}},
                {"status", {{"conditions", {{{"type", "Ready"}, {"status", "Unknown"}}}}}}});
  (void)by_others();
  time_.run_for(1min);
  EXPECT_EQ(pod_leaves("a"), "paused");
}

TEST_F(OperatorRulesTest, NoPodLeavesADisruptedZoneWhileThatIsHeldForLongerThanAMoment) {
  put_node_with("z", "True", in_zone("east"));
  put_node("a", "Unknown", Json::array({unreachable}));
  const Json hold{{"hold-evictions-in-disruption", "true"}};
  EXPECT_EQ(pod_leaves_under(hold, "a"), "") << "one of two, of which the other is Ready";
  put_node("b", "Unknown");
  EXPECT_EQ(pod_leaves_under({{"hold-evictions-in-disruption", "maybe"}}, "a"), "");
  EXPECT_EQ(pod_leaves_under(hold, "a"), "paused");
  for (const char* name : {"c", "d"}) put_node(name, "Unknown");
  put_node("b", "True");
  EXPECT_EQ(pod_leaves_under(hold, "a"), "paused") << "three of four, so partly disrupted";
  put_node("c", "True");
  begin({});
  time_.run_for(1min);
  others_put_node("c", "Unknown");
  time_.run_for(under_way);
  EXPECT_EQ(pod_leaves("a"), "") << "it may have been on its way";
}

TEST_F(OperatorRulesTest, PodMayLeaveADisruptedZoneWhereWhoLeadsNeedNotKnowIt) {
  put_node_with("z", "True", in_zone("east"));
  put_node("a", "Unknown", Json::array({unreachable}));
  put_node("b", "Unknown");
  say({{"hold-evictions-in-disruption", "true"}});
  RuleInputs in_doubt;
  in_doubt.nodes_in_doubt.push_back({.from = time_.now(), .until = time_.now() + 1h});
  RuleInputs unjudged;
  unjudged.judges_nodes = false;
  for (const RuleInputs& inputs : {in_doubt, unjudged}) {
    begin(inputs);
    time_.run_for(1min);
    EXPECT_EQ(pod_leaves("a"), "");
  }
}

TEST_F(OperatorRulesTest, ZoneIsNotDisruptedByNodesThatAreExcludedFromThat) {
  put_node_with(
      "z", "Unknown",
      {{"topology.kubernetes.io/zone", "east"}, {"node.kubernetes.io/exclude-disruption", ""}},
      Json::array({unreachable}));
  EXPECT_EQ(pod_leaves_under({{"hold-evictions-in-disruption", "true"}}, "z"), "");
}

TEST_F(OperatorRulesTest, NoMorePodsLeaveAZoneInAStretchOfTimeThanTheOperatorAllows) {
  put_node("a", "Unknown", Json::array({unreachable}));
  put_node_with("z", "Unknown", in_zone("east"), Json::array({unreachable}));
  say({{"pod-evictions-per-second-and-zone", "0.1"}});
  time_.run_for(1min);
  for (const char* node : {"a", "z", "a", "z"}) EXPECT_EQ(pod_leaves(node), "") << node;
  EXPECT_EQ(pod_leaves("z"), "pods' pace");
}

TEST_F(OperatorRulesTest, PodsOfANodeThatWasInAnotherZoneBeforeCountInNone) {
  put_node_with("z", "Unknown", in_zone("west"), Json::array({unreachable}));
  put_node_with("z", "Unknown", in_zone("east"), Json::array({unreachable}));
  say({{"pod-evictions-per-second-and-zone", "0.1"}});
  time_.run_for(1min);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(pod_leaves("z"), "") << i;
}

TEST_F(OperatorRulesTest, PodsThatLeftAtThePaceOfThenAreNotTooManyForThatOfNow) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pod-evictions-per-second", "10"}});
  time_.run_for(1min);
  for (int i = 0; i < 10; ++i) EXPECT_EQ(pod_leaves("a"), "") << i;
  say({{"pod-evictions-per-second", "0.1"}});
  time_.run_for(1min);
  EXPECT_EQ(pod_leaves("a"), "");
}

TEST_F(OperatorRulesTest, PaceThatCannotBeReadIsTheOneBeforeIt) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pod-evictions-per-second", "0.1"}});
  say({{"pod-evictions-per-second", "inf"}});
  time_.run_for(1min);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(pod_leaves("a"), "") << i;
  EXPECT_EQ(pod_leaves("a"), "pods' pace");
}

TEST_F(OperatorRulesTest, NoMorePodsLeaveInAStretchOfTimeThanTheOperatorAllows) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pod-evictions-per-second", "0.1"}});
  time_.run_for(1min);
  for (int i = 0; i < 2; ++i) EXPECT_EQ(pod_leaves("a"), "") << i;
  EXPECT_EQ(pod_leaves("a"), "pods' pace");
}

}  // namespace
}  // namespace nlc::sim::rules
