#include "controller/pods/taint_eviction.h"

#include <functional>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "controller/rules/taints.h"
#include "tests/controller/eviction_answers.h"
#include "tests/controller/objects.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::IsEmpty;

/// One node with pods, observed by hand: `now` is whatever the test says.
class TaintEvictionTest : public ::testing::Test, private informer::StoreListener<api::Pod> {
 protected:
  TaintEvictionTest() {
    pods.set_listener(this);
    pods.replace({});
    nodes.replace({});
  }
  /// A process that has not read its first lists yet.
  struct New {};
  explicit TaintEvictionTest(New) { pods.set_listener(this); }

  void taint_node(std::vector<api::Taint> taints) {
    api::Node node = silent_node("n");
    node.taints = std::move(taints);
    node.conditions.front().last_transition = silent_since;
    const std::optional<api::Node> before = nodes.find("n");
    nodes.apply(node);
    eviction.node_stored(node, before ? &*before : nullptr, at());
  }
  void remove_node() {
    eviction.node_removed(*nodes.find("n"));
    nodes.remove("n");
  }
  void store(api::Pod pod) { pods.apply(std::move(pod)); }

  /// Pods that are to be deleted at this moment.
  std::vector<std::string> due() {
    std::vector<std::string> names;
    for (const EvictPod& decision : decisions()) names.push_back(decision.pod.name);
    return names;
  }
  std::vector<EvictPod> decisions() {
    client::Room room = client::Room::unlimited();
    std::vector<EvictPod> found;
    const auto agree = [](const std::string&) { return true; };
    for (const Decision& decision : eviction.due(now, room, agree)) {
      found.push_back(std::get<EvictPod>(decision));
    }
    return found;
  }
  std::vector<std::string> cancelled() {
    std::vector<std::string> names;
    for (const PodRef& pod : eviction.take_cancelled()) names.push_back(pod.name);
    return names;
  }
  Moment at() const {
    return {.now = now, .wall = noon + std::chrono::floor<std::chrono::microseconds>(now - start)};
  }

  Instant now = start;
  WallTime silent_since = noon - 24h;
  informer::Store<api::Node> nodes;
  informer::Store<api::NodeLease> leases;
  informer::Store<api::Pod> pods;
  informer::Index pods_by_node;
  TaintEviction eviction{
      View{.nodes = nodes, .leases = leases, .pods = pods, .pods_by_node = pods_by_node}, 1};

 private:
  void on_stored(Slot slot, const api::Pod& pod, const api::Pod* before) override {
    if (before == nullptr) pods_by_node.add(pod.node_name, slot);
    eviction.pod_stored(slot, pod, before, at());
  }
  void on_removed(Slot slot, const api::Pod& pod) override {
    pods_by_node.remove(pod.node_name, slot);
    eviction.pod_removed(slot, pod);
  }
  void on_synced() override {}
};

const std::vector<api::Toleration> ten_seconds{tolerates_for(taint::unreachable, 10),
                                               tolerates_for(taint::not_ready, 10)};

TEST_F(TaintEvictionTest, PodWithoutTolerationGoesAtOnce) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, EvictionThatWasNeverSentIsWishedForAgainFromItsBeginning) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const std::vector<EvictPod> first = decisions();
  ASSERT_THAT(first, ::testing::SizeIs(1));
  EXPECT_THAT(due(), IsEmpty());
  eviction.not_sent(first[0].pod, now);
  const std::vector<EvictPod> again = decisions();
  ASSERT_THAT(again, ::testing::SizeIs(1));
  EXPECT_TRUE(again[0].first);
  EXPECT_FALSE(again[0].marked);
}

TEST_F(TaintEvictionTest, TaintsOfOtherEffectsEvictNobody) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoSchedule")});
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_EQ(eviction.next_due(Instant::min()), std::nullopt);
}

