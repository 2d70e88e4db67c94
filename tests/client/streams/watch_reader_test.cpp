#include "client/streams/watch_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "tests/conformance/recorded.h"

namespace nlc::client {
namespace {

using conformance::recorded;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::SizeIs;

struct Heard final : WatchListener<api::NodeLease> {
  void on_open() override { ++opened; }
  void on_events(std::span<api::WatchEvent<api::NodeLease>> batch,
                 std::optional<Instant>) override {
    batches.push_back(batch.size());
    for (const auto& event : batch) {
      lines.push_back(std::to_string(static_cast<int>(event.type)) + " " + event.object.name + " " +
                      event.resource_version + event.problem);
      if (event.type == api::EventType::Error) problems.push_back(event.status.message);
    }
  }
  void on_end(StreamEnd end) override { ended.push_back(std::move(end)); }

  int opened = 0;
  std::vector<std::size_t> batches;
  std::vector<std::string> lines;
  std::vector<std::string> problems;
  std::vector<StreamEnd> ended;
};

void deliver(WatchReader<api::NodeLease>& reader) {
  if (const auto work = reader.take({})) work();
}

std::vector<std::string> read_whole(const std::string& bytes) {
  Heard heard;
  WatchReader<api::NodeLease> reader(heard);
  reader.on_bytes(bytes);
  deliver(reader);
  return heard.lines;
}

TEST(WatchReader, BytesThatComeAtOnceAreOneBatchInOrder) {
  Heard heard;
  WatchReader<api::NodeLease> reader(heard);
  reader.on_bytes(recorded("watch-leases.watch.jsonl"));
  deliver(reader);
  EXPECT_THAT(heard.batches, ElementsAre(14));
  EXPECT_EQ(heard.lines[0], "0 hollow-1 1075");
  EXPECT_EQ(heard.lines[5], "1 hollow-2 1080");
}

TEST(WatchReader, WhatAServerSaysInAnErrorIsTakenAsItsWords) {
  Heard heard;
  WatchReader<api::NodeLease> reader(heard);
  reader.on_bytes(
      R"({"type":"ERROR","object":{"kind":"Status","apiVersion":"v1","code":500,"message":"Bearer s3cret-token )" +
      std::string(5000, 'x') + "\"}}\n");
  deliver(reader);
  ASSERT_THAT(heard.problems, SizeIs(1));
  EXPECT_LE(heard.problems[0].size(), 400U);
  EXPECT_THAT(heard.problems[0], testing::StartsWith("Bearer [redacted] xxx"));
}

TEST(WatchReader, CutAnywhereTheStreamReadsTheSame) {
  const std::string stream = recorded("watch-leases.watch.jsonl");
  const std::string bytes = stream.substr(0, stream.find('\n', stream.find('\n') + 1) + 1);
  const std::vector<std::string> whole = read_whole(bytes);
  ASSERT_THAT(whole, SizeIs(2));
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    Heard heard;
    WatchReader<api::NodeLease> reader(heard);
    reader.on_bytes(bytes.substr(0, cut));
    deliver(reader);
    reader.on_bytes(bytes.substr(cut));
    deliver(reader);
    EXPECT_EQ(heard.lines, whole) << "cut at " << cut;
  }
}

TEST(WatchReader, ByteByByteTheStreamReadsTheSame) {
  const std::string bytes = recorded("watch-leases.watch.jsonl");
  Heard heard;
  WatchReader<api::NodeLease> reader(heard);
  for (const char byte : bytes) reader.on_bytes({&byte, 1});
  deliver(reader);
  EXPECT_EQ(heard.lines, read_whole(bytes));
}

TEST(WatchReader, HasNothingToDeliverUntilALineIsWhole) {
  Heard heard;
  WatchReader<api::NodeLease> reader(heard);
  EXPECT_FALSE(reader.take({}));
  reader.on_bytes(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":"7"}}})");
  EXPECT_FALSE(reader.take({}));
  reader.on_bytes("\n");
  EXPECT_TRUE(reader.take({}));
  EXPECT_FALSE(reader.take({}));
}

TEST(WatchReader, DeliveryOutlivesTheReader) {
  Heard heard;
  std::function<void()> work;
  {
    WatchReader<api::NodeLease> reader(heard);
    reader.on_bytes(recorded("watch-leases.watch.jsonl"));
    work = reader.take({});
  }
  work();
  EXPECT_THAT(heard.lines, SizeIs(14));
}

TEST(WatchReader, EmptyLinesAreNoEvents) { EXPECT_THAT(read_whole("\n\n\n"), IsEmpty()); }

TEST(WatchReader, LineThatCannotBeReadIsSaidAndTheStreamLives) {
  const std::string good =
      R"({"type":"ADDED","object":{"metadata":{"name":"n","resourceVersion":"3"}}})";
  const auto lines = read_whole("nonsense\n" + good + "\n");
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].substr(0, 1), std::to_string(static_cast<int>(api::EventType::Malformed)));
  EXPECT_EQ(lines[1], "0 n 3");
}

