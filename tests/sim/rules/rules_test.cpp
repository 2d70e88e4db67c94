#include "sim/rules/rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/rules/metrics_model.h"
#include "sim/rules/node_facts.h"
#include "sim/rules/reference_model.h"
#include "sim/virtual_time.h"

namespace nlc::sim::rules {
namespace {

using namespace std::chrono_literals;
using namespace std::string_literals;
using Json = nlohmann::json;

constexpr WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 1} + 12h};

/// A storage that everybody writes into at will, under the eyes of the rules.
class RulesTest : public ::testing::Test {
 protected:
  RulesTest() {
    put_node("a", "True");
    put_node("b", "True");
    put_pod("a", Json::array());
    begin({});
  }

  void begin(Terms terms, Duration grace = 40s) {
    terms.grace = grace;
    rules_.emplace(storage_, time_, std::move(terms));
  }

  static Json taint(const std::string& key, const std::string& effect) {
    return {{"key", key}, {"effect", effect}};
  }

  void put_node(const std::string& name, const std::string& ready, const Json& taints = {}) {
    Json node{{"metadata", {{"name", name}, {"uid", "uid-" + name}}},
              {"spec", Json::object()},
              {"status", {{"conditions", {{{"type", "Ready"}, {"status", ready}}}}}}};
    if (taints.is_array()) node["spec"]["taints"] = taints;
    storage_.put(core_resource("nodes"), name, std::move(node));
  }

  void put_pod(const std::string& node, const Json& tolerations) {
    storage_.put(core_resource("pods"), "default/p",
                 {{"metadata", {{"name", "p"}, {"namespace", "default"}, {"uid", "uid-p"}}},
                  {"spec", {{"nodeName", node}, {"tolerations", tolerations}}}});
  }

  void say(const Json& data) {
    storage_.put(
        core_resource("configmaps"), std::string(OperatorWord::key),
        {{"metadata", {{"name", "node-lifecycle-controller-policy"}, {"namespace", "kube-system"}}},
         {"data", data}});
  }

  void restore(const Storage::Snapshot& backup) {
    storage_.restore(backup, storage_.version());
    rules_->begin_anew();
  }

  /// The one of its zone that is not Ready, which gets taints at that rate.
  void give_up_a_whose_pod_goes_later(double eviction_rate) {
    begin({.eviction_rate = eviction_rate});
    time_.run_for(45s);
    renew("b");
    put_node("a", "Unknown",
             Json::array({taint("node.kubernetes.io/unreachable", "NoSchedule"), unreachable}));
    ASSERT_EQ(by_controller(), "");
    time_.run_for(90s);
    renew("b");
    delete_pod();
    ASSERT_EQ(by_controller(), "");
    time_.run_for(1s);
  }

  void delete_pod() { storage_.erase(core_resource("pods"), "default/p"); }

  void renew(const std::string& node) {
    storage_.put(
        *find_resource("coordination.k8s.io", "v1", "leases"), "kube-node-lease/" + node,
        {{"metadata", {{"name", node}, {"namespace", "kube-node-lease"}}},
         {"spec",
          {{"renewTime", "2026-01-01T12:00:" + std::to_string(10 + renewals_++) + ".000000Z"}}}});
    rules_->catch_up(Rules::Author::SomebodyElse);
  }

  std::string by(Rules::Author author) {
    rules_->catch_up(author);
    return rules_->broken() ? rules_->broken()->rule : "";
  }
  std::string by_controller() { return by(Rules::Author::Controller); }
  std::string by_others() { return by(Rules::Author::SomebodyElse); }

  const Json unreachable = taint("node.kubernetes.io/unreachable", "NoExecute");
  VirtualTime time_{noon};
  Storage storage_{time_, {}};
  std::optional<Rules> rules_;
  int renewals_ = 0;
};

TEST_F(RulesTest, NodeMayBeMarkedWhenItsGraceHasPassed) {
  renew("a");
  time_.run_for(40s);
  put_node("a", "Unknown");
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, NodeThatWasHeardWithinItsGraceIsNotToBeMarked) {
  renew("a");
  time_.run_for(39s);
  put_node("a", "Unknown");
  EXPECT_EQ(by_controller(), "silent");
}

