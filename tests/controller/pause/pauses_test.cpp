#include "controller/pause/pauses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/objects.h"
#include "tests/controller/stores.h"

namespace nlc::controller::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PausesTest : public ::testing::Test,
                   protected Stores,
                   private informer::StoreListener<api::Node> {
 protected:
  PausesTest() {
    nodes.set_listener(this);
    nodes.replace({});
  }

  void say(const std::string& text, bool known = true) {
    const ReadPolicy read = read_operator_policy({{"pause", text}}, {});
    ASSERT_EQ(read.trouble, "");
    pauses.follow(read.policy, known);
  }
  Slot put(const std::string& name, const std::string& zone, api::Labels labels = {},
           const std::string& annotation = {}) {
    api::Node node = ready_node(name);
    node.resource_version = std::to_string(++version);
    node.labels = std::move(labels);
    if (!zone.empty()) node.labels.emplace_back("topology.kubernetes.io/zone", zone);
    node.pause = annotation;
    nodes.apply(node);
    return *nodes.slot_of(name);
  }

  int version = 0;
  Pauses pauses{view()};

 private:
  void on_stored(Slot slot, const api::Node& node, const api::Node* before) override {
    pauses.node_stored(slot, node, before);
  }
  void on_removed(Slot slot, const api::Node&) override { pauses.node_removed(slot); }
  void on_synced() override {}
};

TEST_F(PausesTest, NodeIsPausedByTheMostThatIsSaidOfIt) {
  say("evictions\nall zone a\nall nodes pool=gpu");
  EXPECT_EQ(pauses.of(put("plain", "")), Pause::Evictions);
  EXPECT_EQ(pauses.of(put("in-zone", "a")), Pause::All);
  EXPECT_EQ(pauses.of(put("labelled", "b", {{"pool", "gpu"}})), Pause::All);
  EXPECT_EQ(pauses.of(put("annotated", "b", {}, "all")), Pause::All);
  EXPECT_EQ(pauses.of_everything(), Pause::Evictions);
  EXPECT_EQ(pauses.count(Pause::All), 3U);
}

TEST_F(PausesTest, PolicyThatChangesIsInForceForNodesThatAreThere) {
  const Slot a = put("a-0", "a");
  const Slot b = put("b-0", "b");
  say("evictions zone a");
  EXPECT_TRUE(pauses.pauses_evictions(a));
  EXPECT_FALSE(pauses.pauses_evictions(b));
  ASSERT_THAT(pauses.take_changes(), SizeIs(1));
  say("");
  const std::vector<Pauses::Change> ended = pauses.take_changes();
  ASSERT_THAT(ended, SizeIs(1));
  EXPECT_EQ(ended[0].node, a);
  EXPECT_EQ(ended[0].now, Pause::None);
}

TEST_F(PausesTest, NodeThatIsRelabelledFollowsItsLabels) {
  say("evictions nodes pool=gpu");
  const Slot node = put("n", "", {{"pool", "gpu"}});
  EXPECT_TRUE(pauses.pauses_evictions(node));
  put("n", "", {{"pool", "cpu"}});
  EXPECT_FALSE(pauses.pauses_evictions(node));
}

TEST_F(PausesTest, WhileNothingIsKnownEvictionsOfAllNodesArePaused) {
  const Slot node = put("n", "");
  say("", false);
  EXPECT_EQ(pauses.of(node), Pause::Evictions);
  EXPECT_EQ(pauses.of_everything(), Pause::Evictions);
  EXPECT_EQ(pauses.of(put("late", "")), Pause::Evictions);
}

TEST_F(PausesTest, OrderThatIsRememberedIsAboutNodesThatComeWhenItHasEnded) {
  say("evictions zone a");
  pauses.remember_orders();
  say("");
  EXPECT_TRUE(pauses.was_ordered(put("a-0", "a")));
  EXPECT_FALSE(pauses.was_ordered(put("b-0", "b", {}, "evictions")));
  say("evictions");
  pauses.remember_orders();
  EXPECT_TRUE(pauses.was_ordered(put("b-1", "b")));
}

TEST_F(PausesTest, EachOrderIsRememberedOnce) {
  for (const char* zone : {"a", "b"}) {
    say("evictions zone " + std::string(zone));
    pauses.remember_orders();
  }
  say("");
  EXPECT_TRUE(pauses.was_ordered(put("a-0", "a")));
  EXPECT_TRUE(pauses.was_ordered(put("b-0", "b")));
  EXPECT_FALSE(pauses.was_ordered(put("c-0", "c")));
}