TEST_F(TaintEvictionTest, TolerationCountsFromTheFirstSightOfTheTaint) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 10s - 1ns;
  EXPECT_THAT(due(), IsEmpty());
  now += 1ns;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, TaintWrittenAgainDoesNotStartTheWaitAnew) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute", noon)});
  now += 9s;
  taint_node({a_taint(taint::unreachable, "NoExecute", noon + 9s)});
  now += 1s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, SwapOfTheTwoOutageTaintsKeepsTheRunningTimer) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::not_ready, "NoExecute")});
  now += 9s;
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(cancelled(), IsEmpty());
  now += 1s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, OutageTaintThatStaysWhenTheOtherGoesKeepsItsOwnTime) {
  store(pod_on("n", "a",
               {tolerates_for(taint::not_ready, 1000), tolerates_for(taint::unreachable, 300)}));
  const api::Taint not_ready = a_taint(taint::not_ready, "NoExecute");
  const api::Taint unreachable = a_taint(taint::unreachable, "NoExecute");
  taint_node({not_ready});
  now += 40s;
  taint_node({not_ready, unreachable});
  now += 10s;
  taint_node({unreachable});
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 340s);
}

TEST_F(TaintEvictionTest, SwapStartsTheWaitOfThoseWhoToleratedTheOtherForEver) {
  store(pod_on("n", "a", {tolerates_for(taint::not_ready, std::nullopt), ten_seconds.front()}));
  taint_node({a_taint(taint::not_ready, "NoExecute")});
  now += 1h;
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_EQ(eviction.next_due(Instant::min()), now + 10s);
}

TEST_F(TaintEvictionTest, AnotherValueStartsTheWaitOfThoseWhoToleratedTheFormerForEver) {
  api::Toleration draining = tolerates_for("state", std::nullopt);
  draining.operator_ = "Equal";
  draining.value = "draining";
  store(pod_on("n", "a", {draining, tolerates_for("state", 60)}));
  api::Taint state = a_taint("state", "NoExecute");
  state.value = "draining";
  taint_node({state});
  now += 1h;
  state.value = "gone";
  taint_node({state});
  EXPECT_EQ(eviction.next_due(Instant::min()), now + 60s);
}

TEST_F(TaintEvictionTest, RecoveryCancelsAndSaysSoOnce) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 5s;
  taint_node({});
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("a"));
  now += 1h;
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_THAT(cancelled(), IsEmpty());
}

TEST_F(TaintEvictionTest, EditedTolerationMovesTheDeadlineBothWays) {
  api::Pod pod = pod_on("n", "a", {tolerates_for(taint::unreachable, 100)});
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 20s;
  pod.tolerations = {tolerates_for(taint::unreachable, 30)};
  pod.resource_version = "2";
  store(pod);
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 30s);
  pod.tolerations = {tolerates_for(taint::unreachable, 200)};
  pod.resource_version = "3";
  store(pod);
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 200s);
}

TEST_F(TaintEvictionTest, RemovalOfTheShorterToleratedTaintMovesTheDeadlineOut) {
  store(pod_on("n", "a", {tolerates_for("long", 100), tolerates_for("short", 10)}));
  taint_node({a_taint("long", "NoExecute"), a_taint("short", "NoExecute")});
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 10s);
  now += 5s;
  taint_node({a_taint("long", "NoExecute")});
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 100s);
}

TEST_F(TaintEvictionTest, PodThatComesToATaintedNodeHasItsWholeToleration) {
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 1h;
  store(pod_on("n", "late", ten_seconds));
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 1h + 10s);
  store(pod_on("n", "intolerant"));
  EXPECT_THAT(due(), ::testing::ElementsAre("intolerant"));
}

class InheritedTaintTest : public TaintEvictionTest {
 protected:
  InheritedTaintTest() : TaintEvictionTest(New{}) {}
  /// The first lists are complete.
  void sync() {
    std::vector<api::Node> listed;
    nodes.each([&](Slot, const api::Node& node) { listed.push_back(node); });
    nodes.replace(listed);
    std::vector<api::Pod> pods_listed;
    pods.each([&](Slot, const api::Pod& pod) { pods_listed.push_back(pod); });
    pods.replace(pods_listed);
  }
  std::optional<Instant> next_due() { return eviction.next_due(Instant::min()); }

  const std::vector<api::Toleration> five_minutes{tolerates_for(taint::unreachable, 300)};
};