TEST_F(RulesTest, HeartbeatWhoseLeaseWasDeletedIsKnownToNobody) {
  renew("a");
  storage_.erase(*find_resource("coordination.k8s.io", "v1", "leases"), "kube-node-lease/a");
  (void)by_others();
  time_.run_for(20s);
  put_node("a", "Unknown");
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, NodeWhoseHeartbeatWasLostByARestoreMayBeMarkedIfNoneFollows) {
  const Storage::Snapshot backup = storage_.snapshot();
  time_.run_for(10s);
  renew("a");
  restore(backup);
  time_.run_for(35s);
  put_node("a", "Unknown");
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, NodeThatIsHeardAgainAfterARestoreWasNotToBeMarked) {
  const Storage::Snapshot backup = storage_.snapshot();
  time_.run_for(10s);
  renew("a");
  restore(backup);
  time_.run_for(35s);
  put_node("a", "Unknown");
  (void)by_controller();
  renew("a");
  EXPECT_EQ(by_others(), "silent");
}

TEST_F(RulesTest, AHeartbeatThatARestoreTookBackBeforeLeasesWereListedBehindACacheIsKnownToNobody) {
  for (const Duration unlisted : {Duration(5s), Duration(5s + 1ms)}) {
    put_node("a", "True");
    Terms terms;
    terms.leases_stand_still = {{.from = time_.now(), .until = time_.now() + 1min}};
    begin(terms);
    renew("a");
    time_.run_for(10s);
    const Storage::Snapshot backup = storage_.snapshot();
    renew("a");
    time_.run_for(unlisted);
    restore(backup);
    time_.run_for(30s - unlisted);
    put_node("a", "Unknown");
    EXPECT_EQ(by_controller(), "");
    renew("a");
    EXPECT_EQ(by_others(), unlisted > 5s ? "silent" : "");
  }
}

/// The first heartbeat after a silence, which comes a moment before the grace period ends.
class RulesOfLateReadsTest : public RulesTest {
 protected:
  using Spans = std::vector<Terms::Span>;
  Spans from(Duration begin) const {
    return {{.from = time_.now() + begin, .until = time_.now() + 1min}};
  }
  /// What breaks when the node is marked so long after that heartbeat, and `silent` after the one
  /// before.
  std::string broken_by(const Spans& held, const Spans& read_late, Duration heard,
                        Duration silent = 40s) {
    put_node("a", "True");
    begin({.lease_watch_held = held, .leases_read_late = read_late});
    renew("a");
    time_.run_for(silent - heard);
    renew("a");
    time_.run_for(heard);
    put_node("a", "Unknown");
    return by_controller();
  }
};

TEST_F(RulesOfLateReadsTest, AHeartbeatBehindAWatchThatStandsStillIsKnownToNobodyBeforeAList) {
  EXPECT_EQ(broken_by(from(30s), from(40s), 5s + exact_enough), "");
}

TEST_F(RulesOfLateReadsTest, AHeartbeatIsKnownWhenLeasesHaveBeenListed) {
  EXPECT_EQ(broken_by(from(30s), from(40s), 5s + exact_enough + 1ms), "silent");
}

TEST_F(RulesOfLateReadsTest, AHeartbeatThatAWatchHasShownIsKnown) {
  EXPECT_EQ(broken_by(from(35s + 1ms), from(35s), 5s), "silent");
  EXPECT_EQ(broken_by({}, from(35s), 5s), "silent");
}

TEST_F(RulesOfLateReadsTest, AHeartbeatThatAReadOfItsLeaseShowsIsKnown) {
  EXPECT_EQ(broken_by(from(30s), from(40s + 1ms), 5s), "silent");
  EXPECT_EQ(broken_by(from(30s), {}, 5s), "silent");
}

TEST_F(RulesOfLateReadsTest, TheHeartbeatBeforeCounts) {
  EXPECT_EQ(broken_by(from(30s), from(35s), 5s, 39s), "silent");
}

