#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

/// The kubelet of b lives, that of a is dead from the beginning, when peace begins as well.
class DeadlineRulesTest : public RulesTest {
 protected:
  DeadlineRulesTest() { begin_with_peace(time_.now()); }

  void begin_with_peace(Instant from) { begin({.peace_begins = from, .marked_within = 2min}); }
  /// What is wrong when so much time has passed.
  std::string after(Duration span) {
    time_.run_for(span);
    renew("b");
    rules_->judge_deadlines();
    return rules_->broken() ? rules_->broken()->rule + ": " + rules_->broken()->what : "";
  }
  void put_ready_pod() {
    storage_.put(core_resource("pods"), "default/p",
                 {{"metadata", {{"name", "p"}, {"namespace", "default"}, {"uid", "uid-p"}}},
                  {"spec", {{"nodeName", "a"}}},
                  {"status", {{"conditions", {{{"type", "Ready"}, {"status", "True"}}}}}}});
  }
  void mark(const Json& taints) {
    put_node("a", "Unknown", taints);
    ASSERT_EQ(by_controller(), "");
  }

  const Json no_schedule = taint("node.kubernetes.io/unreachable", "NoSchedule");
};

TEST_F(DeadlineRulesTest, DeadNodeIsUnknownWithinItsTime) {
  EXPECT_EQ(after(119s), "");
  EXPECT_THAT(after(1s), ::testing::AllOf(::testing::StartsWith("in time: node a"),
                                          ::testing::HasSubstr("is not Unknown")));
}

TEST_F(DeadlineRulesTest, DeadNodeIsTaintedWithinItsTime) {
  EXPECT_EQ(after(1min), "");
  mark(Json::array());
  EXPECT_THAT(after(1min), ::testing::HasSubstr("lacks unreachable:NoSchedule"));
}

TEST_F(DeadlineRulesTest, PodsOfADeadNodeAreNotReadyWithinItsTime) {
  put_ready_pod();
  EXPECT_EQ(after(1min), "");
  mark(Json::array({no_schedule}));
  EXPECT_THAT(after(1min), ::testing::HasSubstr("pod default/p is still Ready on a"));
}

TEST_F(DeadlineRulesTest, WhatIsDoneInTimeIsRight) {
  EXPECT_EQ(after(1min), "");
  mark(Json::array({no_schedule}));
  EXPECT_EQ(after(1min), "");
  EXPECT_EQ(after(10min), "");
}

TEST_F(DeadlineRulesTest, ItsTimeBeginsWithPeaceAndWithItsLastHeartbeat) {
  begin_with_peace(time_.now() + 1min);
  EXPECT_EQ(after(2min), "");
  renew("a");
  EXPECT_EQ(after(90s), "");
  EXPECT_NE(after(30s), "");
}

TEST_F(DeadlineRulesTest, PodThatIsToStayReadyIsNotLate) {
  begin({.holds_pods_ready = true, .peace_begins = time_.now(), .marked_within = 2min});
  put_ready_pod();
  EXPECT_EQ(after(1min), "");
  mark(Json::array({no_schedule}));
  EXPECT_EQ(after(1min), "");
}

TEST_F(DeadlineRulesTest, WhereTroubleNeverEndsNothingIsLate) {
  begin_with_peace(Instant::max());
  EXPECT_EQ(after(1h), "");
}

TEST_F(DeadlineRulesTest, WhereAnOperatorPausesNothingIsLate) {
  say({{"pause", "all"}});
  EXPECT_EQ(after(1h), "");
}

TEST_F(DeadlineRulesTest, WhereNobodyJudgesNodesNothingIsLate) {
  begin({.judges_nodes = false, .peace_begins = time_.now(), .marked_within = 2min});
  EXPECT_EQ(after(1h), "");
}

TEST_F(DeadlineRulesTest, NodeThatIsGoneIsNotLate) {
  storage_.erase(core_resource("nodes"), "a");
  EXPECT_EQ(by_others(), "");
  EXPECT_EQ(after(1h), "");
}

/// A replica that was cut off when the backup was taken may never be told what it brings back.
class RestoredBehindACutTest : public DeadlineRulesTest {
 protected:
  RestoredBehindACutTest() {
    begin(
        {.restores = {.watched_across = true}, .peace_begins = time_.now(), .marked_within = 2min});
  }
  void put_another_pod_in_its_place() {
    delete_pod();
    put_pod("a", Json::array(), "uid-another");
    ASSERT_EQ(by_others(), "");
  }
};

TEST_F(RestoredBehindACutTest, WhereWhatWasDeletedComesBackNothingIsLate) {
  const Storage::Snapshot backup = storage_.snapshot();
  delete_pod();
  ASSERT_EQ(by_others(), "");
  restore(backup);
  EXPECT_EQ(after(1h), "");
}

TEST_F(RestoredBehindACutTest, WhereANodeThatWasDeletedComesBackNothingIsLate) {
  const Storage::Snapshot backup = storage_.snapshot();
  storage_.erase(core_resource("nodes"), "b");
  ASSERT_EQ(by_others(), "");
  time_.run_for(1s);
  restore(backup);
  EXPECT_EQ(after(1h), "");
}

TEST_F(RestoredBehindACutTest, PodDoesNotComeBackWhereAnotherHadItsNameBeforeTheBackup) {
  put_another_pod_in_its_place();
  restore(storage_.snapshot());
  EXPECT_THAT(after(2min), ::testing::HasSubstr("is not Unknown"));
}

TEST_F(RestoredBehindACutTest, PodComesBackAlsoWhereAnotherHasHadItsNameSinceTheBackup) {
  const Storage::Snapshot backup = storage_.snapshot();
  put_another_pod_in_its_place();
  restore(backup);
  EXPECT_EQ(after(1h), "");
}

}  // namespace
}  // namespace nlc::sim::rules