TEST_F(InheritedTaintTest, CountsFromItsTimeWhereClocksAreProvenClose) {
  store(pod_on("n", "a", five_minutes));
  eviction.trust_wall_clock(true, at());
  taint_node({a_taint(taint::unreachable, "NoExecute", noon - 200s)});
  EXPECT_EQ(next_due(), start + 101s);  // the written second may be almost over
}

TEST_F(InheritedTaintTest, IsNotOlderThanTheConditionThatItStandsFor) {
  silent_since = noon - 100s;
  store(pod_on("n", "a", five_minutes));
  eviction.trust_wall_clock(true, at());
  taint_node({a_taint(taint::unreachable, "NoExecute", noon - 1h)});
  EXPECT_EQ(next_due(), start + 201s);
}

TEST_F(InheritedTaintTest, CountsFromItsTimeAlsoWhenClocksAreProvenCloseOnlyAfterwards) {
  store(pod_on("n", "a", five_minutes));
  taint_node({a_taint(taint::unreachable, "NoExecute", noon - 200s)});
  sync();
  eviction.trust_wall_clock(true, at());
  EXPECT_EQ(next_due(), start + 101s);
}

TEST_F(InheritedTaintTest, IsNotBelievedFromAClockThatMayBeOff) {
  store(pod_on("n", "a", five_minutes));
  taint_node({a_taint(taint::unreachable, "NoExecute", noon - 200s)});
  EXPECT_EQ(next_due(), start + 300s);
}

TEST_F(InheritedTaintTest, IsNotBelievedFromTheFuture) {
  store(pod_on("n", "a", five_minutes));
  eviction.trust_wall_clock(true, at());
  taint_node({a_taint(taint::unreachable, "NoExecute", noon + 1h)});
  EXPECT_EQ(next_due(), start + 300s);
}

TEST_F(InheritedTaintTest, OfTheLastYearThereIsIsBorne) {
  store(pod_on("n", "a", five_minutes));
  eviction.trust_wall_clock(true, at());
  taint_node({a_taint(taint::unreachable, "NoExecute", parse_rfc3339("9999-12-31T23:59:59Z"))});
  EXPECT_EQ(next_due(), start + 300s);
}

TEST_F(InheritedTaintTest, OfTheFirstYearThereIsIsBorne) {
  store(pod_on("n", "a", five_minutes));
  eviction.trust_wall_clock(true, at());
  taint_node({a_taint(taint::unreachable, "NoExecute", parse_rfc3339("0001-01-01T00:00:00Z"))});
  EXPECT_LT(next_due(), start);
}

TEST_F(InheritedTaintTest, PodThatCameLaterThanItCountsFromItsOwnComing) {
  api::Pod late = pod_on("n", "late", five_minutes);
  late.bound = noon - 100s;
  store(late);
  eviction.trust_wall_clock(true, at());
  taint_node({a_taint(taint::unreachable, "NoExecute", noon - 1h)});
  EXPECT_EQ(next_due(), start + 201s);
}

TEST_F(InheritedTaintTest, TimeOfATaintThatAppearsWhileWeWatchIsNotBelieved) {
  store(pod_on("n", "a", five_minutes));
  taint_node({});
  sync();
  eviction.trust_wall_clock(true, at());
  now += 10s;
  taint_node({a_taint(taint::unreachable, "NoExecute", noon - 1h)});
  EXPECT_EQ(next_due(), start + 310s);
}

TEST_F(InheritedTaintTest, ClocksProvenCloseLaterSayNothingOfATaintThatWeSawCome) {
  store(pod_on("n", "a", five_minutes));
  taint_node({});
  sync();
  taint_node({a_taint(taint::unreachable, "NoExecute", noon - 1h)});
  eviction.trust_wall_clock(true, at());
  EXPECT_EQ(next_due(), start + 300s);
}

