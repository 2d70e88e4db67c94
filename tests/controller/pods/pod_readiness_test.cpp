#include "controller/pods/pod_readiness.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/pods/eviction_checks.h"
#include "tests/controller/objects.h"
#include "tests/controller/stores.h"

namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class PodReadinessTest : public ::testing::Test, protected Stores {
 protected:
  void store(api::Node node) {
    const std::optional<api::Node> before = nodes.find(node.name);
    nodes.apply(node);
    readiness.node_stored(node, before ? &*before : nullptr, start);
  }
  void store(api::Pod pod) {
    const std::optional<api::Pod> before = pods.find(pod.key());
    pods.apply(pod);
    const Slot slot = *pods.slot_of(pod.key());
    pods_by_node.remove(pod.node_name, slot);
    pods_by_node.add(pod.node_name, slot);
    readiness.pod_stored(slot, pod, before ? &*before : nullptr, start);
  }
  Slot slot(const std::string& pod) const { return *pods.slot_of("default/" + pod); }
  std::vector<Decision> due(Instant now = start) {
    client::Room room = client::Room::unlimited();
    return readiness.due(now, room);
  }
  PodRef only_one_due() {
    const std::vector<Decision> marks = due();
    EXPECT_THAT(marks, SizeIs(1));
    return marks.size() == 1 ? std::get<MarkPodNotReady>(marks[0]).pod : PodRef{};
  }

  PodReadiness readiness{view(), 1};
};

TEST_F(PodReadinessTest, PodsOfASilentNodeAreMarkedAndOthersAreNot) {
  store(ready_node("n"));
  store(ready_node("m"));
  store(pod_on("n", "a"));
  store(pod_on("m", "b"));
  EXPECT_THAT(due(), IsEmpty());
  store(silent_node("n"));
  EXPECT_EQ(only_one_due().name, "a");
}

