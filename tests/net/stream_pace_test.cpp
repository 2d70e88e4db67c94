#include "net/stream_pace.h"

#include <gtest/gtest.h>

namespace nlc::net {
namespace {

using namespace std::chrono_literals;
using Stream = StreamPace::Stream;

const Instant start{1h};

TEST(StreamPace, ABusyStreamIsReadOnceInItsBatchingTime) {
  StreamPace pace;
  EXPECT_EQ(pace.next_look(Stream::Busy, 50ms, start), start + 50ms);
  EXPECT_EQ(pace.next_look(Stream::Busy, 5ms, start), start + 5ms);
}

TEST(StreamPace, AQuietStreamIsWokenByItsFirstByteWhereAllAreQuiet) {
  StreamPace pace;
  EXPECT_EQ(pace.next_look(Stream::Quiet, 5ms, start), std::nullopt);
}

TEST(StreamPace, AQuietStreamIsReadWithTheBusyOne) {
  StreamPace pace;
  pace.next_look(Stream::Busy, 50ms, start);
  EXPECT_EQ(pace.next_look(Stream::Quiet, 5ms, start + 20ms), start + 50ms);
}

TEST(StreamPace, AQuietStreamIsWokenAgainWhenTheBusyOneFellSilent) {
  StreamPace pace;
  pace.next_look(Stream::Busy, 50ms, start);
  EXPECT_EQ(pace.next_look(Stream::Quiet, 5ms, start + 50ms), std::nullopt);
}

}  // namespace
}  // namespace nlc::net