/// The only heartbeat between two restores, 11 s after the one before it.
class RulesOfTwoRestoresTest : public RulesTest {
 protected:
  /// What breaks when the node is marked that long after the heartbeat before, and heard again.
  std::string broken_by(Duration marked_after, Duration between, bool taken_back = true) {
    renew("a");
    time_.run_for(10s);
    const Storage::Snapshot backup = storage_.snapshot();
    restore(backup);
    time_.run_for(1s);
    renew("a");
    time_.run_for(between - 1s);
    restore(taken_back ? backup : storage_.snapshot());
    time_.run_for(marked_after - 10s - between);
    put_node("a", "Unknown");
    EXPECT_EQ(by_controller(), "");
    renew("a");
    return by_others();
  }
};

TEST_F(RulesOfTwoRestoresTest, AHeartbeatThatTheSecondTookBackIsKnownToNobody) {
  EXPECT_EQ(broken_by(40s, 2s), "");
}

TEST_F(RulesOfTwoRestoresTest, TheHeartbeatBeforeTheFirstCounts) {
  EXPECT_EQ(broken_by(39s, 2s), "silent");
}

TEST_F(RulesOfTwoRestoresTest, AHeartbeatThatTheSecondBroughtBackCounts) {
  EXPECT_EQ(broken_by(40s, 2s, false), "silent");
}

TEST_F(RulesOfTwoRestoresTest, AHeartbeatCountsWhereWhoeverWasCutOffHadTheTimeToSeeIt) {
  EXPECT_EQ(broken_by(40s, 4s), "silent");
}

TEST_F(RulesTest, NodeThatCameBackAMomentAgoMayStillBeMarked) {
  renew("a");
  time_.run_for(41s);
  renew("a");
  time_.run_for(1s);
  put_node("a", "Unknown");
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, NodeThatCameBackAMomentAgoMayBeMarkedThoughItWasSilentForLongerBefore) {
  begin({}, 30s);
  renew("a");
  for (const Duration silent : {50s, 31s}) {
    time_.run_for(silent);
    renew("a");
  }
  time_.run_for(5s);
  put_node("a", "Unknown");
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, TimeInWhichTheServerTookNoHeartbeatIsNobodysSilence) {
  begin({.closed = {{time_.now() + 5s, time_.now() + 35s}}});
  time_.run_for(50s);
  put_node("a", "Unknown");
  EXPECT_EQ(by_controller(), "silent");
}

TEST_F(RulesTest, WhereAWatchOfLeasesStandsStillSuchATimeIsNoticedFiveSecondsLater) {
  for (const auto& [held, rule] : {std::pair(5s, ""), std::pair(6s, "silent")}) {
    put_node("a", "True");
    begin({.closed = {{time_.now() + 5s, time_.now() + 1min}},
           .lease_watch_held = {{time_.now() + held, time_.now() + 1min}}},
          20s);
    renew("a");
    time_.run_for(30s);
    put_node("a", "Unknown");
    EXPECT_EQ(by_controller(), rule);
  }
}

TEST_F(RulesTest, WhoBeganToWatchInTheLastTenSecondsOfSuchATimeCannotTellThemFromAPause) {
  for (const auto& [began, rule] : {std::pair(24s, "silent"), std::pair(25s, "")}) {
    put_node("a", "True");
    begin({.closed = {{time_.now(), time_.now() + 35s}}});
    time_.run_for(12s);
    renew("a");
    time_.run_for(began - 12s);
    rules_->leaders({{"a#1", time_.now()}});
    time_.run_for(45s);
    put_node("a", "Unknown");
    EXPECT_EQ(by_controller(), rule);
  }
}

TEST_F(RulesTest, NodeWithoutALeaseIsSilentAlsoWhileLeasesAloneAreRefused) {
  begin({.closed = {{time_.now() + 5s, time_.now() + 35s, true}}});
  time_.run_for(50s);
  put_node("a", "Unknown");
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, NodeWithALeaseIsNotSilentWhileLeasesAreRefused) {
  begin({.closed = {{time_.now() + 5s, time_.now() + 35s, true}}});
  renew("a");
  time_.run_for(50s);
  put_node("a", "Unknown");
  EXPECT_EQ(by_controller(), "silent");
}

TEST_F(RulesTest, WhatControllersSwitchesOffWritesNothing) {
  begin({.judges_nodes = false});
  put_node("a", "True", Json::array({taint("node.kubernetes.io/unschedulable", "NoSchedule")}));
  EXPECT_EQ(by_controller(), "only watching");
  begin({.evicts_pods = false});
  delete_pod();
  EXPECT_EQ(by_controller(), "only watching");
}

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

