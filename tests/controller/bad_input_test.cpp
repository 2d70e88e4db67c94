#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "controller/rules/taints.h"
#include "tests/controller/whole_path.h"

/// Objects as no sane component writes them: nothing crashes, no node becomes Unknown for them, and
/// their neighbours are served as ever.
namespace nlc::controller {
namespace {

using namespace testing;
using api::ConditionStatus;
using Json = nlohmann::json;

Json node(std::string name, Json conditions) {
  return {{"apiVersion", "v1"},
          {"kind", "Node"},
          {"metadata",
           {{"name", name}, {"uid", "uid-" + name}, {"creationTimestamp", "2026-01-02T12:02:00Z"}}},
          {"spec", Json::object()},
          {"status", {{"conditions", std::move(conditions)}}}};
}

Json condition(std::string type, std::string status, std::string heartbeat) {
  return {{"type", type}, {"status", status}, {"lastHeartbeatTime", heartbeat}};
}

Json pod(std::string name, std::string on) {
  return {{"apiVersion", "v1"},
          {"kind", "Pod"},
          {"metadata", {{"namespace", "hollow"}, {"name", name}, {"uid", "uid-" + name}}},
          {"spec", {{"nodeName", on}}},
          {"status", Json::object()}};
}

Json lease(std::string name, Json spec) {
  return {{"apiVersion", "coordination.k8s.io/v1"},
          {"kind", "Lease"},
          {"metadata", {{"namespace", "kube-node-lease"}, {"name", name}, {"uid", "uid-" + name}}},
          {"spec", std::move(spec)}};
}

class BadInput : public ::testing::Test {
 protected:
  BadInput() {
    cluster.time.run_for(1min);
    LoopOptions options;
    options.policy.monitor_grace = 40s;
    cluster.start_controller(options);
    cluster.time.run_for(1min);
  }

  /// Whoever is healthy is left alone, and whoever dies is found.
  void expect_business_as_usual() {
    cluster.time.run_for(35s);
    EXPECT_EQ(cluster.log.count("node marked unknown"), 0U);
    EXPECT_EQ(cluster.log.count("pod evicted"), 0U);
    cluster.kubelets.kubelet(3).die();
    cluster.time.run_for(45s);
    EXPECT_EQ(cluster.ready("hollow-3").status, ConditionStatus::Unknown);
    EXPECT_EQ(cluster.ready("hollow-1").status, ConditionStatus::True);
  }

  static sim::HollowClusterOptions six_nodes() {
    sim::HollowClusterOptions options;
    options.nodes = 6;
    options.workload.pods_per_node = 1;
    return options;
  }

  Cluster cluster{six_nodes()};
};

TEST_F(BadInput, NodesWithoutConditionsAndLabels) {
  Json bare = node("bare", Json::array());
  bare.erase("status");
  cluster.server.load(bare);
  cluster.server.load(node("empty", Json::array()));
  expect_business_as_usual();
}

TEST_F(BadInput, ConditionsThatComeTwiceCountOnceTheFirst) {
  cluster.server.load(
      node("twice", Json::array({condition("Ready", "True", "2026-01-02T12:01:00Z"),
                                 condition("Ready", "False", "2026-01-02T12:01:00Z"),
                                 condition("Ready", "Unknown", "")})));
  cluster.time.run_for(5s);
  EXPECT_TRUE(cluster.node("twice").taints.empty());
  expect_business_as_usual();
}

TEST_F(BadInput, ConditionTypesAndWordsThatNobodyKnows) {
  cluster.server.load(
      node("odd", Json::array({condition("Ready", "Perhaps", "2026-01-02T12:01:00Z"),
                               condition("Mood", "True", ""), condition("", "", "yesterday")})));
  cluster.time.run_for(5s);
  EXPECT_TRUE(cluster.node("odd").taints.empty());
  expect_business_as_usual();
}

TEST_F(BadInput, TaintsThatTheServerItselfWouldRefuseAreNotDroppedToPleaseIt) {
  Json tainted =
      node("tainted", Json::array({condition("Ready", "False", "2026-01-02T12:01:00Z")}));
  tainted["spec"]["taints"] = Json::array(
      {{{"key", "strange"}, {"effect", "NoBreathing"}}, {{"key", "strange"}, {"effect", ""}}});
  cluster.server.load(tainted);
  cluster.time.run_for(5s);
  EXPECT_TRUE(cluster.has_taint("tainted", "strange", "NoBreathing"));
  EXPECT_GT(cluster.log.count("node write refused node=tainted"), 0U);
  expect_business_as_usual();
}

TEST_F(BadInput, LeasesWithoutRenewalAndWithoutANode) {
  cluster.server.load(lease("nobody", {{"renewTime", "2026-01-02T12:01:00.000000Z"}}));
  cluster.server.load(lease("silent", Json::object()));
  cluster.server.load(node("silent", Json::array({condition("Ready", "True", "")})));
  expect_business_as_usual();
}

TEST_F(BadInput, TimestampsOfTheFutureAndOfOddPrecision) {
  cluster.server.load(
      node("future", Json::array({condition("Ready", "True", "2999-01-01T00:00:00Z")})));
  cluster.server.load(node(
      "precise", Json::array({condition("Ready", "True", "2026-01-02T14:01:00.123456789+02:00")})));
  cluster.server.load(node("wordy", Json::array({condition("Ready", "True", "a while ago")})));
  cluster.server.load(lease("future", {{"renewTime", "2999-01-01T00:00:00.000000Z"}}));
  cluster.server.load(lease("precise", {{"renewTime", "2026-01-02T12:01:00.1Z"}}));
  expect_business_as_usual();
}

TEST_F(BadInput, PodsWithoutConditionsOrNodesAndWithOddTolerations) {
  cluster.server.load(pod("bare", "hollow-1"));
  cluster.server.load(pod("nowhere", "no-such-node"));
  Json odd = pod("odd", "hollow-1");
  odd["spec"]["tolerations"] =
      Json::array({{{"operator", "Perhaps"}, {"tolerationSeconds", -9223372036854775807}},
                   {{"operator", "Exists"}, {"tolerationSeconds", 9223372036854775807}}});
  odd["status"]["conditions"] = Json::array({{{"type", "Ready"}, {"status", "Perhaps"}}});
  cluster.server.load(odd);
  expect_business_as_usual();
}

TEST_F(BadInput, NamesAtTheLimitAndObjectsOfAMegabyte) {
  const std::string longest(253, 'n');
  cluster.server.load(
      node(longest, Json::array({condition("Ready", "False", "2026-01-02T12:01:00Z")})));
  Json heavy = node("heavy", Json::array({condition("Ready", "False", "2026-01-02T12:01:00Z")}));
  heavy["status"]["images"] = Json::array({{{"names", {std::string(1 << 20U, 'x')}}}});
  cluster.server.load(heavy);
  cluster.time.run_for(5s);
  EXPECT_TRUE(cluster.has_taint(longest, taint::not_ready, "NoSchedule"));
  EXPECT_TRUE(cluster.has_taint("heavy", taint::not_ready, "NoSchedule"));
  expect_business_as_usual();
}

TEST_F(BadInput, ObjectThatCannotBeReadIsNamedInTheLogAndSkipped) {
  Json broken = node("broken", Json::array());
  broken["spec"]["taints"] = "many";
  cluster.server.load(broken);
  cluster.time.run_for(1s);
  EXPECT_EQ(cluster.log.count("object skipped, it cannot be read resource=Node"), 1U);
  EXPECT_EQ(cluster.log.count("broken"), 1U);
  expect_business_as_usual();
}

}  // namespace
}  // namespace nlc::controller
