#include "election/lock/lock_watch.h"

#include <gmock/gmock.h>

#include "sim/virtual_time.h"
#include "tests/memory_log.h"

namespace nlc::election::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::SizeIs;
using namespace std::chrono_literals;

/// Streams into which the test speaks.
class Streams final : public client::Transport {
 public:
  void send(client::Request, client::Answer) override {}
  Subscription watch(client::Request request,
                     std::unique_ptr<client::StreamReader> reader) override {
    opened.push_back(request.target);
    reader_ = std::move(reader);
    return Subscription([this] { ++closed; });
  }
  /// All in one read of the socket.
  void bring(const std::string& bytes) {
    reader_->on_bytes(bytes);
    if (const auto news = reader_->take({})) news();
  }
  void end(client::StreamEnd how = {}) { reader_->on_end(std::move(how)); }
  void refuse(int status, std::string body = {}) {
    end({.refused = client::Response{.status = status, .body = std::move(body)}, .broken = {}});
  }
  std::size_t events_after(const std::string& bytes) {
    reader_->on_bytes(bytes);
    return reader_->events();
  }

  std::vector<std::string> opened;
  int closed = 0;  ///< streams that the watch was done with

 private:
  std::unique_ptr<client::StreamReader> reader_;
};

std::string event(const std::string& type, const std::string& version,
                  const std::string& name = "bar") {
  return R"({"type":")" + type + R"(","object":{"kind":"Lease","metadata":{"name":")" + name +
         R"(","namespace":"foo","resourceVersion":")" + version + R"("}}})" + "\n";
}

const std::string error_event = R"({"type":"ERROR","object":{"kind":"Status","code":410}})"
                                "\n";

struct Watching {
  Watching() { watch.known_at("10"); }

  sim::VirtualTime time{std::chrono::sys_days{std::chrono::year{2026} / 11 / 21}};
  Streams streams;
  tests::MemoryLog log;
  std::vector<std::string> shown;
  LockWatch watch{
      {.transport = streams, .clock = time, .executor = time, .log = log},
      {.carrier = Carrier::Lease, .namespace_ = "foo", .name = "bar"},
      [this](const LockChange& change) { shown.push_back(change.object.record.version); }};
};

TEST(LockWatch, WhatCameBeforeAnErrorInTheSameReadIsShown) {
  Watching one;
  one.streams.bring(event("MODIFIED", "11") + event("DELETED", "12") + error_event +
                    event("MODIFIED", "13"));

  EXPECT_THAT(one.shown, ElementsAre("11", "12"));
}

TEST(LockWatch, AnotherObjectIsNotShownAndToldOnce) {
  Watching one;
  for (int version = 11; version < 20; ++version) {
    one.streams.bring(event("MODIFIED", std::to_string(version), "other"));
  }
  one.streams.bring(event("MODIFIED", "20"));

  EXPECT_THAT(one.shown, ElementsAre("20"));
  EXPECT_EQ(one.log.count("shown=Lease foo/other"), 1U);
}

TEST(LockWatch, AfterTheServerWentBackItIsOpenedFromWhatIsThereNow) {
  Watching one;
  one.streams.bring(event("MODIFIED", "60"));
  one.watch.gone_back_to("45");

  ASSERT_EQ(one.streams.opened.size(), 2U);
  EXPECT_THAT(one.streams.opened.back(), Not(HasSubstr("resourceVersion=")));
}

TEST(LockWatch, WhereTheServerHasNoHistorySinceTheKnownVersionItIsOpenedFromWhatIsThereNow) {
  Watching one;
  one.streams.bring(error_event);
  one.watch.known_at("10");
  one.time.run_for(std::chrono::seconds(5));
  ASSERT_EQ(one.streams.opened.size(), 2U);
  EXPECT_THAT(one.streams.opened.back(), Not(HasSubstr("resourceVersion=")));

  one.streams.bring(event("ADDED", "10") + event("MODIFIED", "70"));
  EXPECT_THAT(one.shown, ElementsAre("10", "70"));
  one.watch.known_at("80");
  one.watch.known_at("90");
  EXPECT_THAT(one.streams.opened.back(), HasSubstr("resourceVersion=90&"));
}