TEST_F(PausesTest, EachMayHaveBeenAboutANodeThatIsGone) {
  say("evictions zone a\nall nodes pool=gpu");
  EXPECT_EQ(pauses.of_gone(), Pause::All);
  EXPECT_EQ(pauses.gone_paused_by(), "the operator's ConfigMap, pause: all nodes pool=gpu");
  EXPECT_EQ(pauses.of_everything(), Pause::None);
  EXPECT_EQ(pauses.everything_paused_by(), "");
  say("evictions zone a");
  EXPECT_EQ(pauses.of_gone(), Pause::Evictions);
  say("");
  EXPECT_EQ(pauses.of_gone(), Pause::None);
  EXPECT_EQ(pauses.gone_paused_by(), "");
  say("", false);
  EXPECT_EQ(pauses.of_gone(), Pause::Evictions);
  EXPECT_THAT(pauses.gone_paused_by(), HasSubstr("not known yet"));
}

TEST_F(PausesTest, TheMostThatIsSaidOfEverythingIsNamed) {
  say("evictions\nall");
  EXPECT_EQ(pauses.of_everything(), Pause::All);
  EXPECT_EQ(pauses.everything_paused_by(), "the operator's ConfigMap, pause: all");
  EXPECT_EQ(pauses.paused_by(put("n", "")), "the operator's ConfigMap, pause: all");
}

TEST_F(PausesTest, OfAZoneTheFirstOfTheMostIsNamed) {
  say("evictions zone a\nall zone a\nall zone -/a\nall nodes pool=gpu");
  EXPECT_EQ(pauses.zone_paused_by("-/a"), "the operator's ConfigMap, pause: all zone a");
  EXPECT_EQ(pauses.zone_paused_by("-/b"), "") << "not all of its nodes are of that pool";
}

TEST_F(PausesTest, AnnotationThatChangesIsToldOnce) {
  put("plain", "");
  EXPECT_THAT(pauses.take_annotated(), IsEmpty());
  const Slot node = put("n", "", {}, "all");
  EXPECT_THAT(pauses.take_annotated(), ::testing::ElementsAre(node));
  put("n", "z", {}, "all");
  EXPECT_THAT(pauses.take_annotated(), IsEmpty());
  put("n", "z");
  EXPECT_THAT(pauses.take_annotated(), ::testing::ElementsAre(node)) << "it is taken off";
}

TEST_F(PausesTest, NodeThatIsGoneHasNoUnreadableAnnotation) {
  put("n", "", {}, "alll");
  EXPECT_THAT(pauses.unreadable(), SizeIs(1));
  nodes.remove("n");
  EXPECT_THAT(pauses.unreadable(), IsEmpty());
}

TEST_F(PausesTest, NodeThatWasReplacedKeepsNoWordOfTheOther) {
  const Slot node = put("n", "", {}, "all");
  api::Node another = ready_node("n");
  another.uid = "another";
  another.resource_version = "99";
  another.pause = "alll";
  nodes.apply(another);
  EXPECT_EQ(pauses.of(node), Pause::Evictions);
}

TEST_F(PausesTest, AnnotationThatCannotBeReadKeepsTheWordBeforeIt) {
  const Slot node = put("n", "", {}, "all");
  put("n", "", {}, "alll");
  EXPECT_EQ(pauses.of(node), Pause::All);
  EXPECT_FALSE(pauses.is_readable(node));
  put("n", "", {}, "none");
  EXPECT_EQ(pauses.of(node), Pause::None);
  EXPECT_TRUE(pauses.is_readable(node));
}

TEST_F(PausesTest, AnnotationThatWasNeverReadablePausesEvictions) {
  EXPECT_EQ(pauses.of(put("n", "", {}, "evict")), Pause::Evictions);
}

TEST_F(PausesTest, AnotherNodeOfThatNameTakesNothingOver) {
  const Slot node = put("n", "", {}, "all");
  nodes.remove("n");
  EXPECT_EQ(pauses.count(Pause::All), 0U);
  EXPECT_EQ(put("m", ""), node) << "it has the slot of the other";
  EXPECT_EQ(pauses.of(node), Pause::None);
}

TEST_F(PausesTest, SaysWhoPausesInTheOperatorsWords) {
  say("evictions zone a\nall nodes pool=gpu");
  EXPECT_EQ(pauses.paused_by(put("a-0", "a")), "the operator's ConfigMap, pause: evictions zone a");
  EXPECT_EQ(pauses.paused_by(put("a-1", "a", {{"pool", "gpu"}})),
            "the operator's ConfigMap, pause: all nodes pool=gpu");
  EXPECT_THAT(pauses.paused_by(put("b-0", "b", {}, "evictions")), HasSubstr("annotation"));
  EXPECT_EQ(pauses.paused_by(put("b-2", "b", {}, "Evictions")),
            "annotation node-lifecycle-controller/pause, for it cannot be read and must be "
            "evictions, all or none: Evictions");
  EXPECT_THAT(pauses.paused_by(put("b-1", "b")), IsEmpty());
  EXPECT_EQ(pauses.zone_paused_by("a"), "the operator's ConfigMap, pause: evictions zone a");
  EXPECT_THAT(pauses.zone_paused_by("b"), IsEmpty());
}

}  // namespace
}  // namespace nlc::controller::testing