TEST_F(RulesTest, ObserverWritesNothing) {
  rules_->observer_wrote("w");
  EXPECT_EQ(rules_->broken()->rule, "only watching");
}

TEST_F(RulesTest, PodOfANodeThatIsReadyIsNotToBeDeleted) {
  put_node("a", "True", Json::array({unreachable}));
  (void)by_others();
  time_.run_for(1min);
  delete_pod();
  EXPECT_EQ(by_controller(), "ready");
}

TEST_F(RulesTest, NodeThatIsUnknownMayGetItsNoScheduleTaintWhileItsLeaseIsRenewedAndNoNoExecute) {
  put_node("a", "Unknown");
  (void)by_others();
  time_.run_for(1min);
  renew("a");
  put_node("a", "Unknown", Json::array({taint("node.kubernetes.io/unreachable", "NoSchedule")}));
  EXPECT_EQ(by_controller(), "");
  time_.run_for(under_way + 1s);
  renew("a");
  put_node("a", "Unknown", Json::array({unreachable}));
  EXPECT_EQ(by_controller(), "silent");
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
  begin({.closed = {{.from = now + 10s, .until = now + 40s}}});
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
  begin({.closed = {{.from = now + 10s, .until = now + 40s}}});
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
  begin({.closed = {{.from = now + 10s, .until = now + 40s}}});
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

TEST_F(RulesTest, TaintOfSomebodyElseStays) {
  put_node("a", "True", Json::array({taint("example.com/mine", "NoSchedule")}));
  (void)by_others();
  put_node("a", "True", Json::array());
  EXPECT_EQ(by_controller(), "others");
}

TEST_F(RulesTest, NobodyButAKubeletSaysReady) {
  put_node("a", "False");
  (void)by_others();
  put_node("a", "True");
  EXPECT_EQ(by_controller(), "others");
}

TEST_F(RulesTest, NodesOfAZoneGetTheirTaintsAtItsRate) {
  time_.run_for(1min);
  put_node("a", "Unknown", Json::array({unreachable}));
  EXPECT_EQ(by_controller(), "");
  put_node("b", "Unknown", Json::array({unreachable}));
  (void)by_controller();
  put_node("c", "Unknown");
  (void)by_others();
  put_node("d", "Unknown");
  (void)by_others();
  time_.run_for(1min);
  for (const char* name : {"c", "d"}) put_node(name, "Unknown", Json::array({unreachable}));
  EXPECT_EQ(by_controller(), "disruption");
}

TEST_F(RulesTest, ManyAtOnceAreTooMany) {
  for (const char* name : {"c", "d", "e", "f", "g"}) put_node(name, "Unknown");
  (void)by_others();
  time_.run_for(1min);
  for (const char* name : {"c", "d", "e", "f", "g"}) {
    put_node(name, "Unknown", Json::array({unreachable}));
  }
  EXPECT_EQ(by_controller(), "pace");
}

/// As a zone that is partly disrupted may be faster than one that is not.
TEST_F(RulesTest, NodesTaintedAtTheRateOfThenAreNotTooManyForTheRateOfNow) {
  const std::vector<std::string> ill{"c", "d", "e", "f", "g", "h", "i", "j"};
  for (const std::string& name : ill) put_node(name, "Unknown");
  put_node("k", "Unknown");
  Terms terms;
  terms.secondary_eviction_rate = 1;
  terms.large_zone = 3;
  begin(terms);
  time_.run_for(1min);
  const auto grant = [this](const std::string& name) {
    put_node(name, "Unknown", Json::array({unreachable}));
    return by_controller();
  };
  for (const std::string& name : ill) {
    EXPECT_EQ(grant(name), "") << name;
    time_.run_for(1s);
  }
  for (const std::string& name : ill) put_node(name, "True");
  (void)by_others();
  time_.run_for(5s);
  EXPECT_EQ(grant("k"), "") << "8 within 8 s were allowed, and so is one more";
  time_.run_for(under_way);
  for (const char* name : {"c", "d", "e"}) {
    EXPECT_EQ(grant(name), "") << name;
    time_.run_for(1s);
  }
  EXPECT_EQ(grant("f"), "pace") << "by the rate of now";
}

/// Nobody who only watches can know that it is gone.
TEST_F(RulesTest, NodeThatIsGoneAndWasToldOfAgainCountsAsReadyUntilNodesAreListed) {
  const Instant now = time_.now();
  begin({.told_again = {{.node = "b", .from = now + 10s, .until = now + 2min}}});
  storage_.erase(core_resource("nodes"), "b");
  put_node("a", "False");
  (void)by_others();
  time_.run_for(1min);
  put_node("a", "False", Json::array({taint("node.kubernetes.io/not-ready", "NoExecute")}));
  EXPECT_EQ(by_controller(), "");
  put_node("a", "False");
  (void)by_others();
  time_.run_for(1min + under_way + 1s);
  put_node("a", "False", Json::array({taint("node.kubernetes.io/not-ready", "NoExecute")}));
  EXPECT_EQ(by_controller(), "disruption");
}

/// And so it does in its zone, whose rate may be the greater for it; no longer than that.
TEST_F(RulesTest, NodesThatAreGoneAndWereToldOfAgainCountInTheirZoneUntilNodesAreListed) {
  for (const char* name : {"c", "d", "e", "f", "g", "h"}) put_node(name, "True");
  for (const char* name : {"x", "y", "z"}) put_node(name, "False");
  (void)by_others();
  const Instant now = time_.now();
  Terms terms{.secondary_eviction_rate = 1, .large_zone = 3, .unhealthy_zone_threshold = 0.6};
  for (const char* name : {"x", "y", "z"}) {
    terms.told_again.push_back({.node = name, .from = now + 10s, .until = now + 2min});
  }
  begin(terms);
  for (const char* name : {"x", "y", "z"}) storage_.erase(core_resource("nodes"), name);
  for (const char* name : {"c", "d", "e", "f"}) put_node(name, "Unknown");
  (void)by_others();
  time_.run_for(1min);
  const auto grant_all = [this] {
    std::string broken;
    for (const char* name : {"c", "d", "e", "f"}) {
      put_node(name, "Unknown", Json::array({unreachable}));
      broken = by_controller();
      time_.run_for(1s);
    }
    return broken;
  };
  EXPECT_EQ(grant_all(), "") << "7 of 11 are not Ready for whoever watches";
  for (const char* name : {"c", "d", "e", "f"}) put_node(name, "Unknown");
  (void)by_others();
  time_.run_for(1min + under_way + 1s);
  EXPECT_EQ(grant_all(), "pace") << "4 of 8 are";
}

/// After a restore its mark waits for as long as judgement is held.
TEST_F(RulesTest, NodeThatIsSilentCountsInItsZoneAsNotReadyBeforeItIsMarked) {
  for (const char* name : {"c", "d", "e", "f"}) put_node(name, "Unknown");
  begin({});
  time_.run_for(2min);
  const auto grant = [this](const std::string& name) {
    put_node(name, "Unknown", Json::array({unreachable}));
    return by_controller();
  };
  EXPECT_EQ(grant("c"), "");
  time_.run_for(10s);
  EXPECT_EQ(grant("d"), "") << "at the rate of a zone of which no node is left";
  renew("a");
  renew("b");
  time_.run_for(under_way + 1s);
  EXPECT_EQ(grant("e"), "pace") << "of one that is partly disrupted";
}

TEST_F(RulesTest, TwoMayNotWriteAtOneMoment) {
  const Instant now = time_.now();
  rules_->leaders({{"a#1", now}});
  EXPECT_FALSE(rules_->broken());
  rules_->leaders({{"a#1", now}, {"b#1", now}});
  ASSERT_TRUE(rules_->broken());
  EXPECT_EQ(rules_->broken()->rule, "one leader");
}

TEST_F(RulesTest, NodesMayWaitForTheirTaintsWhileTheirZoneStillGetsThemByItsRateAndNotLonger) {
  const Json no_schedule = taint("node.kubernetes.io/unreachable", "NoSchedule");
  for (const char* name : {"c", "d"}) put_node(name, "True");
  begin({});
  time_.run_for(45s);
  for (const char* name : {"a", "b"}) renew(name);
  put_node("c", "Unknown", Json::array({no_schedule, unreachable}));
  put_node("d", "Unknown", Json::array({no_schedule}));
  ASSERT_EQ(by_controller(), "");
  time_.run_for(15s);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s), ::testing::IsEmpty());
  time_.run_for(15s);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 20s),
              ::testing::ElementsAre("node d lacks unreachable:NoExecute"));
}