/// Nodes come by lists, between which nothing is seen.
class RelistedTaintTest : public TaintEvictionTest {
 protected:
  RelistedTaintTest() {
    nodes.set_listener(&listener_);
    store(pod_on("n", "a", ten_seconds));
  }
  void list_node(api::Taint taint) {
    api::Node node = silent_node("n");
    node.resource_version = std::to_string(++version_);
    node.taints = {std::move(taint)};
    node.conditions.front().last_transition = silent_since;
    nodes.replace({node});
  }
  std::optional<Instant> next_due() { return eviction.next_due(Instant::min()); }

 private:
  struct Listener : informer::StoreListener<api::Node> {
    explicit Listener(RelistedTaintTest& to) : test(to) {}
    void on_stored(Slot, const api::Node& node, const api::Node* before) override {
      test.eviction.node_stored(node, before, test.at());
    }
    void on_removed(Slot, const api::Node&) override {}
    void on_synced() override {}
    RelistedTaintTest& test;
  };
  Listener listener_{*this};
  int version_ = 0;
};

TEST_F(RelistedTaintTest, OfTheSameTimeGoesOn) {
  list_node(a_taint(taint::unreachable, "NoExecute", noon));
  now += 9s;
  list_node(a_taint(taint::unreachable, "NoExecute", noon));
  EXPECT_EQ(next_due(), start + 10s);
}

TEST_F(RelistedTaintTest, OfAnotherTimeMayBeAnotherTaintAndCountsFromNow) {
  list_node(a_taint(taint::unreachable, "NoExecute", noon));
  now += 9s;
  list_node(a_taint(taint::unreachable, "NoExecute", noon + 5s));
  EXPECT_EQ(next_due(), start + 19s);
}

TEST_F(RelistedTaintTest, CountsFromItsOtherTimeWhereClocksAreProvenClose) {
  eviction.trust_wall_clock(true, at());
  list_node(a_taint(taint::unreachable, "NoExecute", noon));
  now += 9s;
  list_node(a_taint(taint::not_ready, "NoExecute", noon + 5s));
  EXPECT_EQ(next_due(), start + 16s);  // the written second may be almost over
}

TEST_F(RelistedTaintTest, NeverCountsFromEarlierThanItDid) {
  eviction.trust_wall_clock(true, at());
  list_node(a_taint(taint::unreachable, "NoExecute", noon));
  now += 9s;
  list_node(a_taint(taint::unreachable, "NoExecute", noon - 1h));
  EXPECT_EQ(next_due(), start + 10s);
}

TEST_F(TaintEvictionTest, LatePodWhoseEndlessTolerationGetsAnEndCountsFromItsComing) {
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 1h;
  api::Pod late = pod_on("n", "late", {tolerates_for(taint::unreachable, std::nullopt)});
  store(late);
  EXPECT_EQ(eviction.pending().waiting(), 0U);
  now += 10s;
  late.tolerations = {tolerates_for(taint::unreachable, 60)};
  late.resource_version = "2";
  store(late);
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 1h + 60s);
}

TEST_F(TaintEvictionTest, NodeThatSaysReadyEvictsNobodyForTheTaintsOfItsCondition) {
  store(pod_on("n", "a"));
  api::Node ready = ready_node("n");
  ready.taints = {a_taint(taint::unreachable, "NoExecute"), a_taint(taint::not_ready, "NoExecute")};
  nodes.apply(ready);
  eviction.node_stored(ready, nullptr, at());
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TaintEvictionTest, NodeThatSaysReadyEvictsForTheTaintsOfOthersAllTheSame) {
  store(pod_on("n", "a"));
  api::Node ready = ready_node("n");
  ready.taints = {a_taint("maintenance", "NoExecute")};
  nodes.apply(ready);
  eviction.node_stored(ready, nullptr, at());
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, NobodyLeavesForANodesConditionWhileThatIsInDoubtAndOthersDo) {
  client::Room room = client::Room::unlimited();
  std::vector<std::string> asked;
  const MayEvict refuse = [&](const std::string& node) {
    asked.push_back(node);
    return false;
  };
  store(pod_on("n", "a", {tolerates_for("maintenance", 10)}));
  taint_node({a_taint(taint::unreachable, "NoExecute"), a_taint("maintenance", "NoExecute")});
  EXPECT_THAT(eviction.due(now, room, refuse), IsEmpty());
  EXPECT_THAT(asked, ::testing::ElementsAre("n"));
  EXPECT_THAT(eviction.due(now, room, nullptr), IsEmpty()) << "held";
  now += 10s;
  EXPECT_EQ(eviction.due(now, room, nullptr).size(), 1U) << "somebody else's taint is due as well";
}

