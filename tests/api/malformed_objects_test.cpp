#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "api/decode.h"

namespace nlc::api {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

template <typename T>
T good(const std::string& body) {
  Result<T> object = Decoder<T>().object(body);
  EXPECT_TRUE(object) << body;
  return object ? *std::move(object) : T{};
}

template <typename T>
std::string complaint(const std::string& body) {
  const Result<T> object = Decoder<T>().object(body);
  EXPECT_FALSE(object) << body;
  if (object) return "";
  EXPECT_EQ(object.error().fault, Fault::Malformed);
  return object.error().path;
}

/// A node of that name whose other parts are given as JSON text.
std::string node(const std::string& rest) { return R"({"metadata":{"name":"n7"})" + rest + "}"; }

std::string conditions(const std::string& list) {
  return node(R"(,"status":{"conditions":[)" + list + "]}");
}

TEST(MalformedObject, WithoutANameItCannotBeActedOn) {
  EXPECT_EQ(complaint<Node>("{}"), "metadata is missing");
  EXPECT_EQ(complaint<Node>(R"({"metadata":null})"), "metadata is missing");
  EXPECT_EQ(complaint<Node>(R"({"metadata":{"uid":"u"}})"), "metadata.name is missing");
  EXPECT_EQ(complaint<Node>(R"({"metadata":{"name":""}})"), "metadata.name is missing");
  EXPECT_EQ(complaint<NodeLease>(R"({"metadata":{}})"), "metadata.name is missing");
}

TEST(MalformedObject, PodNeedsANamespaceToo) {
  EXPECT_EQ(complaint<Pod>(R"({"metadata":{"name":"p"}})"),
            "Pod /p: metadata.namespace is missing");
}

TEST(MalformedObject, WrongTypeNamesObjectAndField) {
  EXPECT_EQ(complaint<Node>("[]"), "field metadata has the wrong type");
  EXPECT_EQ(complaint<Node>(R"({"metadata":"x"})"), "field name has the wrong type");
  EXPECT_EQ(complaint<Node>(R"({"metadata":{"name":7}})"), "field name has the wrong type");
  EXPECT_EQ(complaint<Node>(node(R"(,"spec":[])")),
            "Node n7: field unschedulable has the wrong type");
  EXPECT_EQ(complaint<Node>(node(R"(,"spec":{"unschedulable":"yes"})")),
            "Node n7: field unschedulable has the wrong type");
  EXPECT_EQ(complaint<Node>(node(R"(,"spec":{"taints":[{"key":1}]})")),
            "Node n7: field key has the wrong type");
  EXPECT_EQ(complaint<Node>(conditions(R"({"type":"Ready","status":true})")),
            "Node n7: field status has the wrong type");
  EXPECT_EQ(complaint<Node>(R"({"metadata":{"name":"n7","labels":[]}})"),
            "Node n7: field labels has the wrong type");
  EXPECT_EQ(
      complaint<Node>(R"({"metadata":{"name":"n7","labels":{"topology.kubernetes.io/zone":1}}})"),
      "Node n7: field topology.kubernetes.io/zone has the wrong type");
  EXPECT_EQ(complaint<NodeLease>(R"({"metadata":{"name":"n7"},"spec":{"renewTime":12}})"),
            "Lease n7: field renewTime has the wrong type");
  EXPECT_EQ(
      complaint<Pod>(
          R"({"metadata":{"name":"p","namespace":"s"},"spec":{"tolerations":[{"tolerationSeconds":"5"}]}})"),
      "Pod s/p: field tolerationSeconds has the wrong type");
}

TEST(MalformedObject, TextThatIsNoJsonIsMalformed) {
  for (const char* body : {"", "{", "nonsense", "{\"metadata\":{\"name\":\"\xff\"}}"}) {
    EXPECT_NE(complaint<Node>(body), "") << body;
  }
}

TEST(MalformedObject, SpoilsNoneOfItsNeighboursInAList) {
  const auto page = Decoder<Node>().list(
      R"({"kind":"NodeList","metadata":{"resourceVersion":"9"},"items":[
          {"metadata":{"name":"a"}}, {"metadata":{}}, 7,
          {"metadata":{"name":"d"},"spec":{"taints":{}}}, {"metadata":{"name":"e"}}]})");
  ASSERT_TRUE(page);
  ASSERT_THAT(page->items, SizeIs(2));
  EXPECT_EQ(page->items[0].name, "a");
  EXPECT_EQ(page->items[1].name, "e");
  EXPECT_EQ(page->resource_version, "9");
  std::vector<std::string> problems;
  for (const MalformedItem& item : page->malformed) problems.push_back(item.problem);
  EXPECT_THAT(problems, ElementsAre("item 1: metadata.name is missing",
                                    "item 2: field metadata has the wrong type",
                                    "item 3: Node d: field taints has the wrong type"));
}

