#include "sim/apiserver/requests/protobuf_body.h"

#include "sim/apiserver/types/typed_object.h"
#include "tests/conformance/recorded.h"
#include "tests/sim/apiserver/api_client.h"
#include "tests/sim/apiserver/recorded_answers.h"

namespace nlc::sim {
namespace {

using conformance::recorded;

/// The enveloped objects of a recorded protobuf watch, without bookmarks and errors. Each frame is
/// a four-byte length and WatchEvent{1 type, 2 {1 raw}}; all lengths here are below 2^28.
std::vector<Json> objects_of(const std::string& file) {
  std::vector<Json> objects;
  const std::string bytes = recorded(file);
  constexpr std::string_view magic("k8s\0", 4);
  for (std::size_t at = 0; at + 4 <= bytes.size();) {
    std::size_t size = 0;
    for (std::size_t i = 0; i < 4; ++i)
      size = size * 256 + static_cast<unsigned char>(bytes[at + i]);
    const std::string_view frame = std::string_view(bytes).substr(at + 4, size);
    const bool is_object = frame.find("BOOKMARK") == std::string_view::npos &&
                           frame.find("ERROR") == std::string_view::npos;
    if (is_object) objects.push_back(*read_protobuf(frame.substr(frame.find(magic))));
    at += 4 + size;
  }
  return objects;
}

std::map<std::string, Json> by_name(const std::string& list_file) {
  std::map<std::string, Json> objects;
  const Json list = Json::parse(recorded(list_file));
  for (const Json& item : list["items"]) {
    objects[item["metadata"]["name"]] = item;
  }
  return objects;
}

TEST(ProtobufBody, ARecordedNodeReadsAsItsJsonTwin) {
  Outcome<Json> read = read_protobuf(recorded("get-node.pb"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read_typed("Node", *read).fault, "");
  EXPECT_EQ(differences(Json::parse(recorded("get-node.json")), *read), std::vector<std::string>());
}

TEST(ProtobufBody, RecordedLeasesReadAsTheirJsonTwins) {
  const std::map<std::string, Json> twins = by_name("list-leases.json");
  const std::vector<Json> leases_read = objects_of("watch-leases.watch.pb");
  ASSERT_FALSE(leases_read.empty());
  for (Json lease_read : leases_read) {
    EXPECT_EQ(lease_read["kind"], "Lease");
    lease_read.erase("kind");
    lease_read.erase("apiVersion");
    EXPECT_EQ(read_typed("Lease", lease_read).fault, "");
    const Json& twin = twins.at(lease_read["metadata"]["name"]);
    EXPECT_EQ(differences(twin, lease_read), std::vector<std::string>());
  }
}

TEST(ProtobufBody, RecordedPodsAreTakenWhenTheyArePosted) {
  ApiWorld world;
  for (const Json& object : objects_of("watch-pods-graceful-delete.watch.pb")) {
    Json fresh = object;
    fresh["metadata"].erase("resourceVersion");
    world.remove(pods + "/" + fresh["metadata"]["name"].get<std::string>(),
                 {{"gracePeriodSeconds", 0}});
    EXPECT_EQ(world.post(pods, fresh).status(), 201);
  }
}

TEST(ProtobufBody, AnEnvelopedNamespaceIsCreated) {
  ApiWorld world;
  // Unknown{1 {1 "v1", 2 "Namespace"}, 2 {1 {1 "team"}, 2 {}, 3 {}}}, as kubectl sends it.
  const std::string raw =
      std::string("\x0a\x06\x0a\x04") + "team" + std::string("\x12\x00\x1a\x00", 4);
  const std::string type = std::string("\x0a\x02") + "v1" + "\x12\x09" + "Namespace";
  std::string body("k8s\0", 4);
  body += std::string("\x0a") + static_cast<char>(type.size()) + type;
  body += std::string("\x12") + static_cast<char>(raw.size()) + raw;
  const Heard made =
      world.ask("POST", "/api/v1/namespaces", body, "application/vnd.kubernetes.protobuf");
  EXPECT_EQ(made.status(), 201);
  EXPECT_EQ(made.json()["status"]["phase"], "Active");
}

TEST(ProtobufBody, WhatIsNoProtobufIsABadRequest) {
  for (const std::string& body :
       {std::string(), std::string("{}"), std::string("k8s\0\xff\xff\xff", 7),
        std::string("k8s\0\x0a\x7f", 6), std::string("k8s\0\x08\x01", 6)}) {
    const Outcome<Json> read = read_protobuf(body);
    EXPECT_TRUE(read ? (*read)["kind"] == "" : read.error().code == 400);
  }
}

TEST(ProtobufBody, ATimeOfNoCalendarIsNone) {
  // Unknown{1 {2 "Node"}, 2 {1 {8 {1 2^62}}}}: a creationTimestamp.
  const std::string time = "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x40";
  const std::string metadata = std::string("\x42") + static_cast<char>(time.size()) + time;
  const std::string raw = std::string("\x0a") + static_cast<char>(metadata.size()) + metadata;
  const std::string body =
      std::string("k8s\0", 4) + "\x0a\x06\x12\x04Node\x12" + static_cast<char>(raw.size()) + raw;
  const Outcome<Json> read = read_protobuf(body);
  ASSERT_TRUE(read);
  EXPECT_EQ((*read)["kind"], "Node");
  EXPECT_TRUE((*read)["metadata"]["creationTimestamp"].is_null()) << read->dump();
}

TEST(ProtobufBody, CutAnywhereItNeverDoesMoreThanRefuse) {
  const std::string whole = recorded("get-node.pb");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const Outcome<Json> read = read_protobuf(std::string_view(whole).substr(0, size));
    EXPECT_TRUE(read || read.error().code == 400);
  }
}

}  // namespace
}  // namespace nlc::sim