TEST_F(TaintEvictionTest, NobodyLeavesForWhateverTaintBeforeTheNodeWasReadSinceHeWasDue) {
  client::Room room = client::Room::unlimited();
  std::optional<Instant> read_since;
  bool confirmed = false;
  const EvictionHold hold{.confirmed = [&](const std::string&, Instant since) {
    read_since = since;
    return confirmed;
  }};
  store(pod_on("n", "a", {tolerates_for("maintenance", 10)}));
  taint_node({a_taint("maintenance", "NoExecute")});
  now += 11s;
  EXPECT_THAT(eviction.due(now, room, nullptr, hold), IsEmpty());
  EXPECT_EQ(read_since, now - 1s);
  confirmed = true;
  EXPECT_THAT(eviction.due(now, room, nullptr, hold), ::testing::SizeIs(1));
}

/// What was read before that may have shown the taint, which is gone since.
TEST_F(TaintEvictionTest, WhoLeavesForATaintOfOthersIsConfirmedByAReadSinceThatWasDue) {
  client::Room room = client::Room::unlimited();
  std::optional<Instant> read_since;
  const EvictionHold hold{.confirmed = [&](const std::string&, Instant since) {
    read_since = since;
    return false;
  }};
  const MayEvict agree = [](const std::string&) { return true; };
  store(pod_on("n", "a", {tolerates_for("maintenance", 10)}));
  taint_node({a_taint(taint::unreachable, "NoExecute"), a_taint("maintenance", "NoExecute")});
  EXPECT_THAT(eviction.due(now, room, agree, hold), IsEmpty());
  EXPECT_EQ(read_since, start);
  now += 10s;
  EXPECT_THAT(eviction.due(now, room, agree, hold), IsEmpty());
  EXPECT_EQ(read_since, start + 10s);
}

TEST_F(TaintEvictionTest, EvictionIsAConditionAndThenADeletion) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const std::vector<EvictPod> mark = decisions();
  ASSERT_EQ(mark.size(), 1U);
  EXPECT_TRUE(mark[0].first);
  EXPECT_FALSE(mark[0].marked);
  eviction.marked(mark[0].pod, now);
  const std::vector<EvictPod> deletion = decisions();
  ASSERT_EQ(deletion.size(), 1U);
  EXPECT_FALSE(deletion[0].first);
  EXPECT_TRUE(deletion[0].marked);
}

TEST_F(TaintEvictionTest, DeletionFollowsAMarkThatIsRefusedForGoodOrNotAnswered) {
  for (const Fault fault : {Fault::Forbidden, Fault::Invalid, Fault::Timeout}) {
    store(pod_on("n", "a"));
    taint_node({a_taint(taint::unreachable, "NoExecute")});
    eviction.not_marked(decisions().at(0).pod, {.fault = fault}, now);
    const std::vector<EvictPod> next = decisions();
    ASSERT_EQ(next.size(), 1U) << name_of(fault);
    EXPECT_TRUE(next[0].marked) << name_of(fault);
    pods.remove("default/a");
  }
}

TEST_F(TaintEvictionTest, DeletionFollowsAMarkThatFailsASecondTime) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  eviction.not_marked(decisions().at(0).pod, {.fault = Fault::Unavailable}, now);
  EXPECT_THAT(due(), IsEmpty()) << "not without a pause";
  now += 1s;
  const std::vector<EvictPod> again = decisions();
  ASSERT_EQ(again.size(), 1U);
  EXPECT_FALSE(again[0].marked);
  eviction.not_marked(again[0].pod, {.fault = Fault::Unavailable}, now);
  const std::vector<EvictPod> deletion = decisions();
  ASSERT_EQ(deletion.size(), 1U);
  EXPECT_TRUE(deletion[0].marked);
}

