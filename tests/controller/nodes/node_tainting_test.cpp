#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <map>
#include <string>

#include "tests/controller/nodes/repaired_nodes.h"

namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using ::testing::IsEmpty;
using ::testing::SizeIs;

/// Which taints, when, and whose turn it is.
class NodeTaintingTest : public RepairedNodes {};

TEST_F(NodeTaintingTest, BothTaintsComeInOneWriteWhenTheZoneHasAToken) {
  let_one_of_two_say_that_it_is_unknown();
  EXPECT_EQ(only_taints().added,
            "node.kubernetes.io/unreachable:NoSchedule,node.kubernetes.io/unreachable:NoExecute");
}

TEST_F(NodeTaintingTest, WhoIsOvertakenForTheZonesTokenGetsItsNoScheduleTaintAllTheSame) {
  store_ready({"a", "b", "c", "d", "e"});
  pass(1s);
  renew("a", noon);  // the later sign of life: "b" overtakes it
  pass(41s);
  store(silent_node("a"));
  store(silent_node("b"));
  const auto taints = only<SetTaints>(repair());
  EXPECT_THAT(names(taints), ::testing::UnorderedElementsAre("a", "b"));
}

TEST_F(NodeTaintingTest, WhoWasJustHeardIsNotTaintedAsUnreachableWhateverItsStatusSays) {
  store_ready({"a", "b", "c"});
  renew("a", noon - 10s);
  pass(1s);
  renew("a", noon);
  store(silent_node("a"));
  EXPECT_THAT(only<SetTaints>(repair()), IsEmpty());
  pass(40s);
  EXPECT_THAT(only<SetTaints>(repair()), IsEmpty());
  pass(1ns);
  EXPECT_THAT(names(only<SetTaints>(repair())), ::testing::ElementsAre("a"));
}

TEST_F(NodeTaintingTest, FirstSilentIsFirstTaintedAtTheZonesRate) {
  store_ready({"a", "b", "c", "d", "e", "f"});
  std::vector<std::string> evicted;
  const auto follow = [&] {
    for (const SetTaints& wish : only<SetTaints>(repair())) {
      api::Node node = *nodes.find(wish.node.name);
      node.taints = wish.taints;
      store(node);
      lifecycle.written(wish.node, NodePart::Spec, now);
      if (wish.added.find("NoExecute") != std::string::npos) evicted.push_back(wish.node.name);
    }
  };
  pass(1s);
  renew("b", noon);  // the later sign of life
  pass(41s);
  for (const char* name : {"a", "d", "e", "f"}) renew(name, noon);
  store(silent_node("b"));
  store(silent_node("c"));
  monitor_pass();
  follow();
  EXPECT_THAT(evicted, ::testing::ElementsAre("c"));
  pass(9s);
  follow();
  EXPECT_THAT(evicted, SizeIs(1));
  pass(1s);
  follow();
  EXPECT_THAT(evicted, ::testing::ElementsAre("c", "b"));
}

TEST_F(NodeTaintingTest, RefusedTaintGivesItsTokenBack) {
  let_one_of_two_say_that_it_is_unknown();
  const SetTaints wish = only_taints();
  lifecycle.refused(wish.node, NodePart::Spec, {.fault = Fault::Forbidden}, now);
  pass(10s);
  EXPECT_THAT(only<SetTaints>(repair()), SizeIs(1));
}

TEST_F(NodeTaintingTest, TaintThatWasNeverSentIsWishedForOnceUntilThatIsSaidAndCostsNoToken) {
  let_one_of_two_say_that_it_is_unknown();
  const SetTaints wish = only_taints();
  pass(15s);
  EXPECT_THAT(repair(), IsEmpty());
  lifecycle.not_sent(wish.node, NodePart::Spec, now);
  const SetTaints again = only_taints();
  EXPECT_EQ(again.added, wish.added) << "NoExecute too";
  EXPECT_EQ(again.attempt, Try::First) << "nothing has failed";
}

TEST_F(NodeTaintingTest, LabelThatIsRefusedForEverDelaysNoVerdict) {
  store(without_os_label("n"));
  for (int i = 0; i < 9; ++i) {
    monitor_pass();
    for (const SetLabels& wish : only<SetLabels>(repair())) {
      lifecycle.refused(wish.node, NodePart::Spec, {.fault = Fault::Forbidden}, now);
    }
    pass(5s);
  }
  EXPECT_THAT(confirmed_and_marked(), SizeIs(1));
}

TEST_F(NodeTaintingTest, NoExecuteTaintThatIsRefusedForEverKeepsNoScheduleFromNobody) {
  let_one_of_two_say_that_it_is_unknown();
  const SetTaints both = only_taints();
  lifecycle.refused(both.node, NodePart::Spec, {.fault = Fault::Forbidden}, now);
  EXPECT_EQ(only_taints().added, "node.kubernetes.io/unreachable:NoSchedule");
}

TEST_F(NodeTaintingTest, TaintThatIsRefusedForEverDelaysNoVerdict) {
  for (const char* name : {"other", "n"}) store(ready_node(name));
  api::Node cordoned = ready_node("n");
  cordoned.unschedulable = true;
  store(cordoned);
  for (int i = 0; i < 9; ++i) {
    monitor_pass();
    for (const SetTaints& wish : only<SetTaints>(repair())) {
      lifecycle.refused(wish.node, NodePart::Spec, {.fault = Fault::Invalid}, now);
    }
    pass(5s);
    renew("other", noon + i * 1s);
  }
  EXPECT_THAT(confirmed_and_marked(), SizeIs(1));
}

