#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <protozero/pbf_reader.hpp>
#include <string>
#include <vector>

#include "api/decode.h"
#include "runtime/random.h"
#include "sim/apiserver/answers/protobuf_answer.h"
#include "sim/apiserver/requests/protobuf_body.h"
#include "tests/conformance/recorded.h"

/// The two decoders are held equal over the same objects: recorded ones, which another reader of
/// protobuf turns into JSON, and invented ones, which another writer turns into protobuf.
namespace nlc::api {
namespace {

using conformance::recorded;
using nlohmann::json;
using sim::in_envelope;
using sim::protobuf_frame;
using sim::protobuf_of;

/// Decodes an enveloped object both ways; false where they differ.
template <typename T>
bool same_both_ways(const std::string& enveloped) {
  const Result<T> from_protobuf = Decoder<T>(Encoding::Protobuf).object(enveloped);
  const Result<T> from_json = Decoder<T>().object(sim::read_protobuf(enveloped)->dump());
  EXPECT_TRUE(from_protobuf && from_json);
  return from_protobuf && from_json && *from_protobuf == *from_json;
}

/// The items of a recorded list, each in an envelope of its own.
std::vector<std::string> recorded_items(const std::string& file, const std::string& kind) {
  const std::string body = recorded(file);
  protozero::pbf_reader unknown(body.data() + 4, body.size() - 4);
  std::vector<std::string> items;
  while (unknown.next(2)) {
    protozero::pbf_reader list = unknown.get_message();
    while (list.next(2)) items.push_back(in_envelope(kind, list.get_string()));
  }
  return items;
}

/// The frames of a recorded watch, without their lengths.
std::vector<std::string> recorded_frames(const std::string& file) {
  const std::string bytes = recorded(file);
  std::vector<std::string> frames;
  for (std::size_t at = 0; at + 4 <= bytes.size();) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i) {
      size = size * 256 + static_cast<unsigned char>(bytes[at + i]);
    }
    frames.push_back(bytes.substr(at + 4, size));
    at += 4 + size;
  }
  return frames;
}

template <typename T>
std::size_t equal_items(const std::string& file) {
  std::size_t equal = 0;
  for (const std::string& item : recorded_items(file, std::string(T::kind()))) {
    EXPECT_TRUE(same_both_ways<T>(item)) << file;
    ++equal;
  }
  return equal;
}

/// Compares the objects of a recorded watch, and what the decoder says of its events.
template <typename T>
std::size_t equal_events(const std::string& file) {
  Decoder<T> decoder(Encoding::Protobuf);
  std::size_t equal = 0;
  for (const std::string& frame : recorded_frames(file)) {
    const WatchEvent<T> event = decoder.watch_event(frame);
    EXPECT_EQ(event.problem, "") << file;
    if (event.object.name.empty()) continue;
    const std::string enveloped = frame.substr(frame.find(std::string("k8s\0", 4)));
    const Result<T> from_json = Decoder<T>().object(sim::read_protobuf(enveloped)->dump());
    EXPECT_TRUE(from_json && *from_json == event.object) << file;
    EXPECT_EQ(event.resource_version, event.object.resource_version);
    ++equal;
  }
  return equal;
}

TEST(TwoEncodings, RecordedObjectsAreTheSameInBoth) {
  EXPECT_TRUE(same_both_ways<Node>(recorded("get-node.pb")));
  EXPECT_EQ(equal_items<Node>("list-nodes.pb"), 4U);
  EXPECT_EQ(equal_items<NodeLease>("list-leases.pb"), 4U);
  EXPECT_EQ(equal_items<Pod>("list-pods.pb"), 3U);
}

TEST(TwoEncodings, RecordedEventsAreTheSameInBoth) {
  EXPECT_EQ(equal_events<NodeLease>("watch-leases.watch.pb"), 13U);
  EXPECT_EQ(equal_events<Pod>("watch-pods-graceful-delete.watch.pb"), 8U);
  EXPECT_EQ(equal_events<Node>("watch-nodes-initial-events.watch.pb"), 4U);
}

TEST(TwoEncodings, AServersTwinsOfTheSameObjectAreTheSame) {
  const Result<Node> json_node = Decoder<Node>().object(recorded("get-node.json"));
  const Result<Node> node = Decoder<Node>(Encoding::Protobuf).object(recorded("get-node.pb"));
  ASSERT_TRUE(json_node && node);
  EXPECT_EQ(node->name, json_node->name);
  EXPECT_EQ(node->uid, json_node->uid);
  EXPECT_EQ(node->labels, json_node->labels);
  EXPECT_EQ(node->created, json_node->created);
  EXPECT_EQ(node->conditions.size(), json_node->conditions.size());
}

