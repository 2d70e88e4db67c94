#include "judged_storage.h"

namespace nlc::sim::rules {
namespace {

TEST_F(RulesTest, PodGoesByTimeoutWhenItsNodeHasBeenSilentForSoLongAndNotBefore) {
  begin({.pod_timeout = 1min});
  renew("a");
  time_.run_for(50s);
  EXPECT_EQ(broken_by_mark("a"), "");
  time_.run_for(9s);
  EXPECT_EQ(broken_by_deletion(), "timeouts");
  put_pod("a", Json::array());
  begin({.pod_timeout = 1min});
  time_.run_for(1min);
  EXPECT_EQ(broken_by_deletion(), "");
}

TEST_F(RulesTest, PodThatWasOnItsWayByTimeoutWhenItsKubeletWasHeardAgainMayGo) {
  for (const Duration ago : {under_way, under_way + 1s}) {
    put_pod("a", Json::array());
    begin({.pod_timeout = 1min});
    renew("a");
    time_.run_for(61s);
    EXPECT_EQ(broken_by_mark("a"), "");
    renew("a");
    renew("a");  // by lease and status at once
    time_.run_for(ago);
    EXPECT_EQ(broken_by_deletion(), ago == under_way ? "" : "timeouts");
    put_node("a", "True");
  }
}

TEST_F(RulesTest, NodeThatIsNotReadyBeforeAndAfterARestoreIsSoSinceBefore) {
  begin({.pod_timeout = 1min});
  others_put_node("a", "False");
  time_.run_for(30s);
  renew("a");
  restore(storage_.snapshot());
  renew("a");
  time_.run_for(30s);
  EXPECT_EQ(broken_by_deletion(), "");
}

TEST_F(RulesTest, NoNodeIsGivenANoExecuteTaintWhereTimeoutsCount) {
  begin({.pod_timeout = 1min});
  time_.run_for(50s);
  EXPECT_EQ(broken_by_mark("a", Json::array({unreachable})), "timeouts");
}

TEST_F(RulesTest, PodOfANodeThatIsReadyIsNotToBeDeleted) {
  others_put_node("a", "True", Json::array({unreachable}));
  time_.run_for(1min);
  EXPECT_EQ(broken_by_deletion(), "ready");
}

TEST_F(RulesTest, PodMayGoForATaintThatWentAMomentAgoAndIsThereAgain) {
  for (const Duration ago : {under_way, under_way + 1s}) {
    put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 60}}}));
    put_node("b", "True");
    others_put_node("a", "Unknown", Json::array({unreachable}));
    time_.run_for(2min);
    put_node("a", "Unknown");
    others_put_node("a", "Unknown", Json::array({unreachable}));
    time_.run_for(ago);
    EXPECT_EQ(broken_by_deletion(), ago == under_way ? "" : "tolerations");
  }
}

/// A deletion that hung may land just after the taint that it was for was taken off.
TEST_F(RulesTest, PodOfAReadyNodeMayGoForATaintOfOthersThatStoodUntilAMomentAgo) {
  others_put_node("a", "True", Json::array({taint("example.com/drained", "NoExecute")}));
  time_.run_for(1min);
  others_put_node("a", "True");
  time_.run_for(under_way - 1s);
  EXPECT_EQ(broken_by_deletion(), "");
}

TEST_F(RulesTest, PodOfAReadyNodeStaysOnceATaintOfOthersIsLongGone) {
  others_put_node("a", "True", Json::array({taint("example.com/drained", "NoExecute")}));
  others_put_node("a", "True", Json::array({unreachable}));
  time_.run_for(under_way + 1s);
  EXPECT_EQ(broken_by_deletion(), "ready");
}

TEST_F(RulesTest, PodThatToleratesWhatStandsMayGoForATaintOfOthersThatStoodUntilAMomentAgo) {
  put_pod("a", Json::array({{{"key", unreachable["key"]}, {"operator", "Exists"}}}));
  others_put_node("a", "Unknown",
                  Json::array({unreachable, taint("example.com/drained", "NoExecute")}));
  others_put_node("a", "Unknown", Json::array({unreachable}));
  time_.run_for(under_way - 1s);
  EXPECT_EQ(broken_by_deletion(), "");
  put_pod("a", Json::array({{{"operator", "Exists"}}}));
  (void)by_others();
  time_.run_for(2s);
  EXPECT_EQ(broken_by_deletion(), "tolerations");
}

TEST_F(RulesTest, PodThatToleratesEverythingStaysThoughATaintOfOthersStoodUntilAMomentAgo) {
  put_pod("a", Json::array({{{"operator", "Exists"}}}));
  others_put_node("a", "Unknown",
                  Json::array({unreachable, taint("example.com/drained", "NoExecute")}));
  others_put_node("a", "Unknown", Json::array({unreachable}));
  time_.run_for(1s);
  EXPECT_EQ(broken_by_deletion(), "tolerations");
}