TEST_F(TaintEvictionTest, NoDeletionFollowsAMarkOfAPodThatIsGoneOrOfWhoDoesNotLead) {
  for (const Fault fault : {Fault::NotFound, Fault::NotLeading}) {
    store(pod_on("n", "a"));
    taint_node({a_taint(taint::unreachable, "NoExecute")});
    for (int times = 0; times < 3; ++times) {
      const std::vector<EvictPod> mark = decisions();
      ASSERT_EQ(mark.size(), 1U) << name_of(fault);
      EXPECT_FALSE(mark[0].marked) << name_of(fault);
      eviction.not_marked(mark[0].pod, {.fault = fault}, now);
      EXPECT_THAT(due(), IsEmpty());
      now += 1min;
    }
    pods.remove("default/a");
  }
}

TEST_F(TaintEvictionTest, AnswerThatNobodyWaitsForChangesNothing) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  answer_all(eviction, ref_of(pod), now);
  answer_all(eviction, ref_of(pod_on("n", "nobody")), now);
  const std::vector<EvictPod> mark = decisions();
  ASSERT_EQ(mark.size(), 1U);
  EXPECT_TRUE(mark[0].first);
  EXPECT_FALSE(mark[0].marked);
  PodRef another = ref_of(pod);
  another.uid = "another";
  answer_all(eviction, another, now);
  EXPECT_THAT(due(), IsEmpty()) << "the pod's own is on its way";
}

TEST_F(TaintEvictionTest, MarkThatWasWrittenBeforeUsIsOursIfItSaysTheSame) {
  const auto marked = [this](const char* reason, const char* message) {
    api::Pod pod = pod_on("n", "a");
    pod.disruption_target = api::PodCondition{
        .status = api::ConditionStatus::True, .reason = reason, .message = message};
    store(pod);
    taint_node({a_taint(taint::unreachable, "NoExecute")});
    const bool is_marked = decisions().at(0).marked;
    pods.remove("default/a");
    return is_marked;
  };
  constexpr const char* ours = "Taint manager: deleting due to NoExecute taint";
  EXPECT_TRUE(marked("DeletionByTaintManager", ours));
  EXPECT_FALSE(marked("DeletionByTaintManager", "another"));
  EXPECT_FALSE(marked("PreemptionByScheduler", ours));
}

TEST_F(TaintEvictionTest, TaintOfAnotherNodeOfThatNameCountsFromItsOwnSight) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 9s;
  const api::Node before = *nodes.find("n");
  api::Node another = before;
  another.uid = "another";
  nodes.apply(another);
  eviction.node_stored(another, &before, at());
  EXPECT_EQ(eviction.next_due(Instant::min()), now + 10s);
}

TEST_F(TaintEvictionTest, PodThatIsHeldIsAskedAboutAgainWhenThatIsOver) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  client::Room room = client::Room::unlimited();
  const auto agree = [](const std::string&) { return true; };
  std::vector<EvictionStep> left;
  const EvictionHold hold{.until = [this](const PodDue& pod) -> std::optional<Instant> {
                            EXPECT_EQ(pod.since, start);
                            return now < start + 1s ? std::optional(start + 1s) : std::nullopt;
                          },
                          .leaves = [&left](const PodDue& pod) { left.push_back(pod.step); }};
  EXPECT_THAT(eviction.due(now, room, agree, hold), IsEmpty());
  EXPECT_EQ(eviction.next_due(now), start + 1s);
  EXPECT_THAT(left, IsEmpty());
  now += 1s;
  EXPECT_THAT(eviction.due(now, room, agree, hold), ::testing::SizeIs(1));
  EXPECT_THAT(left, ::testing::ElementsAre(EvictionStep::Mark));
}

