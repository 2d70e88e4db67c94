#include "net/http_client/stream_pace.h"

#include <gtest/gtest.h>
#include <utility>

namespace nlc::net {
namespace {

using namespace std::chrono_literals;

constexpr Duration limit = 1s;

/// A stream on which an event comes so many times a second, for a minute: read after each
/// pause, or event by event where there is none.
struct Stream {
  explicit Stream(int rate) : per_second(rate) {}

  std::optional<Duration> pause() {
    std::optional<Duration> rest;
    std::size_t told = 0;
    while (now < begin + 60s) {
      now += std::max(rest.value_or(Duration{0}), Duration(1s) / per_second);
      const auto come = static_cast<std::size_t>(per_second * (now - begin) / Duration(1s));
      pace.brought(come - std::exchange(told, come), now);
      const std::optional<Instant> look = pace.next_look(now);
      rest = look ? std::optional(*look - now) : std::nullopt;
    }
    return rest;
  }

  static constexpr Instant begin{1h};
  const int per_second;
  StreamPace pace{limit};
  Instant now = begin;
};

/// Within a tenth: the rate is told by what has come lately.
void expect_about(std::optional<Duration> pause, Duration expected) {
  ASSERT_TRUE(pause);
  EXPECT_GT(*pause, expected * 9 / 10);
  EXPECT_LT(*pause, expected * 11 / 10);
}

TEST(StreamPace, TheFasterEventsFollowTheLongerTheyGather) {
  EXPECT_EQ(Stream(10).pause(), std::nullopt);
  expect_about(Stream(50).pause(), 250ms);
  expect_about(Stream(100).pause(), 500ms);
}

TEST(StreamPace, APauseIsNeverLongerThanTheLongest) { EXPECT_EQ(Stream(500).pause(), limit); }

TEST(StreamPace, AQuietStreamIsWokenByItsFirstByteWhereAllAreQuiet) {
  StreamPace pace{limit};
  EXPECT_EQ(pace.next_look(Instant{1h}), std::nullopt);
}

TEST(StreamPace, AQuietStreamIsReadWithTheBusyOneWhicheverOfThemIsReadFirst) {
  Stream busy(100);
  busy.pause();
  const std::optional<Instant> after_it = busy.pace.next_look(busy.now);
  ASSERT_TRUE(after_it);
  busy.pace.brought(0, *after_it);
  const std::optional<Instant> before_it = busy.pace.next_look(*after_it);
  ASSERT_TRUE(before_it);
  busy.pace.brought(25, *after_it);
  EXPECT_EQ(busy.pace.next_look(*after_it), before_it);
}

TEST(StreamPace, ABurstIsNotTakenForASteadyStream) {
  StreamPace pace{limit};
  pace.brought(200, Instant{1h});
  EXPECT_EQ(pace.next_look(Instant{1h}), std::nullopt);
}

TEST(StreamPace, AMomentWithoutEventsIsNoQuietTimeYet) {
  Stream busy(200);
  busy.pause();
  busy.pace.brought(0, busy.now + 5s);
  EXPECT_TRUE(busy.pace.next_look(busy.now + 5s));
  busy.pace.brought(0, busy.now + 30s);
  EXPECT_EQ(busy.pace.next_look(busy.now + 30s), std::nullopt);
}

}  // namespace
}  // namespace nlc::net