TEST_F(RulesTest, WhatFollowsFromTheLastTaintOfALongQueueMayBeWrittenUntilPodsTolerateItNoLonger) {
  give_up_a_whose_pod_goes_later(1.0 / 301);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s), ::testing::IsEmpty());
}

TEST_F(RulesTest, WhereNobodyWaitsForMinutesAllIsWrittenEarlyInPeace) {
  give_up_a_whose_pod_goes_later(1.0 / 299);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s),
              ::testing::ElementsAre("the controller still wrote 1s ago"));
}

TEST_F(RulesTest, PodIsNotDeletedWhileEvictionsArePausedForLongerThanAMoment) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "evictions"}});
  (void)by_others();
  time_.run_for(under_way + 1s);
  delete_pod();
  EXPECT_EQ(by_controller(), "paused");
}

TEST_F(RulesTest, PodThatWasOnItsWayWhenThePauseCameMayGo) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "evictions"}});
  (void)by_others();
  time_.run_for(under_way - 1s);
  delete_pod();
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, PodIsDeletedAgainWhenThePauseIsOver) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "evictions"}});
  (void)by_others();
  time_.run_for(1min);
  say({{"pause", "none"}});
  (void)by_others();
  delete_pod();
  EXPECT_EQ(by_controller(), "");
}

