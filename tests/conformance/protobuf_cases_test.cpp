#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <string>

#include "api/decode.h"
#include "client/streams/watch_reader.h"
#include "sim/apiserver/answers/protobuf_answer.h"
#include "sim/apiserver/requests/protobuf_body.h"
#include "sim/apiserver/types/typed_object.h"
#include "tests/yaml_file.h"

/// Bytes that upstream's encoders made, each under the id of its case.
namespace nlc::conformance {
namespace {

using api::Decoder;
using api::Encoding;
using Json = nlohmann::json;
using sim::in_envelope;

struct ProtobufCase {
  yaml::Value inputs;
  yaml::Value expected;
};

ProtobufCase case_of(const std::string& id) {
  const yaml::Value file = tests::yaml_file(NLC_CONFORMANCE_DIR "/cases/election-informer.yaml");
  for (const yaml::Value& one : file["cases"].list) {
    if (one["id"].text == id) return {one["inputs"], one["expected"]};
  }
  ADD_FAILURE() << "no case " << id;
  return {};
}

std::string bytes_of(const std::string& hex) {
  std::string bytes;
  for (std::size_t at = 0; at + 1 < hex.size(); at += 2) {
    bytes += static_cast<char>(std::stoi(hex.substr(at, 2), nullptr, 16));
  }
  return bytes;
}
std::string bytes_of(const ProtobufCase& one) { return bytes_of(one.inputs["hex"].text); }

/// A field of a message: short ones only.
std::string field(int number, const std::string& content) {
  std::string bytes;
  const int tag = number * 8 + 2;
  if (tag < 128) bytes += static_cast<char>(tag);
  if (tag >= 128) bytes += {static_cast<char>(tag % 128 + 128), static_cast<char>(tag / 128)};
  return bytes + static_cast<char>(content.size()) + content;
}

/// Go writes a time that was never set as null, and leaves out what is empty in other places.
void drop_nulls(Json& json) {
  if (!json.is_structured()) return;
  for (auto at = json.begin(); at != json.end();) {
    if (at->is_null()) {
      at = json.erase(at);
    } else {
      drop_nulls(*at);
      ++at;
    }
  }
}

/// What the embedded server reads from the bytes is the object of the case.
void expect_json(const std::string& enveloped, const ProtobufCase& one) {
  auto read = sim::read_protobuf(enveloped);
  ASSERT_TRUE(read);
  Json wanted = Json::parse(one.expected["json"].text);
  Json found = *read;
  // What Go leaves out where it is empty is left out where objects are read into their types.
  sim::read_typed((*read)["kind"].get<std::string>(), found);
  for (const char* key : {"kind", "apiVersion"}) {
    if (one.expected[key].is_defined()) {
      EXPECT_EQ(found[key], one.expected[key].text);
    }
    found.erase(key);
  }
  drop_nulls(wanted);
  drop_nulls(found);
  EXPECT_EQ(found, wanted);
}

TEST(ProtobufCase, PB_01_AnEnvelopedLeaseIsTheSameObjectAsItsJson) {
  const ProtobufCase one = case_of("PB-01");
  expect_json(bytes_of(one), one);
  const auto lease = Decoder<api::NodeLease>(Encoding::Protobuf).object(bytes_of(one));
  ASSERT_TRUE(lease) << lease.error().path;
  EXPECT_EQ(lease->name, "bar");
  EXPECT_EQ(rfc3339_micro(*lease->renewed), "2026-01-02T03:04:07.000006Z");
}

TEST(ProtobufCase, PB_03_APodIsTheSameObjectAsItsJson) {
  const ProtobufCase one = case_of("PB-03");
  const std::string body = in_envelope("Pod", bytes_of(one));
  const auto pod = Decoder<api::Pod>(Encoding::Protobuf).object(body);
  const auto twin = Decoder<api::Pod>().object(one.expected["json"].text);
  ASSERT_TRUE(pod) << pod.error().path;
  ASSERT_TRUE(twin) << twin.error().path;
  EXPECT_TRUE(*pod == *twin);
  EXPECT_EQ(pod->tolerations.at(0).seconds, 300);
}

TEST(ProtobufCase, PB_04_AFrameWithAMarkedBookmarkEndsTheInitialEvents) {
  const ProtobufCase one = case_of("PB-04");
  const std::string frame = bytes_of(one);
  const std::size_t length = yaml::json_of(one.expected["frameLength"]);
  EXPECT_EQ(static_cast<unsigned char>(frame[3]), length);
  EXPECT_EQ(frame.size(), 4U + length);
  const auto event = Decoder<api::Node>(Encoding::Protobuf).watch_event(frame.substr(4));
  EXPECT_EQ(event.type, api::EventType::Bookmark) << event.problem;
  EXPECT_TRUE(event.ends_initial_events);
  EXPECT_EQ(event.resource_version, "30");
}

TEST(ProtobufCase, PB_05_AStatusIsReadFromItsEnvelope) {
  const ProtobufCase one = case_of("PB-05");
  const api::Status status = api::decode_status(bytes_of(one));
  const Json wanted = Json::parse(one.expected["json"].text);
  EXPECT_EQ(status.code, wanted["code"]);
  EXPECT_EQ(status.reason, wanted.value("reason", ""));
  EXPECT_EQ(status.message, wanted.value("message", ""));
}

/// A Lease called "l" with this spec.
Result<api::NodeLease> lease_with(const std::string& spec) {
  return Decoder<api::NodeLease>(Encoding::Protobuf)
      .object(in_envelope("Lease", field(1, field(1, "l")) + field(2, spec)));
}

TEST(ProtobufCase, PB_06_ATimeThatIsSetToZeroIsNoTime) {
  const auto lease = lease_with(bytes_of(case_of("PB-06")));
  ASSERT_TRUE(lease) << lease.error().path;
  EXPECT_FALSE(lease->renewed);
}

TEST(ProtobufCase, PB_07_AnEmptyLeaseHasAnEmptySpec) {
  const ProtobufCase one = case_of("PB-07");
  expect_json(in_envelope("Lease", bytes_of(one)), one);
}

TEST(ProtobufCase, PB_08_ANegativeNumberTakesTenBytes) {
  const std::string metadata = field(1, "p") + field(3, "d");
  const std::string spec = field(22, bytes_of(case_of("PB-08")));
  const auto pod = Decoder<api::Pod>(Encoding::Protobuf)
                       .object(in_envelope("Pod", field(1, metadata) + field(2, spec)));
  ASSERT_TRUE(pod) << pod.error().path;
  EXPECT_EQ(pod->tolerations.at(0).seconds, -1);
}

TEST(ProtobufCase, PB_10_FieldsThatNobodyKnowsAreSkipped) {
  const ProtobufCase one = case_of("PB-10");
  const auto lease = lease_with(bytes_of(one.inputs["leaseSpecHex"].text));
  EXPECT_TRUE(lease) << lease.error().path;
}

TEST(ProtobufCase, PB_11_BodiesWithoutTheMagicOrEmptyAreRefused) {
  const ProtobufCase one = case_of("PB-11");
  for (const yaml::Value& body : one.inputs["bodies"].list) {
    const std::string bytes = bytes_of(body.text);
    EXPECT_FALSE(Decoder<api::Node>(Encoding::Protobuf).object(bytes)) << body.text;
    EXPECT_FALSE(sim::read_protobuf(bytes)) << body.text;
  }
}

struct NothingHeard final : client::WatchListener<api::Node> {
  void on_open() override {}
  void on_events(std::span<api::WatchEvent<api::Node>> batch, std::optional<Instant>) override {
    events += batch.size();
  }
  void on_end(client::StreamEnd) override { ended = true; }
  std::size_t events = 0;
  bool ended = false;
};

TEST(ProtobufCase, PB_12_AFrameCutInTheMiddleIsNoEvent) {
  NothingHeard heard;
  client::WatchReader<api::Node> reader(heard);
  reader.on_head("application/vnd.kubernetes.protobuf;stream=watch");
  reader.on_bytes(bytes_of(case_of("PB-04")).substr(0, 60));
  reader.on_end({});
  EXPECT_EQ(reader.take({}), nullptr);
  EXPECT_EQ(heard.events, 0U);
  EXPECT_TRUE(heard.ended);
}

}  // namespace
}  // namespace nlc::conformance
