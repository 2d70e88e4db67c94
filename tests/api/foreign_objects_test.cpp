#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>

#include "api/decode.h"
#include "sim/apiserver/answers/protobuf_answer.h"
#include "tests/conformance/recorded.h"

/// What says that it is something else is never taken for ours, in either encoding.
namespace nlc::api {
namespace {

using conformance::recorded;
using nlohmann::json;
using sim::in_envelope;
using sim::protobuf_frame;
using testing::IsEmpty;
using testing::SizeIs;

json object(const std::string& kind, const std::string& api_version) {
  return {{"kind", kind},
          {"apiVersion", api_version},
          {"metadata", {{"namespace", "s"}, {"name", "n1"}, {"resourceVersion", "7"}}}};
}

template <typename T>
WatchEvent<T> json_event(const std::string& type, const json& object) {
  return Decoder<T>().watch_event(json{{"type", type}, {"object", object}}.dump());
}

template <typename T>
WatchEvent<T> protobuf_event(const std::string& type, const std::string& kind,
                             const std::string& api_version) {
  const std::string raw = sim::raw_protobuf(object(kind, api_version), T::kind());
  return Decoder<T>(Encoding::Protobuf)
      .watch_event(protobuf_frame(type, in_envelope(kind, raw, api_version)).substr(4));
}

TEST(ForeignObject, InAWatchCannotBeReadWhateverItsEventIs) {
  for (const char* type : {"ADDED", "MODIFIED", "DELETED", "BOOKMARK"}) {
    for (const auto& [kind, api_version] :
         {std::pair("Secret", "v1"), std::pair("Pod", "v1"), std::pair("Node", "v2"),
          std::pair("Node", "metrics.k8s.io/v1beta1"), std::pair("node", "v1"),
          std::pair("PartialObjectMetadata", "meta.k8s.io/v1")}) {
      const auto event = json_event<Node>(type, object(kind, api_version));
      EXPECT_EQ(event.type, EventType::Malformed) << type << " " << kind;
      EXPECT_EQ(event.object.name, "") << "it says nothing of a node of that name";
      EXPECT_NE(event.problem.find("expected a Node"), std::string::npos) << event.problem;
      EXPECT_EQ(protobuf_event<Node>(type, kind, api_version).type, EventType::Malformed)
          << type << " " << kind;
    }
  }
}

TEST(ForeignObject, OursAreReadInBothEncodings) {
  EXPECT_EQ(json_event<Node>("ADDED", object("Node", "v1")).type, EventType::Added);
  EXPECT_EQ(protobuf_event<Node>("ADDED", "Node", "v1").type, EventType::Added);
  EXPECT_EQ(json_event<Pod>("ADDED", object("Pod", "v1")).type, EventType::Added);
  EXPECT_EQ(protobuf_event<Pod>("ADDED", "Pod", "v1").type, EventType::Added);
  const std::string leases = "coordination.k8s.io/v1";
  EXPECT_EQ(json_event<NodeLease>("ADDED", object("Lease", leases)).type, EventType::Added);
  EXPECT_EQ(protobuf_event<NodeLease>("ADDED", "Lease", leases).type, EventType::Added);
  EXPECT_EQ(json_event<NodeLease>("ADDED", object("Lease", "coordination.k8s.io/v1beta1")).type,
            EventType::Malformed);
}

TEST(ForeignObject, WhatSaysNothingOfItselfIsBelieved) {
  EXPECT_EQ(json_event<Node>("ADDED", {{"metadata", {{"name", "n1"}}}}).type, EventType::Added);
}

TEST(ForeignObject, KindThatIsNoTextIsNoKind) {
  json odd = object("Node", "v1");
  odd["kind"] = 7;
  EXPECT_EQ(json_event<Node>("ADDED", odd).type, EventType::Malformed);
}

TEST(ForeignObject, AsAnAnswerIsNoneOfOurs) {
  EXPECT_FALSE(Decoder<Node>().object(object("Pod", "v1").dump()));
  EXPECT_FALSE(Decoder<Node>().object(recorded("get-node-partial-metadata.json")));
  EXPECT_FALSE(Decoder<Pod>(Encoding::Protobuf).object(recorded("get-node.pb")));
}

TEST(ForeignList, OfAnotherKindOrGroupIsNoEmptyCluster) {
  const auto list = [](const std::string& kind, const std::string& api_version) {
    return json{{"kind", kind},
                {"apiVersion", api_version},
                {"metadata", {{"resourceVersion", "5"}}},
                {"items", json::array()}}
        .dump();
  };
  EXPECT_TRUE(Decoder<Node>().list(list("NodeList", "v1")));
  for (const char* kind :
       {"PodList", "List", "NodeListList", "NodeMetricsList", "Node", "Status", "nodeList", ""}) {
    const auto page = Decoder<Node>().list(list(kind, "v1"));
    ASSERT_FALSE(page) << kind;
    EXPECT_EQ(page.error().fault, Fault::Malformed);
  }
  EXPECT_FALSE(Decoder<Node>().list(list("NodeList", "v2")));
  EXPECT_FALSE(Decoder<NodeLease>().list(list("LeaseList", "v1")));
}

TEST(ForeignItem, IsNamedAndNotTakenForOursNorForItsNamesake) {
  const json items{{{"metadata", {{"name", "a"}}}}, object("Secret", "v1"), object("Node", "v1")};
  const auto page = Decoder<Node>().list(json{
      {"kind", "NodeList"},
      {"metadata", {{"resourceVersion", "5"}}},
      {"items", items}}.dump());
  ASSERT_TRUE(page);
  EXPECT_THAT(page->items, SizeIs(2));
  ASSERT_THAT(page->malformed, SizeIs(1));
  EXPECT_EQ(page->malformed[0].key, "");
  EXPECT_EQ(page->malformed[0].problem, "item 1: expected a Node, got kind \"Secret\"");
}

// --- events that cannot be read ------------------------------------------------------------------

TEST(MalformedEvent, TellsOfWhichObjectItIs) {
  json broken = object("Node", "v1");
  broken["spec"]["taints"] = "many";
  for (const char* type : {"ADDED", "MODIFIED"}) {
    const auto event = json_event<Node>(type, broken);
    EXPECT_EQ(event.type, EventType::Malformed);
    EXPECT_EQ(event.object.name, "n1");
    EXPECT_TRUE(event.tells_of_object);
    EXPECT_THAT(event.object.taints, IsEmpty());
  }
  broken["metadata"]["name"] = 7;
  EXPECT_EQ(json_event<Node>("ADDED", broken).object.name, "");
}

TEST(MalformedEvent, DeletionIsSeenThoughTheObjectCannotBeRead) {
  json broken = object("Pod", "v1");
  broken["metadata"]["uid"] = "u1";
  broken["status"]["phase"] = 7;
  const auto event = json_event<Pod>("DELETED", broken);
  EXPECT_EQ(event.type, EventType::Deleted);
  EXPECT_EQ(event.object.key(), "s/n1");
  EXPECT_EQ(event.object.uid, "u1");
  EXPECT_EQ(event.resource_version, "7");
  EXPECT_EQ(event.problem, "");
  broken["metadata"].erase("name");
  EXPECT_EQ(json_event<Pod>("DELETED", broken).type, EventType::Malformed);
}

TEST(MalformedEvent, BookmarkTellsOfNoObject) {
  EXPECT_FALSE(json_event<Node>("BOOKMARK", {{"kind", "Node"}}).tells_of_object);
  EXPECT_FALSE(json_event<Node>("BOOKMARK", object("Pod", "v1")).tells_of_object);
  EXPECT_TRUE(Decoder<Node>().watch_event("nonsense").tells_of_object);
}

TEST(MalformedEvent, ErrorThatCannotBeReadIsAnErrorAllTheSame) {
  for (const char* line : {R"({"type":"ERROR"})", R"({"type":"ERROR","object":null})",
                           R"({"type":"ERROR","object":{"code":"x"}})"}) {
    const auto event = Decoder<Node>().watch_event(line);
    EXPECT_EQ(event.type, EventType::Error) << line;
    EXPECT_EQ(event.status.code, 0);
    EXPECT_NE(event.status.message, "");
  }
}

TEST(MalformedEvent, OfAnUnknownTypeIsShownWithoutWhatWouldSpoilALogLine) {
  const auto event = Decoder<Node>().watch_event(
      json{{"type", "A\nB" + std::string(1000, 'x')}, {"object", json::object()}}.dump());
  EXPECT_EQ(event.problem.find('\n'), std::string::npos);
  EXPECT_LT(event.problem.size(), 300U);
}

}  // namespace
}  // namespace nlc::api
