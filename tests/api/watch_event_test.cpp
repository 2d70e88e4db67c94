#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <vector>

#include "api/decode.h"
#include "tests/conformance/recorded.h"

namespace nlc::api {
namespace {

using conformance::recorded;
using testing::SizeIs;

template <typename T>
std::vector<WatchEvent<T>> recorded_watch(const std::string& file) {
  Decoder<T> decoder;
  std::vector<WatchEvent<T>> events;
  std::istringstream lines(recorded(file));
  for (std::string line; std::getline(lines, line);) events.push_back(decoder.watch_event(line));
  return events;
}

TEST(WatchEvent, InitialEventsEndWithTheMarkedBookmark) {
  const auto events = recorded_watch<Node>("watch-nodes-initial-events.watch.jsonl");
  ASSERT_THAT(events, SizeIs(5));
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ(events[i].type, EventType::Added);
    EXPECT_EQ(events[i].object.name, "hollow-" + std::to_string(i + 1));
    EXPECT_FALSE(events[i].ends_initial_events);
  }
  EXPECT_EQ(events[4].type, EventType::Bookmark);
  EXPECT_EQ(events[4].resource_version, "1108");
  EXPECT_TRUE(events[4].ends_initial_events);
}

TEST(WatchEvent, LaterBookmarksEndNothing) {
  const auto events = recorded_watch<NodeLease>("watch-leases.watch.jsonl");
  ASSERT_THAT(events, SizeIs(14));
  EXPECT_EQ(events.back().type, EventType::Bookmark);
  EXPECT_EQ(events.back().resource_version, "1090");
  EXPECT_FALSE(events.back().ends_initial_events);
}

TEST(WatchEvent, RenewalsAreModificationsThatMoveTheTime) {
  const auto events = recorded_watch<NodeLease>("watch-leases.watch.jsonl");
  EXPECT_EQ(events[5].type, EventType::Modified);
  EXPECT_EQ(events[5].object.name, "hollow-2");
  EXPECT_EQ(events[5].resource_version, "1080");
  EXPECT_EQ(rfc3339_micro(events[5].object.renewed.value()), "2026-11-21T09:47:06.143761Z");
}

TEST(WatchEvent, NodesLifeIsFollowedFromCreationToDeletion) {
  const auto events = recorded_watch<Node>("watch-nodes-from-rv.watch.jsonl");
  ASSERT_THAT(events, SizeIs(17));
  EXPECT_EQ(events[0].type, EventType::Added);
  EXPECT_EQ(events[0].object.name, "recorded");
  EXPECT_THAT(events[5].object.taints, SizeIs(2));
  EXPECT_EQ(events[11].type, EventType::Deleted);
  EXPECT_EQ(events[11].object.resource_version, "1036");
}

TEST(WatchEvent, GracefulDeletionOfAPodIsSeenStepByStep) {
  const auto events = recorded_watch<Pod>("watch-pods-graceful-delete.watch.jsonl");
  ASSERT_THAT(events, SizeIs(11));
  EXPECT_FALSE(events[0].object.deleting);
  EXPECT_TRUE(events[4].object.deleting);
  EXPECT_FALSE(events[4].object.finished);
  EXPECT_TRUE(events[6].object.finished);
  EXPECT_EQ(events[8].type, EventType::Deleted);
}

TEST(WatchEvent, ExpiredVersionIsAnErrorWithItsStatus) {
  const auto events = recorded_watch<Node>("watch-expired.watch.jsonl");
  ASSERT_THAT(events, SizeIs(1));
  EXPECT_EQ(events[0].type, EventType::Error);
  EXPECT_EQ(events[0].status.code, 410);
  EXPECT_EQ(events[0].status.reason, "Expired");
  EXPECT_EQ(events[0].status.message, "too old resource version: 5 (1167)");
}

TEST(WatchEvent, NoRecordedEventIsMalformed) {
  for (const char* file : {"watch-nodes-from-rv.watch.jsonl", "watch-expired.watch.jsonl",
                           "watch-nodes-initial-events.watch.jsonl"}) {
    for (const auto& event : recorded_watch<Node>(file)) EXPECT_EQ(event.problem, "") << file;
  }
  for (const char* file :
       {"watch-pods-graceful-delete.watch.jsonl", "watch-field-selector.watch.jsonl"}) {
    for (const auto& event : recorded_watch<Pod>(file)) EXPECT_EQ(event.problem, "") << file;
  }
}

std::string problem_of(const std::string& line) {
  const WatchEvent<Node> event = Decoder<Node>().watch_event(line);
  EXPECT_EQ(event.type, EventType::Malformed) << line;
  return event.problem;
}

TEST(WatchEvent, UnreadableLineSaysWhatIsWrong) {
  EXPECT_NE(problem_of(""), "");
  EXPECT_NE(problem_of("{\"type\":\"ADDED\",\"object\":{"), "");
  EXPECT_EQ(problem_of("[]"), "field type has the wrong type");
  EXPECT_EQ(problem_of(R"({"type":"ADDED"})"), "object is missing");
  EXPECT_EQ(problem_of(R"({"type":"RENAMED","object":{}})"), "unknown event type \"RENAMED\"");
  EXPECT_EQ(problem_of(R"({"type":7,"object":{}})"), "field type has the wrong type");
  EXPECT_EQ(problem_of(R"({"type":"BOOKMARK","object":{}})"), "metadata is missing");
}

TEST(WatchEvent, MalformedObjectIsNamed) {
  EXPECT_EQ(
      problem_of(R"({"type":"MODIFIED","object":{"metadata":{"name":"n7"},"spec":{"taints":3}}})"),
      "Node n7: field taints has the wrong type");
}

TEST(WatchEvent, DecoderGoesOnAfterALineItCouldNotRead) {
  Decoder<Node> decoder;
  EXPECT_EQ(decoder.watch_event("{").type, EventType::Malformed);
  const auto event = decoder.watch_event(R"({"type":"ADDED","object":{"metadata":{"name":"n"}}})");
  EXPECT_EQ(event.type, EventType::Added);
  EXPECT_EQ(event.object.name, "n");
}

}  // namespace
}  // namespace nlc::api
