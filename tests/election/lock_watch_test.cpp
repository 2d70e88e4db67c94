#include "election/lock_watch.h"

#include <gmock/gmock.h>

#include "sim/virtual_time.h"
#include "tests/memory_log.h"

namespace nlc::election::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::Not;

/// Streams into which the test speaks.
class Streams final : public client::Transport {
 public:
  void send(client::Request, client::Answer) override {}
  Subscription watch(client::Request request,
                     std::unique_ptr<client::StreamReader> reader) override {
    opened.push_back(request.target);
    reader_ = std::move(reader);
    return {};
  }
  /// All in one read of the socket.
  void bring(const std::string& bytes) {
    reader_->on_bytes(bytes);
    if (const auto news = reader_->take({})) news();
  }

  std::vector<std::string> opened;

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

}  // namespace
}  // namespace nlc::election::testing