TEST_F(PodReadinessTest, PodsWithoutReadyOrNotReadyAlreadyAreSkipped) {
  api::Pod without = pod_on("n", "without");
  without.ready.reset();
  api::Pod not_ready = pod_on("n", "not-ready");
  not_ready.ready->status = ConditionStatus::False;
  store(silent_node("n"));
  store(without);
  store(not_ready);
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(PodReadinessTest, StandbyLetsGoOfWhatTheLeaderHasDone) {
  store(ready_node("n"));
  store(pod_on("n", "marked"));
  store(pod_on("n", "spared"));
  store(silent_node("n"));
  EXPECT_EQ(readiness.pending().waiting(), 2U);
  api::Pod marked = pod_on("n", "marked");
  marked.resource_version = "2";
  marked.ready->status = ConditionStatus::False;
  store(marked);
  EXPECT_EQ(readiness.pending().waiting(), 1U);
  store(ready_node("n"));
  EXPECT_EQ(readiness.pending().waiting(), 0U);
}

TEST_F(PodReadinessTest, MarkThatWasNeverSentIsWishedForAgainAtOnce) {
  store(silent_node("n"));
  store(pod_on("n", "a"));
  const PodRef pod = only_one_due();
  EXPECT_THAT(due(), IsEmpty());
  readiness.not_sent(pod, start);
  EXPECT_THAT(due(), SizeIs(1));
}

TEST_F(PodReadinessTest, PodThatComesLateIsMarkedToo) {
  store(silent_node("n"));
  store(pod_on("n", "late"));
  EXPECT_THAT(due(), SizeIs(1));
}

TEST_F(PodReadinessTest, NodeThatReportsNotReadyLeavesItsPodsToItsKubelet) {
  store(node_with_ready("n", ConditionStatus::False));
  store(pod_on("n", "a"));
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(PodReadinessTest, PodThatIsBoundToANodeThatReportsNotReadyIsMarkedOnce) {
  store(node_with_ready("n", ConditionStatus::False));
  store(pod_on("n", "late"));
  readiness.pod_bound(slot("late"), pod_on("n", "late"), start);
  readiness.written(only_one_due(), start);
  store(pod_on("n", "late"));  // its kubelet says Ready again
  EXPECT_THAT(due(start + 1s), IsEmpty());
}

TEST_F(PodReadinessTest, FailedMarkIsRepeatedForAsLongAsItIsWanted) {
  store(silent_node("n"));
  store(pod_on("n", "a"));
  const PodRef pod = only_one_due();
  readiness.refused(pod, {.fault = Fault::Unavailable}, start);
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_THAT(due(start + 15s), SizeIs(1));
  readiness.refused(pod, {.fault = Fault::Unavailable}, start + 15s);
  store(ready_node("n"));
  EXPECT_THAT(due(start + 1h), IsEmpty());
  EXPECT_EQ(readiness.pending().waiting(), 0U);
}

TEST_F(PodReadinessTest, PodThatIsBoundToAReadyNodeIsNotMarked) {
  store(ready_node("n"));
  store(pod_on("n", "a"));
  readiness.pod_bound(slot("a"), pod_on("n", "a"), start);
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(PodReadinessTest, PodThatIsWrittenMeanwhileIsMarkedOnce) {
  store(silent_node("n"));
  store(pod_on("n", "a"));
  ASSERT_THAT(due(), SizeIs(1));
  store(pod_on("n", "a"));
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(PodReadinessTest, NewPodOfTheSameNameIsMarkedForItself) {
  store(silent_node("n"));
  store(pod_on("n", "a"));
  const PodRef gone = only_one_due();
  api::Pod another = pod_on("n", "a");
  another.uid = "another";
  store(another);
  EXPECT_THAT(due(), SizeIs(1));
  readiness.written(gone, start);
  EXPECT_FALSE(readiness.refused(gone, {.fault = Fault::Unavailable}, start));
  readiness.not_sent(gone, start);
  EXPECT_THAT(due(), IsEmpty()) << "the other's is on its way";
}

TEST_F(PodReadinessTest, PodThatCameLateAndWasNotReadySinceIsLeftToItsKubelet) {
  store(node_with_ready("n", ConditionStatus::False));
  store(pod_on("n", "late"));
  readiness.pod_bound(slot("late"), pod_on("n", "late"), start);
  api::Pod not_ready = pod_on("n", "late");
  not_ready.ready->status = ConditionStatus::False;
  store(not_ready);
  store(pod_on("n", "late"));
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(PodReadinessTest, PodThatCameLateAndWhoseNodeWasReadySinceIsLeftToItsKubelet) {
  store(node_with_ready("n", ConditionStatus::False));
  store(pod_on("n", "late"));
  readiness.pod_bound(slot("late"), pod_on("n", "late"), start);
  store(ready_node("n"));
  EXPECT_THAT(due(), IsEmpty());
  store(node_with_ready("n", ConditionStatus::False));
  store(pod_on("n", "late"));
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(PodReadinessTest, PodThatTakesThePlaceOfOneThatCameLateIsNone) {
  store(node_with_ready("n", ConditionStatus::False));
  store(pod_on("n", "late"));
  const Slot place = slot("late");
  readiness.pod_bound(place, pod_on("n", "late"), start);
  readiness.pod_removed(place);
  pods.remove("default/late");
  pods_by_node.remove("n", place);
  store(pod_on("n", "other"));
  ASSERT_EQ(slot("other"), place);
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(PodReadinessTest, PodThatIsSparedIsAskedAboutAgainInAWhile) {
  store(silent_node("n"));
  store(pod_on("n", "a"));
  const auto spared = [](const std::string&) { return true; };
  client::Room room = client::Room::unlimited();
  EXPECT_THAT(readiness.due(start, room, spared), IsEmpty());
  EXPECT_EQ(readiness.next_due(start), start + held_recheck);
  EXPECT_THAT(due(start + held_recheck), SizeIs(1));
}

TEST_F(PodReadinessTest, FirstConflictIsNotToldAndIsTriedAgainAtOnce) {
  store(silent_node("n"));
  store(pod_on("n", "a"));
  for (const bool told : {false, true}) {
    EXPECT_EQ(readiness.refused(only_one_due(), {.fault = Fault::Conflict}, start), told);
  }
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(PodReadinessTest, EveryOtherRefusalIsTold) {
  store(silent_node("n"));
  store(pod_on("n", "a"));
  const PodRef pod = only_one_due();
  EXPECT_TRUE(readiness.refused(pod, {.fault = Fault::Unavailable}, start));
  EXPECT_FALSE(readiness.refused(pod, {.fault = Fault::Unavailable}, start)) << "it is answered";
}

}  // namespace
}  // namespace nlc::controller
