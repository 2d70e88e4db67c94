#include "api/patches.h"

#include <gtest/gtest.h>
#include <string>

namespace nlc::api {
namespace {

using namespace std::chrono_literals;

const WallTime midday =
    WallTime{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2}} + 12h + 7us;
const Precondition this_version{.uid = "u1", .resource_version = "42"};
const Precondition any_version{.uid = "u1"};

TEST(NodeConditionsPatch, NewConditionsStandWhereTheOrderSays) {
  const NodeCondition pressure{.type = "PIDPressure", .status = ConditionStatus::Unknown};
  const std::vector<std::string> order{"Ready", "Drained", "PIDPressure"};
  EXPECT_EQ(
      node_conditions_patch(any_version, {&pressure, 1}, order),
      R"({"metadata":{"uid":"u1"},"status":{"$setElementOrder/conditions":)"
      R"([{"type":"Ready"},{"type":"Drained"},{"type":"PIDPressure"}],)"
      R"("conditions":[{"type":"PIDPressure","status":"Unknown","reason":"","message":""}]}})");
}

TEST(NodeConditionsPatch, NamesUidVersionAndTheChangedConditionsOnly) {
  const NodeCondition ready{.type = "Ready",
                            .status = ConditionStatus::Unknown,
                            .reason = "NodeStatusUnknown",
                            .message = "Kubelet stopped posting node status.",
                            .last_heartbeat = midday - 1min,
                            .last_transition = midday};
  EXPECT_EQ(node_conditions_patch(this_version, {&ready, 1}),
            R"({"metadata":{"uid":"u1","resourceVersion":"42"},"status":{"conditions":[)"
            R"({"type":"Ready","status":"Unknown","lastHeartbeatTime":"2026-01-02T11:59:00Z",)"
            R"("lastTransitionTime":"2026-01-02T12:00:00Z","reason":"NodeStatusUnknown",)"
            R"("message":"Kubelet stopped posting node status."}]}})");
}

TEST(NodeConditionsPatch, TimeThatWasNeverSetIsLeftOut) {
  const NodeCondition ready{.type = "Ready", .status = ConditionStatus::False};
  EXPECT_EQ(node_conditions_patch(any_version, {&ready, 1}),
            R"({"metadata":{"uid":"u1"},"status":{"conditions":[)"
            R"({"type":"Ready","status":"False","reason":"","message":""}]}})");
}

TEST(NodeTaintsPatch, CarriesTheWholeListInItsOrder) {
  const std::vector<Taint> taints{
      {.key = "dedicated", .value = "db", .effect = "NoFlying"},
      {.key = "node.kubernetes.io/unreachable", .effect = "NoExecute", .time_added = midday}};
  EXPECT_EQ(node_taints_patch(this_version, taints),
            R"({"metadata":{"uid":"u1","resourceVersion":"42"},"spec":{"taints":[)"
            R"({"key":"dedicated","value":"db","effect":"NoFlying"},)"
            R"({"key":"node.kubernetes.io/unreachable","effect":"NoExecute",)"
            R"("timeAdded":"2026-01-02T12:00:00Z"}]}})");
}

TEST(NodeTaintsPatch, EmptyListIsNullSoThatTheFieldLeaves) {
  EXPECT_EQ(node_taints_patch(this_version, {}),
            R"({"metadata":{"uid":"u1","resourceVersion":"42"},"spec":{"taints":null}})");
}

TEST(NodeLabelsPatch, SetsTheGivenLabelsOnly) {
  EXPECT_EQ(node_labels_patch(any_version, {{"kubernetes.io/os", "linux"}, {"a", "\"quoted\""}}),
            R"({"metadata":{"uid":"u1","labels":{"kubernetes.io/os":"linux","a":"\"quoted\""}}})");
}

TEST(PodNotReadyPatch, LeavesReasonAndMessageAlone) {
  EXPECT_EQ(pod_not_ready_patch(this_version, midday),
            R"({"metadata":{"uid":"u1","resourceVersion":"42"},"status":{"conditions":[)"
            R"({"type":"Ready","status":"False","lastTransitionTime":"2026-01-02T12:00:00Z"}]}})");
}

TEST(PodDisruptionPatch, HasUpstreamsReasonAndMessage) {
  EXPECT_EQ(pod_disruption_patch(any_version, {.transition = midday, .observed_generation = 5}),
            R"({"metadata":{"uid":"u1"},"status":{"conditions":[)"
            R"({"type":"DisruptionTarget","status":"True","reason":"DeletionByTaintManager",)"
            R"("message":"Taint manager: deleting due to NoExecute taint",)"
            R"("lastTransitionTime":"2026-01-02T12:00:00Z","observedGeneration":5}]}})");
}

TEST(PodDisruptionPatch, GenerationThatTheServerDoesNotGiveIsLeftOut) {
  EXPECT_EQ(pod_disruption_patch(any_version, {.transition = midday}).find("observedGeneration"),
            std::string::npos);
}

TEST(DeleteOptions, NameTheUidAndLeaveTheGraceToThePod) {
  EXPECT_EQ(delete_options(any_version),
            R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u1"}})");
  EXPECT_EQ(
      delete_options(this_version),
      R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u1","resourceVersion":"42"}})");
}

Event node_event() {
  return {.namespace_ = "default",
          .name = "n1.17f",
          .object_kind = "Node",
          .object_name = "n1",
          .object_uid = "u1",
          .reason = "NodeNotReady",
          .message = "Node n1 status is now: NodeNotReady",
          .component = "node-controller",
          .first_seen = midday,
          .last_seen = midday + 5s,
          .count = 2};
}

TEST(EventBody, EventOfANodeIsExactlyThis) {
  EXPECT_EQ(
      encode_event(node_event()),
      R"({"kind":"Event","apiVersion":"v1","metadata":{"name":"n1.17f","namespace":"default"},)"
      R"("involvedObject":{"kind":"Node","name":"n1","uid":"u1","apiVersion":"v1"},)"
      R"("reason":"NodeNotReady","message":"Node n1 status is now: NodeNotReady",)"
      R"("source":{"component":"node-controller"},"firstTimestamp":"2026-01-02T12:00:00Z",)"
      R"("lastTimestamp":"2026-01-02T12:00:05Z","count":2,"type":"Normal",)"
      R"("reportingComponent":"node-controller","reportingInstance":""})");
}

TEST(EventBody, EventOfAPodNamesItsNamespace) {
  Event event = node_event();
  event.object_kind = "Pod";
  event.object_namespace = "shop";
  EXPECT_NE(encode_event(event).find(R"("involvedObject":{"kind":"Pod","namespace":"shop",)"),
            std::string::npos);
}

TEST(EventBody, RepetitionPatchesCountTimeAndMessage) {
  EXPECT_EQ(event_count_patch(node_event()), R"({"count":2,"lastTimestamp":"2026-01-02T12:00:05Z",)"
                                             R"("message":"Node n1 status is now: NodeNotReady"})");
}

}  // namespace
}  // namespace nlc::api