TEST(WatchReader, AStreamOfNothingReadableIsGivenUp) {
  Heard heard;
  WatchReader<api::NodeLease> reader(heard);
  std::string nonsense;
  for (int i = 0; i < 100'000; ++i) nonsense += "{}\n";
  reader.on_bytes(nonsense);
  reader.on_bytes(nonsense);
  deliver(reader);
  EXPECT_THAT(heard.lines, SizeIs(1001));
  EXPECT_THAT(heard.problems,
              ElementsAre("none of the last 1000 events of the stream could be read"));
}

TEST(WatchReader, OverlongLineIsSkippedAndTheStreamLives) {
  Heard heard;
  WatchReader<api::NodeLease> reader(heard);
  const std::string piece(std::size_t{4} << 20U, 'x');
  for (int i = 0; i < 6; ++i) reader.on_bytes(piece);
  reader.on_bytes(
      "x\n{\"type\":\"BOOKMARK\",\"object\":{\"metadata\":{\"resourceVersion\":\"7\"}}}\n");
  deliver(reader);
  ASSERT_THAT(heard.lines, SizeIs(2));
  EXPECT_NE(heard.lines[0].find("more than 16 MiB"), std::string::npos);
  EXPECT_EQ(heard.lines[1], "3  7");
}

TEST(WatchReader, StreamOfAForeignTypeIsOneErrorAndNoEvent) {
  Heard heard;
  WatchReader<api::NodeLease> reader(heard);
  reader.on_head("text/html; charset=utf-8");
  reader.on_bytes("<html>\n");
  reader.on_bytes(recorded("watch-leases.watch.jsonl"));
  deliver(reader);
  EXPECT_THAT(heard.lines, ElementsAre("4  "));
  EXPECT_THAT(heard.problems, ElementsAre("the stream is text/html; charset=utf-8, expected one of "
                                          "application/vnd.kubernetes.protobuf,application/json"));
}

// --- protobuf -----------------------------------------------------------------------------------

constexpr std::string_view protobuf_type = "application/vnd.kubernetes.protobuf;stream=watch";

std::vector<std::string> read_frames(std::vector<std::string> portions) {
  Heard heard;
  WatchReader<api::NodeLease> reader(heard);
  reader.on_head(protobuf_type);
  for (const std::string& portion : portions) reader.on_bytes(portion);
  deliver(reader);
  return heard.lines;
}

TEST(WatchReader, AnswerInProtobufIsReadInFrames) {
  const auto lines = read_frames({recorded("watch-leases.watch.pb")});
  ASSERT_THAT(lines, SizeIs(testing::Gt(10U)));
  EXPECT_EQ(lines[0], "0 hollow-1 1088");
  for (const std::string& line : lines) EXPECT_NE(line.front(), '5') << line;
}

TEST(WatchReader, FramesCutAnywhereReadTheSame) {
  const std::string bytes = recorded("watch-leases.watch.pb").substr(0, 1100);
  const std::vector<std::string> whole = read_frames({bytes});
  ASSERT_THAT(whole, SizeIs(2));
  for (std::size_t cut = 0; cut <= bytes.size(); ++cut) {
    EXPECT_EQ(read_frames({bytes.substr(0, cut), bytes.substr(cut)}), whole) << "cut at " << cut;
  }
  std::vector<std::string> single;
  for (const char byte : bytes) single.emplace_back(1, byte);
  EXPECT_EQ(read_frames(single), whole);
}

TEST(WatchReader, FrameThatCannotBeReadIsSaidAndTheStreamLives) {
  const std::string frame = recorded("watch-leases.watch.pb").substr(0, 4 + 0x1f0);
  const std::string nonsense{"\0\0\0\3abc", 7};
  const std::string empty(4, '\0');
  const auto lines = read_frames({nonsense + empty + frame});
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_EQ(lines[0].front(), '5') << lines[0];
  EXPECT_EQ(lines[1], "0 hollow-1 1088");
}

TEST(WatchReader, OverlongFrameIsSkippedAndTheStreamLives) {
  const std::string frame = recorded("watch-leases.watch.pb").substr(0, 4 + 0x1f0);
  std::vector<std::string> portions{std::string("\2\0\0\0", 4)};  // 32 MiB
  for (int i = 0; i < 32; ++i) portions.emplace_back(std::size_t{1} << 20U, 'x');
  portions.push_back(frame);
  const auto lines = read_frames(portions);
  ASSERT_THAT(lines, SizeIs(2));
  EXPECT_NE(lines[0].find("more than 16 MiB"), std::string::npos);
  EXPECT_EQ(lines[1], "0 hollow-1 1088");
}

TEST(WatchReader, BatchesOnTheirWayAreLeftAlone) {
  Heard heard;
  WatchReader<api::NodeLease> reader(heard);
  std::vector<std::function<void()>> works;
  for (int i = 0; i < 5; ++i) {
    reader.on_bytes(R"({"type":"BOOKMARK","object":{"metadata":{"resourceVersion":")" +
                    std::to_string(i) + "\"}}}\n");
    works.push_back(reader.take({}));
  }
  for (const auto& work : works) work();
  EXPECT_THAT(heard.lines, ElementsAre("3  0", "3  1", "3  2", "3  3", "3  4"));
}

TEST(WatchReader, OpenAndEndAreHandedOn) {
  Heard heard;
  WatchReader<api::NodeLease> reader(heard);
  reader.on_open({});
  reader.on_end({.broken = Error{Fault::Unavailable, "reset"}});
  EXPECT_EQ(heard.opened, 1);
  ASSERT_THAT(heard.ended, SizeIs(1));
  EXPECT_EQ(heard.ended[0].broken->path, "reset");
}

}  // namespace
}  // namespace nlc::client
