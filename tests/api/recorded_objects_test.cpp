#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "api/decode.h"
#include "tests/conformance/recorded.h"

namespace nlc::api {
namespace {

using conformance::recorded;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

template <typename T>
ListPage<T> recorded_list(const std::string& file) {
  Result<ListPage<T>> page = Decoder<T>().list(recorded(file));
  EXPECT_TRUE(page) << file;
  return page ? *std::move(page) : ListPage<T>{};
}

/// What another JSON reader finds in the same bytes; nothing for an absent field.
std::string other(const nlohmann::json& json, const std::string& pointer) {
  const nlohmann::json::json_pointer place(pointer);
  return json.contains(place) ? json.at(place).get<std::string>() : "";
}

TEST(RecordedNodes, ListHasItsVersionAndEveryNode) {
  const auto page = recorded_list<Node>("list-nodes.json");
  EXPECT_EQ(page.resource_version, "1023");
  EXPECT_EQ(page.continue_token, "");
  EXPECT_THAT(page.malformed, IsEmpty());
  std::vector<std::string> names;
  for (const Node& node : page.items) names.push_back(node.key());
  EXPECT_THAT(names, ElementsAre("hollow-1", "hollow-2", "hollow-3", "hollow-4"));
}

TEST(RecordedNodes, FieldsAreThoseThatAnotherReaderFinds) {
  const std::string body = recorded("list-nodes.json");
  const auto items = nlohmann::json::parse(body).at("items");
  const auto page = recorded_list<Node>("list-nodes.json");
  ASSERT_EQ(page.items.size(), items.size());
  for (std::size_t i = 0; i < items.size(); ++i) {
    const Node& node = page.items[i];
    EXPECT_EQ(node.name, other(items[i], "/metadata/name"));
    EXPECT_EQ(node.uid, other(items[i], "/metadata/uid"));
    EXPECT_EQ(node.resource_version, other(items[i], "/metadata/resourceVersion"));
    EXPECT_EQ(rfc3339(node.created.value()), other(items[i], "/metadata/creationTimestamp"));
    const auto conditions = items[i].at("/status/conditions"_json_pointer);
    ASSERT_EQ(node.conditions.size(), conditions.size());
    for (std::size_t c = 0; c < conditions.size(); ++c) {
      EXPECT_EQ(node.conditions[c].type, other(conditions[c], "/type"));
      EXPECT_EQ(name_of(node.conditions[c].status), other(conditions[c], "/status"));
      EXPECT_EQ(node.conditions[c].reason, other(conditions[c], "/reason"));
      EXPECT_EQ(node.conditions[c].message, other(conditions[c], "/message"));
      EXPECT_EQ(rfc3339(node.conditions[c].last_heartbeat.value()),
                other(conditions[c], "/lastHeartbeatTime"));
      EXPECT_EQ(rfc3339(node.conditions[c].last_transition.value()),
                other(conditions[c], "/lastTransitionTime"));
    }
  }
}

TEST(RecordedNodes, AllLabelsAreKeptForAnyMayBeSelected) {
  const Node node = recorded_list<Node>("list-nodes.json").items.front();
  EXPECT_EQ(*node.label(label::region), "r");
  EXPECT_EQ(*node.label(label::zone), "z1");
  EXPECT_EQ(*node.label(label::os), "linux");
  EXPECT_EQ(*node.label(label::arch_beta), "amd64");
  EXPECT_EQ(*node.label("kubernetes.io/hostname"), node.name);
  EXPECT_EQ(node.label("no-such-label"), nullptr);
}

TEST(RecordedNodes, PageCarriesTheTokenOfTheNext) {
  const auto page = recorded_list<Node>("list-nodes-limit-1.json");
  EXPECT_THAT(page.items, SizeIs(1));
  EXPECT_EQ(page.resource_version, "1023");
  EXPECT_EQ(page.continue_token,
            "eyJ2IjoibWV0YS5rOHMuaW8vdjEiLCJydiI6MTAyMywic3RhcnQiOiIvaG9sbG93LTFcdTAwMDAifQ");
}

TEST(RecordedNodes, SingleObjectIsReadAsInItsList) {
  const Result<Node> node = Decoder<Node>().object(recorded("get-node.json"));
  ASSERT_TRUE(node);
  EXPECT_EQ(node->name, "hollow-1");
  ASSERT_NE(node->condition(condition::ready), nullptr);
  EXPECT_EQ(node->condition(condition::ready)->status, ConditionStatus::True);
}

TEST(RecordedNodes, TaintsHaveTheirTimes) {
  const Result<Node> node = Decoder<Node>().object(recorded("node-taints-patch.json"));
  ASSERT_TRUE(node);
  ASSERT_THAT(node->taints, SizeIs(2));
  const Taint* taint = node->taint("node.kubernetes.io/unreachable", effect::no_execute);
  ASSERT_NE(taint, nullptr);
  EXPECT_EQ(rfc3339(taint->time_added.value()), "2026-11-21T09:46:30Z");
  EXPECT_EQ(node->taint("node.kubernetes.io/not-ready", effect::no_execute), nullptr);
}

TEST(RecordedNodes, TableIsNoList) {
  const auto page = Decoder<Node>().list(recorded("list-nodes-table.json"));
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().fault, Fault::Malformed);
  EXPECT_EQ(page.error().path, "expected a NodeList, got kind \"Table\"");
}

TEST(RecordedLeases, RenewalsAreReadToTheMicrosecond) {
  const auto page = recorded_list<NodeLease>("list-leases.json");
  ASSERT_THAT(page.items, SizeIs(4));
  EXPECT_EQ(page.items[0].name, "hollow-1");
  EXPECT_EQ(page.items[0].uid, "cdcfbc2a-0db5-44c4-a543-ff0dbcf31da1");
  EXPECT_EQ(rfc3339_micro(page.items[0].renewed.value()), "2026-11-21T09:46:26.822869Z");
}

TEST(RecordedPods, NodeTolerationsAndReadinessAreRead) {
  const auto page = recorded_list<Pod>("list-pods.json");
  ASSERT_THAT(page.items, SizeIs(3));
  const Pod& pod = page.items[2];
  EXPECT_EQ(pod.key(), "default/tolerating");
  EXPECT_EQ(pod.node_name, "hollow-1");
  EXPECT_EQ(pod.generation, 1);
  EXPECT_FALSE(pod.deleting);
  EXPECT_FALSE(pod.finished);
  const Toleration unreachable{.key = "node.kubernetes.io/unreachable",
                               .operator_ = "Exists",
                               .effect = "NoExecute",
                               .seconds = 30};
  const Toleration every_key{.operator_ = "Exists", .effect = "NoSchedule"};
  const Toleration not_ready{.key = "node.kubernetes.io/not-ready",
                             .operator_ = "Exists",
                             .effect = "NoExecute",
                             .seconds = 300};
  EXPECT_THAT(pod.tolerations, ElementsAre(unreachable, every_key, not_ready));
  ASSERT_TRUE(pod.ready);
  EXPECT_EQ(pod.ready->status, ConditionStatus::True);
  EXPECT_FALSE(pod.disruption_target);
}

TEST(RecordedPods, DisruptionTargetIsTheOneWeWrite) {
  const Result<Pod> pod =
      Decoder<Pod>().object(recorded("pod-status-patch-disruption-target.json"));
  ASSERT_TRUE(pod);
  ASSERT_TRUE(pod->disruption_target);
  EXPECT_EQ(pod->disruption_target->status, ConditionStatus::True);
  EXPECT_EQ(pod->disruption_target->reason, "DeletionByTaintManager");
  EXPECT_EQ(pod->disruption_target->message, "Taint manager: deleting due to NoExecute taint");
  EXPECT_EQ(pod->ready->status, ConditionStatus::False);
}

}  // namespace
}  // namespace nlc::api
