#include "controller/live/tracker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/virtual_time.h"
#include "tests/controller/objects.h"
#include "tests/controller/stores.h"
#include "tests/controller/unanswered.h"
#include "tests/memory_log.h"

namespace nlc::controller::live {
namespace {

using namespace controller::testing;
using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;
using ::testing::UnorderedElementsAre;

/// A controller that was told of nodes, and somebody who looks at it again and again.
class TrackerTest : public ::testing::Test,
                    protected Stores,
                    protected Watches,
                    private informer::StoreListener<api::Node> {
 protected:
  TrackerTest() {
    nodes.set_listener(this);
    nodes.replace({});
    next.answerer = {.identity = "me", .leads = true, .leader = {}, .synced = true};
    next.state = "at_work";
  }
  WatchProgress progress(Watched) const override { return {}; }

  Slot put(api::Node node) {
    node.resource_version = std::to_string(++version);
    const std::string name = node.name;
    nodes.apply(std::move(node));
    decisions.machines().nodes.settle_zones(at());
    return *nodes.slot_of(name);
  }
  Change look() {
    const Insight insight{.view = view(),
                          .decisions = decisions,
                          .server = server,
                          .holds = holds,
                          .history = history,
                          .at = at(),
                          .leading = true,
                          .observing = observing,
                          .synced = synced};
    return tracker.look(next, &insight, at().wall);
  }
  Moment at() const { return {.now = time.now(), .wall = time.wall_now()}; }
  static std::vector<std::string> names(const std::vector<Node>& told) {
    std::vector<std::string> found;
    for (const Node& node : told) found.push_back(node.name);
    return found;
  }
  static bool says_nothing(const Change& change) {
    return !change.replica && !change.zones && change.gone.empty() && change.nodes.empty() &&
           !change.next && !change.past;
  }

  int version = 0;
  bool observing = false;
  bool synced = true;
  why::Answer next;
  sim::VirtualTime time{noon};
  tests::MemoryLog log;
  metrics::Metrics metrics{"1.0"};
  Unanswered nobody;
  ApiServerHealth server{view(), *this, {.blind_after = 10s}, time.now()};
  Decisions decisions{view(), server, {}, time.now()};
  client::EventRecorder events{{nobody, time, log, metrics.events_dropped()}, "controller"};
  JudgementHolds holds{{log, metrics, events, {}}};
  History history;
  Tracker tracker;

 private:
  void on_stored(Slot slot, const api::Node& node, const api::Node* before) override {
    decisions.node_stored(slot, node, before, at());
  }
  void on_removed(Slot slot, const api::Node& node) override {
    decisions.node_removed(slot, node, time.now());
  }
  void on_synced() override {}
};

TEST_F(TrackerTest, FirstLookTellsEverythingAndTheNextNothing) {
  put(ready_node("a"));
  put(silent_node("b"));
  const Change first = look();
  ASSERT_TRUE(first.replica);
  EXPECT_EQ(first.replica->identity, "me");
  EXPECT_EQ(first.replica->role, "leads");
  EXPECT_EQ(first.replica->state, "at_work");
  ASSERT_TRUE(first.zones);
  ASSERT_THAT(*first.zones, SizeIs(1));
  EXPECT_EQ(first.zones->front().ready, 1);
  EXPECT_THAT(names(first.nodes), UnorderedElementsAre("a", "b"));
  EXPECT_TRUE(first.next);
  EXPECT_TRUE(first.past);
  EXPECT_THAT(first.gone, IsEmpty());
  EXPECT_TRUE(says_nothing(look()));
}

TEST_F(TrackerTest, SaysInWhichRoleSomebodyTells) {
  next.answerer.leads = false;
  EXPECT_EQ(look().replica->role, "stands by");
  observing = true;
  EXPECT_EQ(look().replica->role, "observes");
  EXPECT_FALSE(look().replica);
  EXPECT_EQ(tracker.look(next, nullptr, at().wall).replica->role, "stands by");
}

TEST_F(TrackerTest, WhatHoldsHimIsTold) {
  look();
  next.held = {{.kind = "server_paused", .what = "nothing proves writes", .ends_in = {}}};
  EXPECT_THAT(look().replica->held, ElementsAre("nothing proves writes"));
}

TEST_F(TrackerTest, OnlyNodesThatAreOthersAreTold) {
  decisions.follow_policy({.lists = 1, .forbidden = false, .trouble = {}}, time.now());
  put(ready_node("a"));
  put(ready_node("b"));
  look();
  put(ready_node("a"));
  EXPECT_TRUE(says_nothing(look())) << "another version that says the same";
  api::Node cordoned = ready_node("a");
  cordoned.unschedulable = true;
  put(cordoned);
  const Change change = look();
  ASSERT_THAT(change.nodes, SizeIs(1));
  EXPECT_EQ(change.nodes[0].status, NodeStatus::Cordoned);
  EXPECT_FALSE(change.zones);
  put(node_with_ready("b", api::ConditionStatus::False));
  EXPECT_TRUE(look().zones) << "it counts otherwise in its zone";
}

TEST_F(TrackerTest, NodeThatIsPausedIsTold) {
  const Slot slot = put(ready_node("a"));
  EXPECT_TRUE(look().nodes.at(0).paused) << "nothing is known of the ConfigMap yet";
  decisions.follow_policy({.lists = 1, .forbidden = false, .trouble = {}}, time.now());
  EXPECT_FALSE(look().nodes.at(0).paused);
  EXPECT_EQ(decisions.operator_holds().pauses().of(slot), Pause::None);
}

TEST_F(TrackerTest, NodeThatIsGoneIsToldOnceAndSoIsTheOneThatHasItsPlace) {
  put(ready_node("a"));
  look();
  nodes.remove("a");
  const Change gone = look();
  EXPECT_THAT(gone.gone, ElementsAre("a"));
  EXPECT_THAT(gone.nodes, IsEmpty());
  EXPECT_THAT(look().gone, IsEmpty());
  put(ready_node("b"));
  look();
  nodes.remove("b");
  put(ready_node("c"));
  const Change replaced = look();
  EXPECT_THAT(replaced.gone, ElementsAre("b"));
  EXPECT_THAT(names(replaced.nodes), ElementsAre("c"));
}

TEST_F(TrackerTest, WhoKnowsNothingAnyMoreTakesBackAllThatWasTold) {
  put(ready_node("a"));
  put(ready_node("b"));
  nodes.remove("b");
  look();
  synced = false;
  const Change change = look();
  EXPECT_THAT(change.gone, ElementsAre("a"));
  ASSERT_TRUE(change.zones);
  EXPECT_THAT(*change.zones, IsEmpty());
  EXPECT_TRUE(says_nothing(look()));
  EXPECT_TRUE(says_nothing(tracker.look(next, nullptr, at().wall)));
  synced = true;
  EXPECT_THAT(names(look().nodes), ElementsAre("a"));
}

TEST_F(TrackerTest, StepWhoseMomentWaversIsTheSame) {
  next.next = {{.what = "a is judged", .in = 10s}};
  const Change first = look();
  ASSERT_THAT(*first.next, SizeIs(1));
  EXPECT_EQ(first.next->front().when, noon + 10s);
  next.next[0].in = 10s + 499ms;
  EXPECT_FALSE(look().next);
  next.next[0].in = 10s + 500ms;
  EXPECT_TRUE(look().next);
  next.next[0].in.reset();
  EXPECT_FALSE(look().next->front().when);
  EXPECT_FALSE(look().next);
  next.next[0].what = "b is judged";
  EXPECT_EQ(look().next->front().what, "b is judged");
  next.next.clear();
  EXPECT_THAT(*look().next, IsEmpty());
}

TEST_F(TrackerTest, PastIsToldWithTheMomentsOfTheCalendarWhereAnythingOfItIsAnother) {
  look();
  history.happened(Action::ZoneChanged, History::of_zone("eu:" + std::string(1, '\0') + ":a"),
                   "Normal to FullDisruption", time.now());
  MarkSilent mark;
  mark.node = {.name = "a", .uid = "u"};
  time.run_for(3s);
  history.decided(mark, time.now());
  time.run_for(2s);
  const Change change = look();
  ASSERT_TRUE(change.past);
  ASSERT_THAT(*change.past, SizeIs(2));
  EXPECT_EQ(change.past->at(0).at, noon + 3s);
  EXPECT_EQ(change.past->at(1).at, noon);
  EXPECT_EQ(change.past->at(1).object, "zone/eu/a");
  EXPECT_FALSE(look().past);
  history.answered(mark.node, NodePart::Status, std::nullopt);
  EXPECT_EQ(look().past->at(0).outcome, Outcome::Taken);
}

}  // namespace
}  // namespace nlc::controller::live