TEST_F(TaintEvictionTest, NodeThatComesBackBetweenTheTwoStepsKeepsItsPod) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const std::vector<EvictPod> mark = decisions();
  ASSERT_EQ(mark.size(), 1U);
  taint_node({});
  eviction.marked(mark[0].pod, now);
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, CancelThatMeetsTheDeletionOnItsWayIsToldAsThat) {
  store(pod_on("n", "a"));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  eviction.marked(decisions().at(0).pod, now);
  ASSERT_EQ(decisions().size(), 1U);
  taint_node({});
  EXPECT_THAT(cancelled(), IsEmpty());
  const std::vector<PodRef> overtaken = eviction.take_overtaken();
  ASSERT_EQ(overtaken.size(), 1U);
  EXPECT_EQ(overtaken[0].name, "a");
}

TEST_F(TaintEvictionTest, TimerThatSomebodyElsesDeletionOvertakesIsToldToBeCancelled) {
  api::Pod terminating = pod_on("n", "terminating", ten_seconds);
  store(terminating);
  store(pod_on("n", "gone", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  terminating.resource_version = "2";
  terminating.deleting = true;
  store(terminating);
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("terminating"));
  pods.remove("default/terminating");
  pods.remove("default/gone");
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("gone"));
}

TEST_F(TaintEvictionTest, DeletionThatWasAcceptedAndIsNotSeenIsAskedForAgain) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  ASSERT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.evicted(ref_of(pod), now);
  now += 59s;
  EXPECT_THAT(due(), IsEmpty());
  now += 1s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, DeletionThatARestoredServerForgotIsAskedForSoon) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  ASSERT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.evicted(ref_of(pod), now);
  eviction.doubt_accepted(now);
  now += 100ms;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, TerminatingAndFinishedPodsAreLeftAlone) {
  api::Pod terminating = pod_on("n", "terminating");
  terminating.deleting = true;
  api::Pod finished = pod_on("n", "finished");
  finished.finished = true;
  store(terminating);
  store(finished);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TaintEvictionTest, FailedEvictionIsWishedAgainUntilItSucceeds) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  for (int i = 0; i < 20; ++i) {
    EXPECT_THAT(due(), ::testing::ElementsAre("a"));
    eviction.refused(ref_of(pod), {.fault = Fault::Unavailable}, now);
    EXPECT_THAT(due(), IsEmpty());  // not before its back-off
    now += 15s;
  }
}

TEST_F(TaintEvictionTest, DeletionNamesTheVersionThatItWasDecidedOn) {
  api::Pod pod = pod_on("n", "a");
  pod.resource_version = "7";
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const std::vector<EvictPod> evictions = decisions();
  ASSERT_THAT(evictions, ::testing::SizeIs(1));
  EXPECT_EQ(evictions[0].resource_version, "7");
}

TEST_F(TaintEvictionTest, PodThatHadChangedGoesAtOnceInWhateverVersionItIsByThenForTenSeconds) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const Error conflict{.fault = Fault::Conflict};
  const auto version = [this] {
    const std::vector<EvictPod> evictions = decisions();
    return evictions.empty() ? "none" : evictions[0].resource_version;
  };
  EXPECT_EQ(version(), pod.resource_version);
  EXPECT_FALSE(eviction.refused(ref_of(pod), conflict, now)) << "that is no trouble";
  EXPECT_EQ(version(), "");
  EXPECT_TRUE(eviction.refused(ref_of(pod), conflict, now)) << "it was no version that was refused";
  EXPECT_EQ(version(), "none") << "not before its back-off";
  now += 10s;
  EXPECT_EQ(version(), "");
  eviction.refused(ref_of(pod), {.fault = Fault::Unavailable}, now);
  now += 10s;
  EXPECT_EQ(version(), pod.resource_version);
}

TEST_F(TaintEvictionTest, TolerationThatWasAddedUnseenIsFoundByTheConflictAndKeepsThePod) {
  api::Pod pod = pod_on("n", "a", ten_seconds);
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  now += 10s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.marked(ref_of(pod), now);
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.refused(ref_of(pod), {.fault = Fault::Conflict}, now);
  pod.resource_version = "2";
  pod.tolerations = {tolerates_for(taint::unreachable, std::nullopt)};
  store(pod);
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("a"));
  EXPECT_THAT(eviction.take_overtaken(), IsEmpty()) << "its deletion was refused";
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TaintEvictionTest, RetryAfterOfTheServerIsWaitedOut) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.refused(ref_of(pod), {.fault = Fault::Throttled, .retry_after = 7s}, now);
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 7s);
}