TEST(LockWatch, AStreamThatShowedWhatIsKnownIsLeftAlone) {
  Watching one;
  one.streams.bring(event("MODIFIED", "11"));
  one.watch.known_at("11");
  one.watch.known_at("11");

  EXPECT_THAT(one.streams.opened, SizeIs(1));
}

TEST(LockWatch, AStreamThatBrokeIsOpenedOnceWhenTheServerIsSeenToBeBack) {
  Watching one;
  one.streams.end();
  one.watch.known_at("12");
  ASSERT_THAT(one.streams.opened, SizeIs(2));
  EXPECT_THAT(one.streams.opened.back(), HasSubstr("resourceVersion=12&"));
  one.time.run_for(1min);
  EXPECT_THAT(one.streams.opened, SizeIs(2));
}

TEST(LockWatch, StreamsThatBreakAfterTheyShowedSomethingAreOpenedHalfASecondLaterAtMost) {
  Watching one;
  for (std::size_t times = 1; times < 9; ++times) {
    one.streams.end();
    one.time.run_for(500ms);
    EXPECT_THAT(one.streams.opened, SizeIs(times + 1));
    one.streams.bring(event("MODIFIED", std::to_string(10 + times)));
  }
}

TEST(LockWatch, StreamsThatShowNothingAreOpenedMoreAndMoreSeldom) {
  Watching one;
  for (int second = 0; second < 60; ++second) {
    one.streams.end();
    one.time.run_for(1s);
  }
  EXPECT_LT(one.streams.opened.size(), 10U);
}

TEST(LockWatch, AnErrorClosesTheStreamThatBroughtIt) {
  Watching one;
  one.streams.bring(error_event);

  EXPECT_EQ(one.streams.closed, 1);
}

TEST(LockWatch, AVersionWithoutHistoryOrAheadOfTheServerIsNoReasonToComplain) {
  for (const int status : {410, 504}) {
    Watching one;
    one.streams.refuse(status, R"({"kind":"Status","message":"Too large resource version: 10"})");
    one.time.run_for(500ms);
    ASSERT_THAT(one.streams.opened, SizeIs(2)) << status;
    const bool from_there =
        one.streams.opened.back().find("resourceVersion=10&") != std::string::npos;
    EXPECT_EQ(from_there, status == 504);
    EXPECT_EQ(one.log.count("cannot be watched"), 0U);
  }
}

TEST(LockWatch, WhoMayNotWatchSaysSoOnceAndAsksEveryFiveMinutes) {
  for (const int status : {403, 422}) {
    Watching one;
    for (std::size_t times = 1; times < 4; ++times) {
      one.streams.refuse(status);
      one.time.run_for(5min - 1ms);
      EXPECT_THAT(one.streams.opened, SizeIs(times)) << status;
      one.time.run_for(30s);
      EXPECT_THAT(one.streams.opened, SizeIs(times + 1)) << status;
      EXPECT_THAT(one.streams.opened.back(), HasSubstr("resourceVersion=10&"));
    }
    EXPECT_EQ(one.log.count("the lock cannot be watched, it is polled"), 1U);
  }
}

TEST(LockWatch, AServerThatFailsIsAskedAgainSoon) {
  Watching one;
  one.streams.refuse(500);
  one.time.run_for(500ms);

  EXPECT_THAT(one.streams.opened, SizeIs(2));
}

TEST(LockWatch, ALineIsNoObjectFromFourMebibytesOn) {
  const std::string most(std::size_t{4} << 20U, 'x');
  Watching one;
  EXPECT_EQ(one.streams.events_after(most), 0U);
  EXPECT_EQ(one.streams.events_after("x"), 1U) << "which ends the stream";
  EXPECT_EQ(one.streams.events_after("x"), 1U) << "nothing of it is kept";
}

}  // namespace
}  // namespace nlc::election::testing