template <typename T>
std::vector<std::string> keys_of_malformed(const std::string& kind, const std::string& items) {
  const auto page = Decoder<T>().list(
      R"({"kind":")" + kind + R"(","metadata":{"resourceVersion":"9"},"items":[)" + items + "]}");
  EXPECT_TRUE(page);
  std::vector<std::string> keys;
  if (page) {
    for (const MalformedItem& item : page->malformed) keys.push_back(item.key);
  }
  return keys;
}

TEST(MalformedItem, HasItsKeyWhereverThatCanBeRead) {
  EXPECT_THAT(keys_of_malformed<Node>(
                  "NodeList",
                  R"({"metadata":{"name":"a","labels":[]}}, {"metadata":{"name":"b","uid":7}},
                     {"metadata":{"resourceVersion":{},"name":"c"}}, {"metadata":{"name":4}},
                     {"metadata":[]}, {"spec":{}}, "node", null)"),
              ElementsAre("a", "b", "c", "", "", "", "", ""));
  EXPECT_THAT(keys_of_malformed<Pod>("PodList",
                                     R"({"metadata":{"namespace":"s","name":"a","generation":"x"}},
                     {"metadata":{"name":"b"}}, {"metadata":{"namespace":"s"}})"),
              ElementsAre("s/a", "", ""));
  EXPECT_THAT(keys_of_malformed<NodeLease>("LeaseList", R"({"metadata":{"name":"a"},"spec":"x"})"),
              ElementsAre("a"));
}

TEST(MalformedList, IsRefusedAsAWhole) {
  for (const char* body :
       {"", " ", "null", "[]", "{}", "7", R"({"kind":"Node"})",
        R"({"kind":"NodeList","metadata":{"resourceVersion":"5"},"items":{}})",
        R"({"kind":"NodeList","metadata":7,"items":[]})",
        R"({"kind":"NodeList","metadata":{"resourceVersion":"5"}})",
        R"({"kind":"NodeList","items":[]})", R"({"kind":"NodeList","metadata":null,"items":[]})",
        R"({"kind":"NodeList","metadata":{"resourceVersion":""},"items":[]})",
        R"({"kind":"NodeList","metadata":{"resourceVersion":5},"items":[]})",
        R"({"metadata":{"resourceVersion":"5"},"items":[]})"}) {
    const auto page = Decoder<Node>().list(body);
    ASSERT_FALSE(page) << body;
    EXPECT_EQ(page.error().fault, Fault::Malformed);
  }
}

TEST(EmptyList, HasNoItems) {
  for (const char* body :
       {R"({"kind":"NodeList","metadata":{"resourceVersion":"5"},"items":null})",
        R"({"kind":"NodeList","metadata":{"resourceVersion":"5"},"items":[]})"}) {
    const auto page = Decoder<Node>().list(body);
    ASSERT_TRUE(page) << body;
    EXPECT_THAT(page->items, IsEmpty());
    EXPECT_EQ(page->resource_version, "5");
  }
}

TEST(DecodedNode, AbsentPartsAreEmpty) {
  for (const std::string& body : {node(""), node(R"(,"spec":null,"status":null)"),
                                  node(R"(,"spec":{},"status":{"conditions":null})")}) {
    const Node read = good<Node>(body);
    EXPECT_THAT(read.taints, IsEmpty());
    EXPECT_THAT(read.conditions, IsEmpty());
    EXPECT_THAT(read.labels, IsEmpty());
    EXPECT_FALSE(read.created);
    EXPECT_FALSE(read.deleting);
    EXPECT_FALSE(read.unschedulable);
  }
}

TEST(DecodedNode, OfAConditionThatComesTwiceTheFirstCounts) {
  const Node read = good<Node>(conditions(
      R"({"type":"Ready","status":"True"},{"type":"Ready","status":"False"},{"type":"X","status":"True"})"));
  ASSERT_THAT(read.conditions, SizeIs(2));
  EXPECT_EQ(read.condition("Ready")->status, ConditionStatus::True);
}

TEST(DecodedNode, ConditionWithAStatusThatNobodyKnowsIsNoCondition) {
  const Node read = good<Node>(conditions(
      R"({"type":"Ready","status":"Perhaps"},{"type":"DiskPressure"},{"type":"X","status":""},)"
      R"({"type":"PIDPressure","status":"Unknown"})"));
  ASSERT_THAT(read.conditions, SizeIs(1));
  EXPECT_EQ(read.conditions[0].type, "PIDPressure");
  EXPECT_EQ(read.conditions[0].status, ConditionStatus::Unknown);
}