TEST_F(RulesTest, PodThatAPauseHeldIsGoneInPeaceAlsoWhereNoNodeIsEverGivenATaint) {
  begin({.eviction_rate = 0});
  say({{"pause", "evictions"}});
  put_node("a", "True", Json::array({taint("dedicated", "NoExecute")}));
  (void)by_others();
  time_.run_for(1min);
  say({{"pause", "none"}});
  (void)by_others();
  for (const char* name : {"a", "b"}) renew(name);
  EXPECT_THAT(differences(storage_, *rules_, time_.now(), 60s),
              ::testing::ElementsAre("pod default/p is not deleted from a"));
}

TEST_F(RulesTest, TextThatCannotBeReadEndsNoPause) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pause", "all"}});
  (void)by_others();
  time_.run_for(1min);
  say({{"pause", "nonne"}});
  (void)by_others();
  delete_pod();
  EXPECT_EQ(by_controller(), "paused");
}

TEST_F(RulesTest, NoNodeIsGivenANoExecuteTaintWhileThatIsPausedForItsZone) {
  storage_.put(
      core_resource("nodes"), "z",
      {{"metadata",
        {{"name", "z"}, {"uid", "uid-z"}, {"labels", {{"topology.kubernetes.io/zone", "east"}}}}},
       {"spec", Json::object()},
       {"status", {{"conditions", {{{"type", "Ready"}, {"status", "Unknown"}}}}}}});
  say({{"pause", "evictions zone east"}});
  (void)by_others();
  time_.run_for(1min);
  storage_.put(
      core_resource("nodes"), "z",
      {{"metadata",
        {{"name", "z"}, {"uid", "uid-z"}, {"labels", {{"topology.kubernetes.io/zone", "east"}}}}},
       {"spec", {{"taints", {unreachable}}}},
       {"status", {{"conditions", {{{"type", "Ready"}, {"status", "Unknown"}}}}}}});
  EXPECT_EQ(by_controller(), "paused");
}

TEST_F(RulesTest, NoMorePodsLeaveInAStretchOfTimeThanTheOperatorAllows) {
  put_node("a", "Unknown", Json::array({unreachable}));
  say({{"pod-evictions-per-second", "0.1"}});
  (void)by_others();
  time_.run_for(1min);
  for (int i = 0; i < 2; ++i) {
    put_pod("a", Json::array());
    (void)by_others();
    delete_pod();
    EXPECT_EQ(by_controller(), "") << i;
  }
  put_pod("a", Json::array());
  (void)by_others();
  delete_pod();
  EXPECT_EQ(by_controller(), "pods' pace");
}

