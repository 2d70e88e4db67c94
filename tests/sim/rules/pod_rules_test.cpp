#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

TEST_F(RulesTest, PodGoesByTimeoutWhenItsNodeHasBeenSilentForSoLongAndNotBefore) {
  begin({.pod_timeout = 1min});
  renew("a");
  time_.run_for(50s);
  put_node("a", "Unknown");
  EXPECT_EQ(by_controller(), "");
  time_.run_for(9s);
  delete_pod();
  EXPECT_EQ(by_controller(), "timeouts");
  put_pod("a", Json::array());
  begin({.pod_timeout = 1min});
  time_.run_for(1min);
  delete_pod();
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, PodThatWasOnItsWayByTimeoutWhenItsKubeletWasHeardAgainMayGo) {
  for (const Duration ago : {under_way, under_way + 1s}) {
    put_pod("a", Json::array());
    begin({.pod_timeout = 1min});
    renew("a");
    time_.run_for(61s);
    put_node("a", "Unknown");
    EXPECT_EQ(by_controller(), "");
    renew("a");
    renew("a");  // by lease and status at once
    time_.run_for(ago);
    delete_pod();
    EXPECT_EQ(by_controller(), ago == under_way ? "" : "timeouts");
    put_node("a", "True");
  }
}

TEST_F(RulesTest, NodeThatIsNotReadyBeforeAndAfterARestoreIsSoSinceBefore) {
  begin({.pod_timeout = 1min});
  put_node("a", "False");
  (void)by_others();
  time_.run_for(30s);
  renew("a");
  restore(storage_.snapshot());
  renew("a");
  time_.run_for(30s);
  delete_pod();
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, NoNodeIsGivenANoExecuteTaintWhereTimeoutsCount) {
  begin({.pod_timeout = 1min});
  time_.run_for(50s);
  put_node("a", "Unknown", Json::array({unreachable}));
  EXPECT_EQ(by_controller(), "timeouts");
}

TEST_F(RulesTest, PodOfANodeThatIsReadyIsNotToBeDeleted) {
  put_node("a", "True", Json::array({unreachable}));
  (void)by_others();
  time_.run_for(1min);
  delete_pod();
  EXPECT_EQ(by_controller(), "ready");
}

TEST_F(RulesTest, PodMayGoForATaintThatWentAMomentAgoAndIsThereAgain) {
  for (const Duration ago : {under_way, under_way + 1s}) {
    put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 60}}}));
    put_node("b", "True");
    put_node("a", "Unknown", Json::array({unreachable}));
    (void)by_others();
    time_.run_for(2min);
    put_node("a", "Unknown");
    put_node("a", "Unknown", Json::array({unreachable}));
    (void)by_others();
    time_.run_for(ago);
    delete_pod();
    EXPECT_EQ(by_controller(), ago == under_way ? "" : "tolerations");
  }
}

/// A deletion that hung may land just after the taint that it was for was taken off.
TEST_F(RulesTest, PodOfAReadyNodeMayGoForATaintOfOthersThatStoodUntilAMomentAgo) {
  put_node("a", "True", Json::array({taint("example.com/drained", "NoExecute")}));
  (void)by_others();
  time_.run_for(1min);
  put_node("a", "True");
  (void)by_others();
  time_.run_for(under_way - 1s);
  delete_pod();
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, PodOfAReadyNodeStaysOnceATaintOfOthersIsLongGone) {
  put_node("a", "True", Json::array({taint("example.com/drained", "NoExecute")}));
  (void)by_others();
  put_node("a", "True", Json::array({unreachable}));
  (void)by_others();
  time_.run_for(under_way + 1s);
  delete_pod();
  EXPECT_EQ(by_controller(), "ready");
}

TEST_F(RulesTest, PodThatToleratesWhatStandsMayGoForATaintOfOthersThatStoodUntilAMomentAgo) {
  put_pod("a", Json::array({{{"key", unreachable["key"]}, {"operator", "Exists"}}}));
  put_node("a", "Unknown", Json::array({unreachable, taint("example.com/drained", "NoExecute")}));
  (void)by_others();
  put_node("a", "Unknown", Json::array({unreachable}));
  (void)by_others();
  time_.run_for(under_way - 1s);
  delete_pod();
  EXPECT_EQ(by_controller(), "");
  put_pod("a", Json::array({{{"operator", "Exists"}}}));
  (void)by_others();
  time_.run_for(2s);
  delete_pod();
  EXPECT_EQ(by_controller(), "tolerations");
}

TEST_F(RulesTest, PodThatToleratesEverythingStaysThoughATaintOfOthersStoodUntilAMomentAgo) {
  put_pod("a", Json::array({{{"operator", "Exists"}}}));
  put_node("a", "Unknown", Json::array({unreachable, taint("example.com/drained", "NoExecute")}));
  (void)by_others();
  put_node("a", "Unknown", Json::array({unreachable}));
  (void)by_others();
  time_.run_for(1s);
  delete_pod();
  EXPECT_EQ(by_controller(), "tolerations");
}