TEST(TwoEncodings, PauseOfANodeIsTheSameInBoth) {
  constexpr std::string_view text =
      R"({"kind":"Node","apiVersion":"v1","metadata":{"name":"n","annotations":{"node-lifecycle-controller/pause":"all","other":"x"}}})";
  const std::string_view proto(
      "k8s\0\x0a\x0a\x0a\x02v1\x12\x04Node\x12\x37\x0a\x35\x0a\x01n"
      "\x62\x26\x0a\x1fnode-lifecycle-controller/pause\x12\x03"
      "all\x62\x08\x0a\x03old\x12\x01x",
      73);
  const Result<Node> by_json = Decoder<Node>().object(text);
  const Result<Node> by_proto = Decoder<Node>(Encoding::Protobuf).object(proto);
  ASSERT_TRUE(by_json && by_proto) << by_proto.error().path;
  EXPECT_EQ(by_json->pause, "all");
  EXPECT_EQ(*by_json, *by_proto);
}

TEST(TwoEncodings, ConfigMapIsTheSameInBoth) {
  constexpr std::string_view text =
      R"({"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"c","namespace":"d"},"data":{"pause":"all"},"binaryData":{"x":"AAE="}})";
  const std::string_view proto(
      "k8s\0\x0a\x0f\x0a\x02v1\x12\x09"
      "ConfigMap\x12\x1f\x0a\x06\x0a\x01"
      "c\x1a\x01"
      "d\x12\x0c\x0a\x05pause\x12\x03"
      "all\x1a\x07\x0a\x01x\x12\x02\x00\x01",
      54);
  const Result<ConfigMap> by_json = Decoder<ConfigMap>().object(text);
  const Result<ConfigMap> by_proto = Decoder<ConfigMap>(Encoding::Protobuf).object(proto);
  ASSERT_TRUE(by_json && by_proto);
  EXPECT_EQ(by_json->data, (decltype(by_json->data){{"pause", "all"}, {"x", std::string(binary)}}));
  EXPECT_EQ(*by_json, *by_proto);
}

TEST(TwoEncodings, ListsHaveTheSameHead) {
  const auto page = Decoder<Node>(Encoding::Protobuf).list(recorded("list-nodes.pb"));
  ASSERT_TRUE(page);
  EXPECT_EQ(page->resource_version, "1023");
  EXPECT_EQ(page->continue_token, "");
  EXPECT_EQ(page->items.size(), 4U);
  EXPECT_TRUE(page->malformed.empty());
}

TEST(TwoEncodings, BookmarksAndErrorsAreRead) {
  Decoder<Node> decoder(Encoding::Protobuf);
  const auto initial = recorded_frames("watch-nodes-initial-events.watch.pb");
  const WatchEvent<Node> mark = decoder.watch_event(initial.back());
  EXPECT_EQ(mark.type, EventType::Bookmark);
  EXPECT_TRUE(mark.ends_initial_events);
  EXPECT_NE(mark.resource_version, "");
  const WatchEvent<Node> expired =
      decoder.watch_event(recorded_frames("watch-expired.watch.pb").at(0));
  EXPECT_EQ(expired.type, EventType::Error);
  EXPECT_EQ(expired.status.code, 410);
  EXPECT_EQ(expired.status.reason, "Expired");
  EXPECT_TRUE(expired.status.message.starts_with("too old resource version"))
      << expired.status.message;
}

// --- invented objects ---------------------------------------------------------------------------

/// Invents objects as a server could send them, odd ones among them.
class Inventor {
 public:
  explicit Inventor(std::uint64_t seed) : random_(seed) {}

  json lease() {
    json object{{"kind", "Lease"}, {"metadata", metadata()}};
    object["spec"] = json{{"holderIdentity", word()}, {"leaseDurationSeconds", 40}};
    if (chance(9)) object["spec"]["renewTime"] = micro_time();
    return object;
  }

  json node() {
    json object{{"kind", "Node"}, {"metadata", metadata()}};
    if (chance(5)) object["metadata"]["labels"] = labels();
    if (chance(2)) object["spec"]["unschedulable"] = true;
    for (std::size_t i = below(4); i > 0; --i) object["spec"]["taints"].push_back(taint());
    for (std::size_t i = below(6); i > 0; --i) {
      object["status"]["conditions"].push_back(condition());
    }
    return object;
  }

  json pod() {
    json object{{"kind", "Pod"}, {"metadata", metadata()}};
    object["metadata"]["namespace"] = word();
    if (chance(3)) object["metadata"]["ownerReferences"] = {owner(), owner()};
    if (chance(8)) object["spec"]["nodeName"] = word();
    for (std::size_t i = below(5); i > 0; --i) {
      object["spec"]["tolerations"].push_back(toleration());
    }
    object["status"]["phase"] = pick({"Pending", "Running", "Succeeded", "Failed", "Unknown"});
    if (chance(2)) object["status"]["reason"] = pick({"NodeLost", "Evicted"});
    for (std::size_t i = below(5); i > 0; --i) {
      object["status"]["conditions"].push_back(condition());
    }
    return object;
  }

