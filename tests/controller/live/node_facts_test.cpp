#include "controller/live/node_facts.h"

#include <gtest/gtest.h>

#include "controller/rules/taints.h"
#include "tests/controller/objects.h"

namespace nlc::controller::live {
namespace {

using namespace controller::testing;

api::Node node_that_is(api::ConditionStatus ready) {
  api::Node node{.name = "n"};
  node.conditions = {{.type = std::string(api::condition::ready), .status = ready}};
  return node;
}

NodeStatus status(const api::Node& node, NodeMemory memory = {}) {
  return node_of(node.name, facts_of(node), memory).status;
}

TEST(NodeStatus, TroubleIsWorthMoreThanWhatAnOperatorAskedFor) {
  api::Node node = node_that_is(api::ConditionStatus::Unknown);
  node.unschedulable = true;
  EXPECT_EQ(status(node, {.paused = true}), NodeStatus::Unknown);
  EXPECT_EQ(status(node_that_is(api::ConditionStatus::False), {.paused = true}),
            NodeStatus::NotReady);
  EXPECT_EQ(status(node_that_is(api::ConditionStatus::True), {.paused = true}), NodeStatus::Paused);
  EXPECT_TRUE(node_of("n", facts_of(node), {.paused = true}).paused);
}

TEST(NodeStatus, NodeThatNeverSaidHowItIsIsUnknown) {
  EXPECT_EQ(status(api::Node{.name = "n"}), NodeStatus::Unknown);
}

TEST(NodeStatus, NoExecuteTaintOfAnybodyEvicts) {
  api::Node node = node_that_is(api::ConditionStatus::True);
  node.taints = {{.key = "maintenance", .effect = std::string(api::effect::no_execute)}};
  EXPECT_EQ(status(node), NodeStatus::Evicting);
}

TEST(NodeStatus, CordonIsNoTaintThoughItHasOne) {
  api::Node node = node_that_is(api::ConditionStatus::True);
  node.taints = {
      {.key = std::string(taint::unschedulable), .effect = std::string(api::effect::no_schedule)}};
  EXPECT_EQ(status(node), NodeStatus::Ready);
  node.unschedulable = true;
  EXPECT_EQ(status(node), NodeStatus::Cordoned);
  node.unschedulable = false;
  node.taints[0].key = taint::memory_pressure;
  EXPECT_EQ(status(node), NodeStatus::Tainted);
}

TEST(NodeStatus, NodeThatIsNotCountedInItsZoneIsExcluded) {
  api::Node node = node_that_is(api::ConditionStatus::True);
  node.labels = {{std::string(api::label::exclude_disruption), ""}};
  EXPECT_EQ(status(node), NodeStatus::Excluded);
}

}  // namespace
}  // namespace nlc::controller::live