TEST_F(RulesTest, PodOfANodeWithoutATaintIsNotToBeDeleted) {
  put_node("a", "Unknown");
  (void)by_others();
  time_.run_for(1min);
  delete_pod();
  EXPECT_EQ(by_controller(), "tolerations");
}

TEST_F(RulesTest, PodGoesWhenItsTolerationHasRunOutAndNotBefore) {
  put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 30}}}));
  put_node("a", "Unknown", Json::array({unreachable}));
  (void)by_others();
  time_.run_for(30s);
  delete_pod();
  EXPECT_EQ(by_controller(), "");
  put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 60}}}));
  (void)by_others();
  time_.run_for(10s);
  delete_pod();
  EXPECT_EQ(by_controller(), "tolerations");
}

TEST_F(RulesTest, TaintWhoseWriteWasSlowIsToleratedFromItsTimeAddedOn) {
  Json slow = unreachable;
  slow["timeAdded"] = "2026-01-01T12:00:00Z";
  put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 30}}}));
  (void)by_others();
  time_.run_for(50s);
  renew("b");
  put_node("a", "Unknown", Json::array({slow}));
  ASSERT_EQ(by_controller(), "");
  time_.run_for(17s);
  delete_pod();
  EXPECT_EQ(by_controller(), "") << "13 s at most";
}

TEST_F(RulesTest, TaintIsNotToleratedForLongerThanItsWriteCanHaveBeenOnItsWay) {
  Json old = unreachable;
  old["timeAdded"] = "2026-01-01T12:00:00Z";
  put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 30}}}));
  (void)by_others();
  time_.run_for(50s);
  put_node("a", "Unknown", Json::array({old}));
  (void)by_others();
  time_.run_for(30s - arrival - 2s);
  delete_pod();
  EXPECT_EQ(by_controller(), "tolerations");
}

TEST_F(RulesTest, TaintThatStandsBeforeAndAfterARestoreHasStoodAllTheTimeAlsoWithoutATimeAdded) {
  put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 60}}}));
  put_node("a", "Unknown", Json::array({taint("example.com/drained", "NoExecute")}));
  (void)by_others();
  time_.run_for(30s);
  restore(storage_.snapshot());
  time_.run_for(30s);
  delete_pod();
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, TaintThatComesBackWithABackupStandsSinceThen) {
  put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 60}}}));
  put_node("a", "Unknown", Json::array({taint("example.com/drained", "NoExecute")}));
  (void)by_others();
  const Storage::Snapshot backup = storage_.snapshot();
  put_node("a", "Unknown");
  (void)by_others();
  time_.run_for(40s);
  restore(backup);
  time_.run_for(40s);
  delete_pod();
  EXPECT_EQ(by_controller(), "tolerations");
}

TEST_F(RulesTest, PodIsNotDeletedJustAfterAnOutageWhenItsNodeThenSaysThatItIsReady) {
  const Instant now = time_.now();
  begin({.outages = {{.from = now + 10s, .until = now + 40s}}});
  put_node("a", "Unknown", Json::array({unreachable}));
  (void)by_others();
  time_.run_for(41s);
  delete_pod();
  EXPECT_EQ(by_controller(), "") << "it may be dead";
  time_.run_for(8s);
  put_node("a", "True", Json::array({unreachable}));
  EXPECT_EQ(by_others(), "ready");
}

TEST_F(RulesTest, PodMayGoJustAfterAnOutageInWhichItsKubeletSaidThatItsNodeIsNotReady) {
  const Instant now = time_.now();
  begin({.outages = {{.from = now + 10s, .until = now + 40s}}});
  time_.run_for(40s);
  put_node("a", "False", Json::array({taint("node.kubernetes.io/not-ready", "NoExecute")}));
  (void)by_others();
  time_.run_for(1s);
  delete_pod();
  EXPECT_EQ(by_controller(), "");
  put_node("a", "True");
  EXPECT_EQ(by_others(), "");
}

TEST_F(RulesTest, PodMayGoWhenItsNodeHadTheTimeToSayAfterAnOutageThatItIsReady) {
  const Instant now = time_.now();
  begin({.outages = {{.from = now + 10s, .until = now + 40s}}});
  put_node("a", "Unknown", Json::array({unreachable}));
  (void)by_others();
  time_.run_for(51s);
  delete_pod();
  EXPECT_EQ(by_controller(), "");
  put_node("a", "True", Json::array({unreachable}));
  EXPECT_EQ(by_others(), "");
}

TEST_F(RulesTest, PodIsNotDeletedJustAfterARestoreWhenItsNodeThenSaysThatItIsReady) {
  put_node("a", "Unknown", Json::array({unreachable}));
  (void)by_others();
  restore(storage_.snapshot());
  time_.run_for(5s);
  delete_pod();
  EXPECT_EQ(by_controller(), "");
  put_node("a", "True", Json::array({unreachable}));
  EXPECT_EQ(by_others(), "ready");
}

}  // namespace
}  // namespace nlc::sim::rules