TEST_F(NodeTaintingTest, TaintThatSomebodyRemovesEachTimeIsWrittenLessAndLessAndTold) {
  for (const char* name : {"other", "n"}) store(ready_node(name));
  api::Node cordoned = ready_node("n");
  cordoned.unschedulable = true;
  store(cordoned);
  int writes = 0;
  for (const Instant end = now + 10s; now < end; now += 1ms) {
    for (const SetTaints& wish : only<SetTaints>(repair())) {
      ++writes;
      lifecycle.written(wish.node, NodePart::Spec, now);  // as it was answered: without the taint
    }
  }
  EXPECT_LE(writes, 10);
  int told = 0;
  for (const NodeEvent& event : lifecycle.take_events()) {
    told += event.kind == NodeEvent::Kind::Undone ? 1 : 0;
  }
  EXPECT_EQ(told, writes);
  EXPECT_EQ(lifecycle.repairs().writes().troubled(), 1U);
}

/// Whoever has the token is to have both taints, and one without: two writes, and each undone.
TEST_F(NodeTaintingTest, TaintsThatSomebodyRemovesEachTimeAreWrittenLessAndLessWhoeverHasTheToken) {
  store_ready({"a", "b", "c", "d", "e", "f"});
  for (const char* name : {"p", "q", "r", "s"}) store(silent_node(name));
  std::map<std::string, int> writes;
  for (const Instant end = now + 20s; now < end; now += 1ms) {
    for (const SetTaints& wish : only<SetTaints>(repair())) {
      ++writes[wish.node.name];
      lifecycle.written(wish.node, NodePart::Spec, now);  // as it was answered: without the taints
    }
  }
  ASSERT_THAT(writes, SizeIs(4));
  for (const auto& [name, count] : writes) EXPECT_LE(count, 20) << name;
}

TEST_F(NodeTaintingTest, TaintsThatComeAndGoWithTheirNodeAreWrittenAtOnceEachTime) {
  store_ready({"a", "b", "c", "d", "e", "f"});
  for (int turn = 0; turn < 4; ++turn) {
    for (const bool cordoned : {true, false}) {
      api::Node node = ready_node("n");
      node.unschedulable = cordoned;
      if (!cordoned) node.taints = {a_taint(taint::unschedulable, "NoSchedule")};
      store(node);
      const SetTaints wish = only_taints();
      node.taints = wish.taints;
      store(node);
      lifecycle.written(wish.node, NodePart::Spec, now);
      pass(1s);
    }
  }
}

TEST_F(NodeTaintingTest, NodeThatGoesWhileItsTaintIsOnItsWayCostsItsZoneNoToken) {
  store_ready({"a", "b", "c", "d", "e"});
  store(silent_node("a"));
  ASSERT_THAT(only<SetTaints>(repair()), SizeIs(1));
  nodes.remove("a");
  store(silent_node("b"));
  EXPECT_NE(only_taints().added.find("NoExecute"), std::string::npos);
}

TEST_F(NodeTaintingTest, RecoveredNodeLeavesTheQueueAtOnce) {
  store_ready({"a", "b", "c", "d", "e"});
  store(silent_node("a"));
  store(silent_node("b"));
  const auto taints = only<SetTaints>(repair());  // one with NoExecute, one waits for its turn
  ASSERT_THAT(taints, SizeIs(2));
  for (const SetTaints& wish : taints) lifecycle.written(wish.node, NodePart::Spec, now);
  store(ready_node("b"));
  pass(1min);
  for (const SetTaints& wish : only<SetTaints>(repair())) EXPECT_NE(wish.node.name, "b");
}

TEST_F(NodeTaintingTest, TaintWrittenByAnotherLeaderTakesATokenHereToo) {
  store_ready({"a", "b", "c", "d", "e"});
  api::Node tainted = silent_node("a");
  tainted.taints = {a_taint(taint::unreachable, "NoSchedule"),
                    a_taint(taint::unreachable, "NoExecute")};
  store(tainted);
  store(silent_node("b"));
  for (const SetTaints& wish : only<SetTaints>(repair())) {
    EXPECT_EQ(wish.added.find("NoExecute"), std::string::npos) << wish.node.name;
  }
}

TEST_F(NodeTaintingTest, NoExecuteTaintsLeaveEverywhereWhenTheLastZoneFallsSilent) {
  store(ready_node("a"));
  store(ready_node("b"));
  monitor_pass();
  api::Node tainted = silent_node("a");
  tainted.taints = {a_taint(taint::unreachable, "NoSchedule"),
                    a_taint(taint::unreachable, "NoExecute")};
  store(tainted);
  monitor_pass();
  EXPECT_THAT(repair(), IsEmpty());
  store(silent_node("b"));
  monitor_pass();
  const auto taints = only<SetTaints>(repair());
  ASSERT_THAT(names(taints), ::testing::UnorderedElementsAre("a", "b"));
  for (const SetTaints& wish : taints) {
    for (const api::Taint& taint : wish.taints) EXPECT_NE(taint.effect, "NoExecute");
  }
}

}  // namespace
}  // namespace nlc::controller