TEST_F(RulesTest, NobodyAsksForTheSameWithoutEnd) {
  const auto asked = [this](int times, const std::string& request) {
    for (int i = 0; i < times; ++i) rules_->asked("", request, time_.now());
    return by_others();
  };
  EXPECT_EQ(asked(50, "PATCH nodes/a"), "");
  time_.run_for(10s);
  EXPECT_EQ(asked(50, "PATCH nodes/a"), "");
  EXPECT_EQ(asked(50, "PATCH nodes/b"), "");
  EXPECT_EQ(asked(1, "PATCH nodes/a"), "requests");
}

/// What a leader at rest says of the two nodes and the pod.
class MetricsModelTest : public RulesTest {
 protected:
  MetricsModelTest() { put_node("b", "False"); }
  std::string wrong() {
    const auto read = [this](const std::string& name) { return says_[name]; };
    const std::vector<std::string> found = untrue(read, storage_, rules_->terms());
    return found.empty() ? "" : found.front();
  }
  static std::map<std::string, std::string> zone(const std::string& key) { return {{"zone", key}}; }

  std::map<std::string, Series> says_{{"nlc_store_objects",
                                       {{{{"resource", "nodes"}}, 2},
                                        {{{"resource", "pods"}}, 1},
                                        {{{"resource", "leases"}}, 0},
                                        {{{"resource", "configmaps"}}, 0}}},
                                      {"node_collector_zone_size", {{zone(""), 2}}},
                                      {"node_collector_unhealthy_nodes_in_zone", {{zone(""), 1}}},
                                      {"node_collector_zone_health", {{zone(""), 50}}},
                                      {"workqueue_depth", {{{{"name", "noexec_taint_pod"}}, 0}}},
                                      {"nlc_judgement_held", {{{{"reason", "lease_unread"}}, 0}}}};
};

TEST_F(MetricsModelTest, MetricsThatSayWhatIsThereAreTrue) { EXPECT_EQ(wrong(), ""); }

TEST_F(MetricsModelTest, MoreObjectsInMemoryThanThereAreAreTold) {
  says_["nlc_store_objects"][{{"resource", "pods"}}] = 2;
  EXPECT_THAT(wrong(), ::testing::HasSubstr("nlc_store_objects resource=pods is not 1"));
}

/// No version shows it where no leases are followed.
TEST_F(MetricsModelTest, WhatCameBackWithABackupOfAMomentAgoIsKnownToWhoJudgesNodesAlone) {
  says_["nlc_store_objects"][{{"resource", "pods"}}] = 0;
  for (const bool judges : {true, false}) {
    for (const bool at_once : {true, false}) {
      begin({.judges_nodes = judges, .restored_at_once = at_once});
      EXPECT_EQ(wrong().empty(), !judges && at_once);
    }
  }
}

TEST_F(MetricsModelTest, ZonesAreThoseOfTheNodesThatAreThere) {
  says_["node_collector_zone_size"][zone("eu:\0:a"s)] = 0;
  EXPECT_THAT(wrong(), ::testing::HasSubstr("is of nothing that is there"));
  put_node("c", "True");
  says_["nlc_store_objects"][{{"resource", "nodes"}}] = 3;
  EXPECT_THAT(wrong(), ::testing::HasSubstr("node_collector_zone_size zone= is not 3"));
}

TEST_F(MetricsModelTest, NothingWaitsAndNothingIsHeld) {
  for (const char* name : {"workqueue_depth", "nlc_judgement_held"}) {
    double& says = says_[name].begin()->second;
    says = 1;
    EXPECT_THAT(wrong(), ::testing::HasSubstr(name));
    says = 0;
  }
}

/// Each of the rules has been seen broken above.
TEST(RuleNames, AreThoseThatTestsBreak) {
  EXPECT_THAT(Rules::names(),
              ::testing::UnorderedElementsAre("silent", "ready", "tolerations", "others", "pace",
                                              "disruption", "paused", "pods' pace", "one leader",
                                              "timeouts", "only watching", "requests"));
}

}  // namespace
}  // namespace nlc::sim::rules