 private:
  std::size_t below(std::size_t limit) { return random_.below(limit); }
  bool chance(std::size_t tenths) { return below(10) < tenths; }

  std::string pick(std::vector<std::string> words) { return words[below(words.size())]; }

  std::string word() {
    return pick({"a", "hollow-17", "node.kubernetes.io/unreachable", "übermäßig \"quoted\"\n",
                 std::string(300, 'x'), "cdcfbc2a-0db5-44c4-a543-ff0dbcf31da1", "\xE6\x97\xA5"});
  }

  std::string time() { return rfc3339(WallTime{std::chrono::seconds(below(4'000'000'000))}); }
  std::string micro_time() {
    return rfc3339_micro(WallTime{std::chrono::microseconds(below(4'000'000'000'000'000))});
  }

  json metadata() {
    json fields{{"name", word()},
                {"uid", word()},
                {"resourceVersion", std::to_string(below(1'000'000'000))},
                {"annotations", {{word(), word()}}}};
    if (chance(8)) fields["creationTimestamp"] = time();
    if (chance(2)) fields["deletionTimestamp"] = time();
    if (chance(5)) fields["generation"] = below(1000);
    return fields;
  }

  json labels() {
    json map = json::object();
    for (const std::string_view key : {label::zone, label::region, label::os, label::arch_beta}) {
      if (chance(6)) map[std::string(key)] = word();
    }
    map["kubernetes.io/hostname"] = word();
    return map;
  }

  json taint() {
    json fields{{"key", word()}, {"effect", pick({"NoSchedule", "NoExecute", "NoFlying"})}};
    if (chance(5)) fields["value"] = word();
    if (chance(5)) fields["timeAdded"] = time();
    return fields;
  }

  json toleration() {
    json fields = json::object();
    if (chance(7)) fields["key"] = word();
    if (chance(7)) fields["operator"] = pick({"Exists", "Equal", "Lt"});
    if (chance(3)) fields["value"] = word();
    if (chance(7)) fields["effect"] = pick({"NoExecute", "NoSchedule"});
    if (chance(5)) fields["tolerationSeconds"] = static_cast<std::int64_t>(below(600)) - 100;
    return fields;
  }

  json condition() {
    json fields{{"type", pick({"Ready", "DiskPressure", "DisruptionTarget", "Initialized"})},
                {"status", pick({"True", "False", "Unknown", "Perhaps", ""})}};
    if (chance(7)) fields["reason"] = word();
    if (chance(7)) fields["message"] = word();
    if (chance(7)) fields["lastHeartbeatTime"] = time();
    if (chance(7)) fields["lastTransitionTime"] = time();
    return fields;
  }

  json owner() {
    json fields{{"kind", pick({"DaemonSet", "ReplicaSet"})}, {"name", word()}};
    if (chance(7)) fields["controller"] = chance(5);
    return fields;
  }

  Random random_;
};

template <typename T>
void expect_equal(Decoder<T>& decoder, const json& object) {
  const WatchEvent<T> event =
      decoder.watch_event(protobuf_frame("MODIFIED", protobuf_of(object)).substr(4));
  const Result<T> twin = Decoder<T>().object(object.dump());
  ASSERT_TRUE(twin) << object.dump();
  ASSERT_EQ(event.problem, "") << object.dump();
  ASSERT_TRUE(event.object == *twin) << object.dump(2);
}

TEST(TwoEncodings, ThreeThousandInventedObjectsAreTheSameInBoth) {
  Inventor inventor(20261121);
  Decoder<Node> nodes(Encoding::Protobuf);
  Decoder<NodeLease> leases(Encoding::Protobuf);
  Decoder<Pod> pods(Encoding::Protobuf);
  for (int i = 0; i < 1000; ++i) {
    expect_equal(nodes, inventor.node());
    expect_equal(leases, inventor.lease());
    expect_equal(pods, inventor.pod());
  }
}

// --- what cannot be read ------------------------------------------------------------------------

/// A ListMeta of version 9.
const std::string head_of_list = std::string("\x0a\x03\x12\x01") + "9";

std::string problem_of(const std::string& body) {
  const Result<Pod> pod = Decoder<Pod>(Encoding::Protobuf).object(body);
  return pod ? "" : pod.error().path;
}

TEST(MalformedProtobuf, SaysWhatIsMissing) {
  EXPECT_EQ(problem_of(""), "no protobuf of Kubernetes");
  EXPECT_EQ(problem_of("{}"), "no protobuf of Kubernetes");
  EXPECT_EQ(problem_of(in_envelope("Pod", "")), "metadata is missing");
  EXPECT_EQ(problem_of(protobuf_of({{"kind", "Pod"}, {"metadata", {{"uid", "u"}}}})),
            "metadata.name is missing");
  EXPECT_EQ(problem_of(protobuf_of({{"kind", "Pod"}, {"metadata", {{"name", "p"}}}})),
            "Pod /p: metadata.namespace is missing");
}

TEST(MalformedProtobuf, TextThatIsNoUtf8IsRefusedAsJsonDoes) {
  std::string body =
      protobuf_of({{"kind", "Pod"}, {"metadata", {{"name", "XX"}, {"namespace", "s"}}}});
  body.replace(body.find("XX"), 2, "\xff\xfe");
  EXPECT_EQ(problem_of(body), "field 1 is no UTF-8");
}

TEST(MalformedProtobuf, CutAnywhereItIsRefused) {
  Inventor inventor(7);
  const std::string whole = protobuf_of(inventor.pod());
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_NE(problem_of(whole.substr(0, size)), "") << size << " of " << whole.size();
  }
}

TEST(MalformedProtobuf, BytesThatAreWrongDoNoHarm) {
  Inventor inventor(8);
  Random random(9);
  for (int i = 0; i < 2000; ++i) {
    std::string bytes = protobuf_of(inventor.pod());
    for (int hits = 0; hits < 3; ++hits) {
      bytes[random.below(bytes.size())] = static_cast<char>(random.below(256));
    }
    problem_of(bytes);
  }
  SUCCEED();
}

TEST(MalformedProtobuf, ItemSpoilsNoneOfItsNeighbours) {
  const auto item = [](const std::string& name) {
    return sim::raw_protobuf({{"metadata", {{"name", name}}}}, "Node");
  };
  // A node "d" with a label that is no UTF-8.
  const std::string bad_label = std::string("\x0a\x08\x0a\x01") + "d" + "\x5a\x03\x0a\x01\xff";
  std::string list = head_of_list;
  for (const std::string& raw : {item("a"), std::string(), item("c"), bad_label}) {
    list += std::string("\x12") + static_cast<char>(raw.size()) + raw;
  }
  const auto page = Decoder<Node>(Encoding::Protobuf).list(in_envelope("NodeList", list));
  ASSERT_TRUE(page);
  ASSERT_EQ(page->items.size(), 2U);
  EXPECT_EQ(page->items[1].name, "c");
  ASSERT_EQ(page->malformed.size(), 2U);
  EXPECT_EQ(page->malformed[0].problem, "item 1: metadata is missing");
  EXPECT_EQ(page->malformed[0].key, "");
  EXPECT_EQ(page->malformed[1].key, "d") << page->malformed[1].problem;
}

TEST(MalformedProtobuf, ListWithoutAVersionOrOfAnotherKindIsRefused) {
  Decoder<Node> decoder(Encoding::Protobuf);
  EXPECT_TRUE(decoder.list(in_envelope("NodeList", head_of_list)));
  EXPECT_FALSE(decoder.list(in_envelope("NodeList", "")));
  EXPECT_FALSE(decoder.list(in_envelope("NodeList", std::string("\x0a\x00", 2))));
  EXPECT_FALSE(decoder.list(in_envelope("PodList", head_of_list)));
  EXPECT_FALSE(decoder.list(""));
  EXPECT_FALSE(Decoder<Pod>(Encoding::Protobuf).list(recorded("list-nodes.pb")));
}

TEST(MalformedProtobuf, ObjectOfAnotherKindIsNoList) {
  const auto page = Decoder<Node>(Encoding::Protobuf).list(recorded("get-node.pb"));
  ASSERT_FALSE(page);
  EXPECT_EQ(page.error().path, "expected a NodeList, got kind \"Node\"");
}

TEST(EncodingOf, IsTheAnswersMediaType) {
  EXPECT_EQ(encoding_of("application/vnd.kubernetes.protobuf"), Encoding::Protobuf);
  EXPECT_EQ(encoding_of("application/vnd.kubernetes.protobuf;stream=watch"), Encoding::Protobuf);
  EXPECT_EQ(encoding_of("application/json"), Encoding::Json);
  EXPECT_EQ(encoding_of(""), Encoding::Json);
}

TEST(Readable, AreJsonProtobufAndWhatStatesNothing) {
  EXPECT_TRUE(is_readable(""));
  EXPECT_TRUE(is_readable("application/json;charset=utf-8"));
  EXPECT_TRUE(is_readable("application/vnd.kubernetes.protobuf;stream=watch"));
  EXPECT_FALSE(is_readable("text/html"));
  EXPECT_FALSE(is_readable("application/cbor"));
}

}  // namespace
}  // namespace nlc::api