TEST_F(TaintEvictionTest, AcceptedEvictionIsNotRepeatedWhileThePodLingers) {
  api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.evicted(ref_of(pod), now);
  taint_node({a_taint(taint::unreachable, "NoExecute"), a_taint("more", "NoExecute")});
  pod.resource_version = "2";
  pod.disruption_target = api::PodCondition{.status = api::ConditionStatus::True};
  store(pod);
  now += 59s;
  EXPECT_THAT(due(), IsEmpty());
  pod.resource_version = "3";
  pod.deleting = true;
  store(pod);
  now += 1h;
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TaintEvictionTest, NewPodOfTheSameNameIsJudgedByItself) {
  api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.evicted(ref_of(pod), now);
  api::Pod successor = pod_on("n", "a", ten_seconds);
  successor.uid = "another";
  successor.resource_version = "9";
  store(successor);
  EXPECT_THAT(due(), IsEmpty());
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 10s);
}

TEST_F(TaintEvictionTest, TimerOfADeletedNodeGoesOn) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  remove_node();
  now += 10s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

/// It may have been well before it went.
TEST_F(TaintEvictionTest, TimerOfANodeThatAListDoesNotShowEnds) {
  struct Listed final : informer::StoreListener<api::Node> {
    void on_stored(Slot, const api::Node&, const api::Node*) override {}
    void on_removed(Slot, const api::Node&) override {}
    void on_synced() override { told(); }
    std::function<void()> told;
  } listed;
  listed.told = [this] { eviction.listed(now); };
  nodes.set_listener(&listed);
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  nodes.replace({*nodes.find("n")});
  eviction.listed(now);  // some other list
  EXPECT_THAT(cancelled(), IsEmpty());
  remove_node();
  eviction.listed(now);
  EXPECT_THAT(cancelled(), IsEmpty());
  nodes.replace({});
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("a"));
  now += 1h;
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TaintEvictionTest, NodeThatIsMadeAnewWithoutTaintsKeepsItsPods) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  remove_node();
  taint_node({});
  EXPECT_THAT(cancelled(), ::testing::ElementsAre("a"));
  now += 1h;
  EXPECT_THAT(due(), IsEmpty());
}

TEST_F(TaintEvictionTest, EvictionThatFailsAfterItsNodeWasDeletedIsTriedAgain) {
  const api::Pod pod = pod_on("n", "a");
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  remove_node();
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
  eviction.refused(ref_of(pod), {.fault = Fault::Unavailable}, now);
  now += 15s;
  EXPECT_THAT(due(), ::testing::ElementsAre("a"));
}

TEST_F(TaintEvictionTest, TolerationEditedAfterItsNodeWasDeletedChangesNothing) {
  api::Pod pod = pod_on("n", "a", ten_seconds);
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  remove_node();
  pod.tolerations = {tolerates_for(taint::unreachable, 100)};
  pod.resource_version = "2";
  store(pod);
  EXPECT_EQ(eviction.next_due(Instant::min()), start + 10s);
}

TEST_F(TaintEvictionTest, PodThatVanishesTakesItsTimerAlong) {
  store(pod_on("n", "a", ten_seconds));
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  pods.remove("default/a");
  EXPECT_EQ(eviction.pending().waiting(), 0U);
}

TEST_F(TaintEvictionTest, DisruptionTargetOfSomebodyElseKeepsItsTransitionTime) {
  api::Pod pod = pod_on("n", "a");
  pod.disruption_target = api::PodCondition{.status = api::ConditionStatus::True,
                                            .reason = "PreemptionByScheduler",
                                            .last_transition = noon - 1min};
  store(pod);
  taint_node({a_taint(taint::unreachable, "NoExecute")});
  const std::vector<EvictPod> marks = decisions();
  ASSERT_EQ(marks.size(), 1U);
  EXPECT_FALSE(marks[0].marked);
  EXPECT_EQ(marks[0].target_since, noon - 1min);
}

}  // namespace
}  // namespace nlc::controller
