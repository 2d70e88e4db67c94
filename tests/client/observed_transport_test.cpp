#include "client/observed_transport.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <vector>

#include "api/objects.h"
#include "client/streams/watch_reader.h"
#include "sim/virtual_time.h"
#include "tests/client/held_transport.h"

namespace nlc::client {
namespace {

using namespace std::chrono_literals;

const WallTime noon{std::chrono::sys_days{std::chrono::year{2026} / 1 / 2} + 12h};

TEST(ServerClock, IsCloseWithinTwoSecondsAsFarAsAHeaderOfWholeSecondsTells) {
  ServerClock clock;
  const Instant now{1h};
  const auto close_at = [&](WallTime date) {
    clock.note(date, {now, noon});
    return clock.close({now, noon});
  };
  EXPECT_FALSE(clock.close({now, noon})) << "nobody told yet";
  EXPECT_TRUE(close_at(noon + 1999ms));
  EXPECT_FALSE(close_at(noon + 2s));
  EXPECT_TRUE(close_at(noon - 2999ms));
  EXPECT_FALSE(close_at(noon - 3s));
}

TEST(ServerClock, WhatIsWrittenHasTheLaterOfTwoCalendarsThatDiffer) {
  ServerClock clock;
  const ServerClock::Reading then{Instant{1h}, noon};
  const ServerClock::Reading now{Instant{1h} + 5s, noon + 5s};
  EXPECT_EQ(clock.to_write(now), noon + 5s) << "nobody told yet";
  clock.note(noon, then);
  EXPECT_EQ(clock.to_write(now), noon + 5s);
  clock.note(noon - 1h, then);
  EXPECT_EQ(clock.to_write(now), noon + 5s);
  clock.note(noon + 1h, then);
  EXPECT_EQ(clock.to_write(now), noon + 1h + 1s + 5s) << "the header has whole seconds, cut off";
}

struct NodeWatchHeard final : WatchListener<api::Node> {
  void on_open() override { ++opened; }
  void on_events(std::span<api::WatchEvent<api::Node>>, std::optional<Instant>) override {}
  void on_end(StreamEnd) override { ++ended; }
  int opened = 0;
  int ended = 0;
};

class ObservedTransportTest : public ::testing::Test {
 protected:
  sim::VirtualTime time{noon};
  metrics::Metrics metrics{"test"};
  ServerClock server_clock;
  HeldTransport inner;
  ObservedTransport transport{
      inner,
      {.clock = time, .metrics = metrics, .server_clock = server_clock, .host = "10.0.0.1:6443"}};
};

TEST_F(ObservedTransportTest, AnswersAreCountedByMethodCodeAndHostAndHandedOn) {
  int status = 0;
  transport.send({.method = "PATCH"}, [&](Result<Response> answer) { status = answer->status; });
  inner.answer_last(409, "");
  EXPECT_EQ(status, 409);
  const std::string page = metrics.exposition();
  const std::size_t line = page.find("rest_client_requests_total{");
  ASSERT_NE(line, std::string::npos);
  EXPECT_THAT(page.substr(line, 120), ::testing::AllOf(::testing::HasSubstr("code=\"409\""),
                                                       ::testing::HasSubstr("method=\"PATCH\""),
                                                       ::testing::HasSubstr("10.0.0.1:6443")));
}

TEST_F(ObservedTransportTest, RequestWithoutAnAnswerIsCountedAsAnError) {
  transport.send({}, [](Result<Response>) {});
  inner.answer(0, Error{Fault::Timeout, "no answer"});
  EXPECT_THAT(metrics.exposition(), ::testing::HasSubstr("code=\"<error>\""));
}

TEST_F(ObservedTransportTest, RequestsAreTimedUntilTheirAnswerOrTheEndOfWaitingForIt) {
  transport.send({.method = "PATCH"}, [](Result<Response>) {});
  time.run_for(300ms);
  inner.answer_last(200, "{}");
  transport.send({.method = "PATCH"}, [](Result<Response>) {});
  time.run_for(10s);
  inner.answer(1, Error{Fault::Timeout, "no answer"});
  EXPECT_THAT(
      metrics.exposition(),
      ::testing::HasSubstr("rest_client_request_duration_seconds_sum{host=\"10.0.0.1:6443\","
                           "verb=\"PATCH\"} 10.3\n"));
}

/// A right to watch that is missing shows in no other answer where lists are streamed.
TEST_F(ObservedTransportTest, WatchesAreCountedWhetherOpenedRefusedOrNeverAnswered) {
  NodeWatchHeard heard;
  std::vector<Subscription> watches;
  for (int i = 0; i < 3; ++i) {
    watches.push_back(transport.watch({}, std::make_unique<WatchReader<api::Node>>(heard)));
  }
  inner.readers.at(0)->on_open(noon);
  inner.readers.at(0)->on_end({});
  inner.readers.at(1)->on_end({.refused = Response{.status = 403}, .broken = {}});
  inner.readers.at(2)->on_end({.refused = {}, .broken = Error{Fault::Unavailable, "refused"}});
  for (const char* code : {"200", "403", "<error>"}) {
    EXPECT_EQ(metrics.value("rest_client_requests_total", {{"code", code}, {"method", "GET"}}), 1)
        << code;
  }
  EXPECT_EQ(metrics.value("rest_client_request_duration_seconds", {}), std::nullopt)
      << "a stream is no answer that could be timed";
}

TEST_F(ObservedTransportTest, DateOfAnAnswerTellsWhetherTheClocksAreClose) {
  transport.send({}, [](Result<Response>) {});
  inner.answer(0, Response{.status = 200, .date = noon + 10min});
  const ServerClock::Reading ours{time.now(), time.wall_now()};
  EXPECT_FALSE(server_clock.close(ours));
  transport.send({}, [](Result<Response>) {});
  inner.answer(1, Response{.status = 200, .date = noon});
  EXPECT_TRUE(server_clock.close(ours));
}

/// Who lists by streams, and takes part in no election, asks for nothing else at first.
TEST_F(ObservedTransportTest, DateOfAWatchAndOfItsRefusalTellsWhetherTheClocksAreClose) {
  const ServerClock::Reading ours{time.now(), time.wall_now()};
  NodeWatchHeard heard;
  const Subscription watch = transport.watch({}, std::make_unique<WatchReader<api::Node>>(heard));
  StreamReader& reader = *inner.readers.at(0);
  reader.on_open(noon + 10min);
  EXPECT_TRUE(server_clock.off(ours));
  EXPECT_EQ(heard.opened, 1) << "it is handed on";
  reader.on_open(std::nullopt);
  EXPECT_TRUE(server_clock.off(ours)) << "no date says nothing";
  reader.on_end({.refused = Response{.status = 410, .date = noon}, .broken = {}});
  EXPECT_TRUE(server_clock.close(ours));
  EXPECT_EQ(heard.ended, 1);
}

TEST_F(ObservedTransportTest, CalendarThatWasSetSinceTheLastAnswerIsProvenByNothing) {
  transport.send({}, [](Result<Response>) {});
  inner.answer(0, Response{.status = 200, .date = noon});
  const ServerClock::Reading later{time.now() + 1h, time.wall_now() + 1h};
  EXPECT_TRUE(server_clock.close(later));
  EXPECT_FALSE(server_clock.close({later.now, later.wall + 1h}));
  EXPECT_FALSE(server_clock.close({later.now, later.wall - 1h}));
}

}  // namespace
}  // namespace nlc::client
