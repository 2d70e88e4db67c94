#include "controller/reports/pause_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/virtual_time.h"
#include "tests/controller/objects.h"
#include "tests/controller/stores.h"
#include "tests/controller/unanswered.h"
#include "tests/memory_log.h"

namespace nlc::controller {
namespace {

using namespace testing;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// The ConfigMap and nodes as the test says; nobody counts zones.
class PauseReportTest : public ::testing::Test,
                        protected Stores,
                        private informer::StoreListener<api::Node> {
 protected:
  PauseReportTest() {
    nodes.set_listener(this);
    nodes.replace({});
  }

  void say(api::Labels data) {
    holds.in_force().stored({.namespace_ = "kube-system",
                             .name = "node-lifecycle-controller-policy",
                             .uid = "u",
                             .resource_version = std::to_string(++version),
                             .data = std::move(data)});
  }
  void tell(bool leading = true) {
    holds.follow(access, time.now());
    report.tell(holds, view(), leading, time.now());
  }
  void annotate(const std::string& pause) {
    api::Node node = ready_node("n");
    node.resource_version = std::to_string(++version);
    node.pause = pause;
    nodes.apply(node);
  }

  int version = 0;
  PolicyAccess access{.lists = 1, .forbidden = false, .trouble = {}};
  sim::VirtualTime time{noon};
  tests::MemoryLog log;
  metrics::Metrics metrics{"1.0"};
  Unanswered sent;
  Policy policy;
  OperatorHolds holds{view(), policy, nullptr};
  client::EventRecorder events{{sent, time, log, metrics.events_dropped()}, "node-controller"};
  PauseReport report{{log, metrics, events, {}}};

 private:
  void on_stored(Slot slot, const api::Node& node, const api::Node* before) override {
    holds.node_stored(slot, node, before, time.now());
  }
  void on_removed(Slot slot, const api::Node&) override { holds.node_removed(slot); }
  void on_synced() override {}
};

TEST_F(PauseReportTest, WhatIsInForceIsToldOnceAndThatNothingIsIsNoNews) {
  tell();
  EXPECT_EQ(log.count("policy in force"), 0U);
  say({{"pause", "evictions"}});
  tell();
  tell();
  EXPECT_EQ(log.count("policy in force configmap=kube-system/node-lifecycle-controller-policy "
                      "says=pause: evictions"),
            1U);
  EXPECT_EQ(sent.count("In force: pause: evictions"), 1);
  say({});
  tell();
  EXPECT_EQ(log.count("says=nothing is paused, no limit"), 1U);
  EXPECT_EQ(log.count("policy in force"), 2U);
  EXPECT_EQ(log.count("does nothing"), 0U);
}

TEST_F(PauseReportTest, AllThatIsAskedForStandsInOneLine) {
  say({{"pause", "evictions\nall zone a"},
       {"pod-evictions-per-second", "0.5"},
       {"pod-evictions-per-second-and-zone", "10"},
       {"hold-evictions-in-disruption", "true"}});
  tell();
  EXPECT_EQ(log.count("says=pause: evictions; pause: all zone a; pod-evictions-per-second: 0.5; "
                      "pod-evictions-per-second-and-zone: 10; hold-evictions-in-disruption: true"),
            1U);
  EXPECT_EQ(log.count("does nothing configmap=kube-system/node-lifecycle-controller-policy "
                      "problem=hold-evictions-in-disruption holds nobody"),
            1U);
  EXPECT_THAT(report.check().detail, HasSubstr("hold-evictions-in-disruption holds nobody"));
  EXPECT_TRUE(report.check().warns);
}

TEST_F(PauseReportTest, TextThatCannotBeReadIsToldOnceAndSoIsItsEnd) {
  say({{"pause", "none"}});
  tell();
  for (int times = 0; times < 2; ++times) {
    const std::size_t sent_before = sent.bodies.size();
    say({{"pause", "evictons"}});
    tell();
    tell();
    EXPECT_EQ(sent.bodies.size(), sent_before + 1) << "an event, each time";
    EXPECT_EQ(log.count("policy cannot be read"), 1U + times);
    EXPECT_EQ(log.count("policy is readable again"), 0U + times);
    say({{"pause", "none"}});
    tell();
    tell();
    EXPECT_EQ(log.count("policy is readable again"), 1U + times);
    time.run_for(10min);
  }
  EXPECT_EQ(sent.count("PolicyMalformed"), 1);
  EXPECT_EQ(sent.count("\"Warning\""), 1);
}

TEST_F(PauseReportTest, TextThatCannotBeReadInAnotherWayIsToldForItself) {
  for (const char* text : {"evictons", "evictoms"}) {
    say({{"pause", text}});
    tell();
    EXPECT_EQ(sent.count(text), 1);
    EXPECT_EQ(log.count("\"" + std::string(text) + "\""), 1U);
  }
}

TEST_F(PauseReportTest, LineThatIsAboutNoNodeMayBeMistyped) {
  annotate("");
  say({{"pause", "evictions nodes role=db\nall zone a\nevictions zone -\nevictions"}});
  tell();
  for (const std::string line : {"evictions nodes role=db", "all zone a"}) {
    const std::string told = "pause: " + line + " is about no node that is there";
    EXPECT_EQ(log.count("does nothing configmap=kube-system/node-lifecycle-controller-policy "
                        "problem=" +
                        told),
              1U);
    EXPECT_EQ(sent.count(told), 1);
  }
  EXPECT_EQ(log.count("is about no node"), 2U);
}

TEST_F(PauseReportTest, OfLinesAboutNoNodeTenAreToldAndHowManyMoreThereAre) {
  annotate("");
  std::string lines;
  for (int i = 0; i < 1'000; ++i) lines += "all zone z" + std::to_string(i) + "\n";
  say({{"pause", lines}});
  tell();
  EXPECT_EQ(log.count("is about no node"), 10U);
  EXPECT_EQ(log.count("problem=pause: … and 990 more of its lines are about no node"), 1U);
  EXPECT_EQ(log.count("does nothing"), 11U);
  EXPECT_THAT(report.check().detail,
              EndsWith("990 more of its lines are about no node that is there"));
}

/// Whoever looks whether his pause is in force reads that line.
TEST_F(PauseReportTest, PauseThatCannotBeReadIsWarnedOfOnThePageAndStopsNobodyFromBeingReady) {
  annotate("");
  tell();
  EXPECT_FALSE(report.check().warns);
  say({{"pause", "Evictions"}});
  tell();
  EXPECT_TRUE(report.check().ok);
  EXPECT_TRUE(report.check().warns);
  EXPECT_THAT(report.check().detail, HasSubstr("\"Evictions\" begins with no word that is known"));
  say({{"pause", "evictions"}});
  tell();
  EXPECT_FALSE(report.check().warns);
  annotate("alll");
  tell();
  EXPECT_TRUE(report.check().warns);
}

TEST_F(PauseReportTest, PauseAboutNoNodeIsWarnedOfOnThePageUntilOneIsThere) {
  annotate("");
  for (const std::string line : {"evictions zone nope", "evictions nodes n"}) {
    say({{"pause", line}});
    tell();
    EXPECT_TRUE(report.check().ok);
    EXPECT_TRUE(report.check().warns) << line;
    EXPECT_EQ(report.check().detail, "pause: " + line + " is about no node that is there");
  }
  say({{"pause", "evictions zone nope\nevictions zone -"}});
  tell();
  EXPECT_TRUE(report.check().warns);
  EXPECT_EQ(report.check().detail,
            "pause: evictions zone nope is about no node that is there; "
            "1 nodes: evictions are paused");

  api::Node late = ready_node("late");
  late.labels = {{"topology.kubernetes.io/zone", "nope"}};
  late.resource_version = std::to_string(++version);
  nodes.apply(late);
  tell();
  EXPECT_TRUE(report.check().warns) << "nodes are asked every ten seconds at most";
  time.run_for(10s);
  tell();
  EXPECT_FALSE(report.check().warns);
  EXPECT_EQ(report.check().detail, "2 nodes: evictions are paused");
  nodes.remove("late");
  time.run_for(10s);
  tell();
  EXPECT_TRUE(report.check().warns);
}

TEST_F(PauseReportTest, StandbyWritesNoEvents) {
  for (const char* text : {"evictions", "evictons"}) {
    say({{"pause", text}});
    tell(false);
  }
  annotate("alll");
  tell(false);
  EXPECT_EQ(log.count("policy in force"), 1U);
  EXPECT_EQ(log.count("policy cannot be read"), 1U);
  EXPECT_EQ(log.count("node's pause cannot be read"), 1U);
  EXPECT_TRUE(sent.bodies.empty());
}

TEST_F(PauseReportTest, ThatItHasNotBeenReadYetIsTroubleOnlyWhereSomebodyRefusedIt) {
  access = {};
  tell();
  EXPECT_TRUE(log.lines.empty());
  EXPECT_FALSE(report.check().ok);
  EXPECT_THAT(report.check().detail, HasSubstr("has not been read yet"));
  access.trouble = "503";
  tell();
  EXPECT_EQ(log.count("policy cannot be read"), 1U);
  access = {.lists = 1, .forbidden = false, .trouble = {}};
  tell();
  EXPECT_EQ(log.count("policy is readable again"), 1U);
  EXPECT_TRUE(report.check().ok);
  EXPECT_EQ(report.check().detail, "");
  EXPECT_EQ(sent.count("PolicyMalformed"), 0);
}

TEST_F(PauseReportTest, AnnotationsAreToldAndThoseThatCannotBeReadInAnEvent) {
  annotate("all");
  tell();
  tell();
  EXPECT_EQ(log.count("node's pause is another node=n pause=all"), 1U);
  annotate("alll");
  tell();
  tell();
  EXPECT_EQ(log.count("node's pause cannot be read node=n pause=alll"), 1U);
  EXPECT_EQ(sent.count("PauseMalformed"), 1);
  EXPECT_THAT(report.check().detail, HasSubstr("1 nodes: their pause cannot be read"));
  annotate("");
  tell();
  EXPECT_EQ(log.count("node's pause is another node=n pause=none"), 1U);
  EXPECT_EQ(report.check().detail, "");
}

TEST_F(PauseReportTest, NodeThatIsGoneBeforeItIsToldOfIsNotToldOf) {
  annotate("all");
  nodes.remove("n");
  tell();
  EXPECT_EQ(log.count("node's pause"), 0U);
}

TEST_F(PauseReportTest, MetricsAndPageCountThoseThatArePaused) {
  const auto is = [this](const std::string& state) {
    return metrics.exposition().find("nlc_policy_state{state=\"" + state + "\"} 1\n") !=
           std::string::npos;
  };
  tell();
  EXPECT_TRUE(is("absent"));
  EXPECT_FALSE(is("read"));
  annotate("all");
  say({{"pause", "evictions"}});
  tell();
  EXPECT_FALSE(is("absent"));
  EXPECT_TRUE(is("read"));
  EXPECT_EQ(metrics.paused_nodes("all").value(), 1);
  EXPECT_EQ(metrics.paused_nodes("evictions").value(), 0);
  EXPECT_EQ(report.check().detail, "1 nodes: everything is paused");
  annotate("");
  tell();
  EXPECT_EQ(metrics.paused_nodes("all").value(), 0);
  EXPECT_EQ(metrics.paused_nodes("evictions").value(), 1);
  EXPECT_EQ(report.check().detail, "1 nodes: evictions are paused");
}

}  // namespace
}  // namespace nlc::controller
