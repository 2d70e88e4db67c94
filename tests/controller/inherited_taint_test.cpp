#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/controller/tainted_node.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::IsEmpty;

class InheritedTaintTest : public TaintedNode {
 protected:
  InheritedTaintTest() : TaintedNode(New{}) {}
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
class RelistedTaintTest : public TaintedNode {
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

}  // namespace
}  // namespace nlc::controller
