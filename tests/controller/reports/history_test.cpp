#include "controller/reports/history.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const NodeRef a_node{.name = "node-1", .uid = "uid"};
const PodRef a_pod{.namespace_ = "shop", .name = "web", .uid = "uid"};

SetTaints taints_of(const NodeRef& ref, std::string added) {
  SetTaints set;
  set.node = ref;
  set.added = std::move(added);
  return set;
}

EvictPod eviction(bool marked) {
  EvictPod evict;
  evict.pod = a_pod;
  evict.marked = marked;
  return evict;
}

TEST(History, DecisionIsUnderWayUntilItIsAnswered) {
  History history;
  history.decided(taints_of(a_node, "k:NoExecute"), start);
  ASSERT_THAT(history.last_of("node/node-1", 9), SizeIs(1));
  EXPECT_EQ(history.last_of("node/node-1", 9).front()->outcome, Outcome::UnderWay);
  EXPECT_EQ(history.last_of("node/node-1", 9).front()->detail, "+k:NoExecute");

  history.answered(a_node, NodePart::Spec, std::nullopt);
  EXPECT_EQ(history.last_of("node/node-1", 9).front()->outcome, Outcome::Taken);
}

TEST(History, SaysWhatAWriteChanges) {
  History history;
  SetTaints swap = taints_of(a_node, "k:NoExecute");
  swap.removed = "l:NoExecute";
  SetTaints clear = taints_of(a_node, "");
  clear.removed = "k:NoExecute";
  SetLabels labels;
  labels.node = a_node;
  labels.labels = {{"a", "b"}, {"c", "d"}};
  history.decided(swap, start);
  history.decided(clear, start);
  history.decided(labels, start);
  const auto actions = history.last_of("node/node-1", 9);
  ASSERT_THAT(actions, SizeIs(3));
  EXPECT_EQ(actions[0]->detail, "a=b,c=d");
  EXPECT_EQ(actions[1]->detail, "-k:NoExecute");
  EXPECT_EQ(actions[2]->detail, "+k:NoExecute -l:NoExecute");
}

TEST(History, LabelsAreAnsweredWhereNoTaintsAreOnTheirWay) {
  History history;
  SetLabels labels;
  labels.node = a_node;
  history.decided(labels, start);
  history.answered(a_node, NodePart::Spec, Error{.fault = Fault::Forbidden});
  const auto last = [&history] { return *history.last_of("node/node-1", 1).front(); };
  EXPECT_EQ(last().outcome, Outcome::Refused);
  EXPECT_EQ(last().why, "forbidden") << "the server said nothing more";
  history.answered(a_node, NodePart::Spec, std::nullopt);
  EXPECT_EQ(last().outcome, Outcome::Refused) << "nothing is on its way";
}

TEST(History, OldestThatIsRememberedIsAnsweredAsWell) {
  History history(100'000);
  for (int i = 0; i < 1'000; ++i) {
    history.happened(Action::ZoneChanged, "zone/a", "Normal to FullDisruption", start);
  }
  history.decided(taints_of(a_node, "k:NoExecute"), start);
  while (history.last_of("", 99'999).back()->object == "zone/a") {
    history.happened(Action::ZoneChanged, "zone/b", "Normal to FullDisruption", start);
  }
  ASSERT_EQ(history.last_of("", 99'999).back()->object, "node/node-1");
  history.answered(a_node, NodePart::Spec, std::nullopt);
  EXPECT_EQ(history.last_of("node/node-1", 1).front()->outcome, Outcome::Taken);
}

TEST(History, RefusalKeepsTheServersWords) {
  History history;
  history.decided(eviction(true), start);
  history.answered(Action::DeletePod, a_pod,
                   Error{.fault = Fault::Forbidden, .path = "webhook \"keep\" denied it"});
  const PastAction* refusal = history.last_refusal("pod/shop/web", Action::DeletePod);
  ASSERT_NE(refusal, nullptr);
  EXPECT_EQ(refusal->why, "webhook \"keep\" denied it");
  EXPECT_EQ(history.last_refusal("pod/shop/web", Action::MarkForDeletion), nullptr);
}

TEST(History, StatusAndTaintsOfANodeAreAnsweredEachForItself) {
  History history;
  MarkSilent mark;
  mark.node = a_node;
  history.decided(mark, start);
  history.decided(taints_of(a_node, "k:NoSchedule"), start);
  history.answered(a_node, NodePart::Status, std::nullopt);
  const auto actions = history.last_of("node/node-1", 9);
  ASSERT_THAT(actions, SizeIs(2));
  EXPECT_EQ(actions[0]->outcome, Outcome::UnderWay) << "the taints";
  EXPECT_EQ(actions[1]->outcome, Outcome::Taken) << "the status";
}

TEST(History, TellsTheNewestFirstAndOfOneObjectOnlyWhatIsAboutIt) {
  History history;
  history.decided(eviction(false), start);
  history.happened(Action::NodeCameBack, History::of_node("node-1"), {}, start + 1s);
  history.decided(eviction(true), start + 2s);
  EXPECT_THAT(history.last_of("pod/shop/web", 9), SizeIs(2));
  EXPECT_EQ(history.last_of("pod/shop/web", 9).front()->action, Action::DeletePod);
  EXPECT_THAT(history.last_of("", 9), SizeIs(3));
  EXPECT_THAT(history.last_of("", 1), SizeIs(1));
  EXPECT_THAT(history.last_of("node/node-2", 9), IsEmpty());
}

TEST(History, ReadsAreNotRemembered) {
  History history;
  history.decided(ReadNode{.node = a_node}, start);
  history.decided(ReadLeases{.nodes = {"node-1"}}, start);
  EXPECT_EQ(history.size(), 0U);
}

TEST(History, NeverTakesMoreThanItsBytesWhateverIsRemembered) {
  History history;
  for (int i = 0; i < 10'000; ++i) {
    const NodeRef one{.name = "node-" + std::to_string(i) + std::string(200, 'x'), .uid = "uid"};
    history.decided(taints_of(one, std::string(1000, 'k')), start);
    history.answered(one, NodePart::Spec,
                     Error{.fault = Fault::Forbidden, .path = std::string(1000, 'w')});
    ASSERT_LE(history.bytes(), History::bytes_max_default + 1024);
  }
  EXPECT_GT(history.size(), 1000U);
}

TEST(History, AnswerToWhatWasForgottenMeanwhileChangesNothing) {
  History history(2000);
  history.decided(taints_of(a_node, "k:NoExecute"), start);
  for (int i = 0; i < 100; ++i) {
    history.happened(Action::ZoneChanged, "zone/a", "Normal to FullDisruption", start);
  }
  history.answered(a_node, NodePart::Spec, std::nullopt);
  EXPECT_THAT(history.last_of("node/node-1", 9), IsEmpty());
  for (const PastAction* action : history.last_of("", 99))
    EXPECT_EQ(action->outcome, Outcome::Happened);
}

TEST(History, TextsOfOthersAreOneLineAndCut) {
  History history;
  history.decided(eviction(true), start);
  history.answered(Action::DeletePod, a_pod,
                   Error{.fault = Fault::Invalid, .path = "a\nb" + std::string(5000, 'c')});
  const std::string& why = history.last_refusal("pod/shop/web", Action::DeletePod)->why;
  EXPECT_THAT(why, HasSubstr("a b"));
  EXPECT_LT(why.size(), 300U);
}

}  // namespace
}  // namespace nlc::controller
