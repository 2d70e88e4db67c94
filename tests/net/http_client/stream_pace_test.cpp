#include "net/http_client/stream_pace.h"

#include <gtest/gtest.h>

#include "net/http_client/stream_pause.h"

namespace nlc::net {
namespace {

using namespace std::chrono_literals;

const Instant start{1h};

TEST(StreamPace, ABusyStreamIsReadAfterItsPause) {
  StreamPace pace;
  EXPECT_EQ(pace.next_look(50ms, start), start + 50ms);
  EXPECT_EQ(pace.next_look(5ms, start), start + 5ms);
}

TEST(StreamPace, AQuietStreamIsWokenByItsFirstByteWhereAllAreQuiet) {
  StreamPace pace;
  EXPECT_EQ(pace.next_look({}, start), std::nullopt);
}

TEST(StreamPace, AQuietStreamIsReadWithTheBusyOne) {
  StreamPace pace;
  pace.next_look(50ms, start);
  EXPECT_EQ(pace.next_look({}, start + 20ms), start + 50ms);
}

TEST(StreamPace, AQuietStreamIsWokenAgainWhenTheBusyOneFellSilent) {
  StreamPace pace;
  pace.next_look(50ms, start);
  EXPECT_EQ(pace.next_look({}, start + 50ms), std::nullopt);
}

/// A stream on which an event comes so many times a second, read after each pause, or event by
/// event where there is none.
std::optional<Duration> settled_pause(int rate, Duration limit) {
  StreamPause pause(limit);
  std::optional<Duration> rest;
  Instant now = start;
  for (int look = 0; look < 20; ++look) {
    const Duration gone = std::max(rest.value_or(Duration{0}), Duration(1s) / rate);
    now += gone;
    rest = pause.after(static_cast<std::size_t>(rate * gone / Duration(1s)), now);
  }
  return rest ? std::optional(std::chrono::round<std::chrono::milliseconds>(*rest)) : rest;
}

TEST(StreamPause, TheFasterEventsFollowTheLongerTheyGather) {
  EXPECT_EQ(settled_pause(10, 500ms), std::nullopt);
  EXPECT_EQ(settled_pause(100, 500ms), 150ms);
  EXPECT_EQ(settled_pause(200, 500ms), 300ms);
}

TEST(StreamPause, IsNeverLongerThanTheWatchAllows) {
  EXPECT_EQ(settled_pause(500, 500ms), 500ms);
  EXPECT_EQ(settled_pause(500, 5ms), 5ms);
  EXPECT_EQ(settled_pause(500, 0ms), std::nullopt);
}

TEST(StreamPause, ABurstIsNotTakenForASteadyStream) {
  StreamPause pause(500ms);
  EXPECT_EQ(pause.after(1, start), std::nullopt);
  EXPECT_EQ(pause.after(50, start + 1ms), 50ms);
  EXPECT_EQ(pause.after(1000, start + 51ms), 100ms);
}

TEST(StreamPause, ALookThatFindsNothingEndsIt) {
  StreamPause pause(500ms);
  pause.after(100, start);
  ASSERT_TRUE(pause.after(100, start + 10ms));
  EXPECT_EQ(pause.after(0, start + 60ms), std::nullopt);
  EXPECT_EQ(pause.after(1, start + 10s), std::nullopt);
}

}  // namespace
}  // namespace nlc::net