TEST(DecodedNode, TaintWithAnUnknownEffectKeepsItsText) {
  const Node read = good<Node>(
      node(R"(,"spec":{"taints":[{"key":"k","value":"v","effect":"NoFlying"},{"key":"k"}]})"));
  ASSERT_THAT(read.taints, SizeIs(2));
  EXPECT_EQ(read.taints[0].effect, "NoFlying");
  EXPECT_FALSE(read.taints[0].time_added);
  EXPECT_EQ(read.taints[1].effect, "");
}

TEST(DecodedNode, OddTimestampCostsOnlyItself) {
  const Node read = good<Node>(conditions(
      R"({"type":"Ready","status":"True","lastHeartbeatTime":"yesterday","lastTransitionTime":null},)"
      R"({"type":"X","status":"True","lastHeartbeatTime":"2026-01-02T05:04:05.1234567+02:00"})"));
  EXPECT_FALSE(read.condition("Ready")->last_heartbeat);
  EXPECT_FALSE(read.condition("Ready")->last_transition);
  EXPECT_EQ(rfc3339_micro(read.condition("X")->last_heartbeat.value()),
            "2026-01-02T03:04:05.123456Z");
}

TEST(DecodedNode, DeletionTimestampMeansDeleting) {
  EXPECT_TRUE(good<Node>(R"({"metadata":{"name":"n","deletionTimestamp":"2026-01-02T03:04:05Z"}})")
                  .deleting);
  EXPECT_FALSE(good<Node>(R"({"metadata":{"name":"n","deletionTimestamp":null}})").deleting);
}

TEST(DecodedNode, NameMayHaveAllTheCharactersThatAreAllowed) {
  const std::string longest(253, 'a');
  EXPECT_EQ(good<Node>(R"({"metadata":{"name":")" + longest + R"("}})").name, longest);
  EXPECT_EQ(good<Node>(R"({"metadata":{"name":"\u006e\u0037"}})").name, "n7");
}

TEST(DecodedNode, MegabyteOfOtherPeoplesFieldsDoesNotMatter) {
  const std::string bulk(std::size_t{1} << 20U, 'x');
  const Node read = good<Node>(R"({"metadata":{"annotations":{"big":")" + bulk +
                               R"("},"name":"n7"},"status":{"images":[{"names":[")" + bulk +
                               R"("]}],"conditions":[{"type":"Ready","status":"True"}]}})");
  EXPECT_EQ(read.name, "n7");
  EXPECT_EQ(read.condition("Ready")->status, ConditionStatus::True);
}

TEST(DecodedLease, WithoutRenewTimeItHasNone) {
  EXPECT_FALSE(good<NodeLease>(R"({"metadata":{"name":"n"}})").renewed);
  EXPECT_FALSE(good<NodeLease>(R"({"metadata":{"name":"n"},"spec":{}})").renewed);
  EXPECT_FALSE(good<NodeLease>(R"({"metadata":{"name":"n"},"spec":{"renewTime":null}})").renewed);
  EXPECT_FALSE(good<NodeLease>(R"({"metadata":{"name":"n"},"spec":{"renewTime":"soon"}})").renewed);
}

TEST(DecodedPod, PhaseTellsWhetherItIsFinished) {
  const auto with_phase = [](const std::string& phase) {
    return good<Pod>(R"({"metadata":{"name":"p","namespace":"s"},"status":{"phase":")" + phase +
                     R"("}})");
  };
  EXPECT_TRUE(with_phase("Succeeded").finished);
  EXPECT_TRUE(with_phase("Failed").finished);
  for (const char* phase : {"Pending", "Running", "Unknown", "", "Finished"}) {
    EXPECT_FALSE(with_phase(phase).finished) << phase;
  }
}

TEST(DecodedPod, TolerationWithoutSecondsIsForEver) {
  const Pod pod = good<Pod>(
      R"({"metadata":{"name":"p","namespace":"s"},"spec":{"tolerations":[)"
      R"({"operator":"Exists"},{"key":"k","tolerationSeconds":0},{"key":"k","tolerationSeconds":-1}]}})");
  ASSERT_THAT(pod.tolerations, SizeIs(3));
  EXPECT_FALSE(pod.tolerations[0].seconds);
  EXPECT_EQ(pod.tolerations[1].seconds, 0);
  EXPECT_EQ(pod.tolerations[2].seconds, -1);
}

TEST(DecodedPod, UnscheduledPodHasNoNode) {
  EXPECT_EQ(good<Pod>(R"({"metadata":{"name":"p","namespace":"s"},"spec":{}})").node_name, "");
}

}  // namespace
}  // namespace nlc::api