TEST_F(RulesTest, PodOfANodeWithoutATaintIsNotToBeDeleted) {
  others_put_node("a", "Unknown");
  time_.run_for(1min);
  EXPECT_EQ(broken_by_deletion(), "tolerations");
}

TEST_F(RulesTest, PodGoesWhenItsTolerationHasRunOutAndNotBefore) {
  put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 30}}}));
  others_put_node("a", "Unknown", Json::array({unreachable}));
  time_.run_for(30s);
  EXPECT_EQ(broken_by_deletion(), "");
  put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 60}}}));
  (void)by_others();
  time_.run_for(10s);
  EXPECT_EQ(broken_by_deletion(), "tolerations");
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
  EXPECT_EQ(broken_by_deletion(), "") << "13 s at most";
}

TEST_F(RulesTest, TaintIsNotToleratedForLongerThanItsWriteCanHaveBeenOnItsWay) {
  Json old = unreachable;
  old["timeAdded"] = "2026-01-01T12:00:00Z";
  put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 30}}}));
  (void)by_others();
  time_.run_for(50s);
  others_put_node("a", "Unknown", Json::array({old}));
  time_.run_for(30s - arrival - 2s);
  EXPECT_EQ(broken_by_deletion(), "tolerations");
}

TEST_F(RulesTest, TaintThatStandsBeforeAndAfterARestoreHasStoodAllTheTimeAlsoWithoutATimeAdded) {
  put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 60}}}));
  others_put_node("a", "Unknown", Json::array({taint("example.com/drained", "NoExecute")}));
  time_.run_for(30s);
  restore(storage_.snapshot());
  time_.run_for(30s);
  EXPECT_EQ(broken_by_deletion(), "");
}

TEST_F(RulesTest, TaintThatComesBackWithABackupStandsSinceThen) {
  put_pod("a", Json::array({{{"operator", "Exists"}, {"tolerationSeconds", 60}}}));
  others_put_node("a", "Unknown", Json::array({taint("example.com/drained", "NoExecute")}));
  const Storage::Snapshot backup = storage_.snapshot();
  others_put_node("a", "Unknown");
  time_.run_for(40s);
  restore(backup);
  time_.run_for(40s);
  EXPECT_EQ(broken_by_deletion(), "tolerations");
}

/// From ten seconds after the beginning on, for half a minute.
class RulesOfAnOutageTest : public RulesTest {
 protected:
  RulesOfAnOutageTest() {
    begin({.outages = {{.from = time_.now() + 10s, .until = time_.now() + 40s}}});
  }
};

TEST_F(RulesOfAnOutageTest, PodIsNotDeletedJustAfterAnOutageWhenItsNodeThenSaysThatItIsReady) {
  others_put_node("a", "Unknown", Json::array({unreachable}));
  time_.run_for(41s);
  EXPECT_EQ(broken_by_deletion(), "") << "it may be dead";
  time_.run_for(8s);
  put_node("a", "True", Json::array({unreachable}));
  EXPECT_EQ(by_others(), "ready");
}

TEST_F(RulesOfAnOutageTest, PodMayGoJustAfterAnOutageInWhichItsKubeletSaidThatItsNodeIsNotReady) {
  time_.run_for(40s);
  others_put_node("a", "False", Json::array({taint("node.kubernetes.io/not-ready", "NoExecute")}));
  time_.run_for(1s);
  EXPECT_EQ(broken_by_deletion(), "");
  put_node("a", "True");
  EXPECT_EQ(by_others(), "");
}

TEST_F(RulesOfAnOutageTest, PodMayGoWhenItsNodeHadTheTimeToSayAfterAnOutageThatItIsReady) {
  others_put_node("a", "Unknown", Json::array({unreachable}));
  time_.run_for(51s);
  EXPECT_EQ(broken_by_deletion(), "");
  put_node("a", "True", Json::array({unreachable}));
  EXPECT_EQ(by_others(), "");
}

TEST_F(RulesTest, PodIsNotDeletedJustAfterARestoreWhenItsNodeThenSaysThatItIsReady) {
  others_put_node("a", "Unknown", Json::array({unreachable}));
  restore(storage_.snapshot());
  time_.run_for(5s);
  EXPECT_EQ(broken_by_deletion(), "");
  put_node("a", "True", Json::array({unreachable}));
  EXPECT_EQ(by_others(), "ready");
}

}  // namespace
}  // namespace nlc::sim::rules
