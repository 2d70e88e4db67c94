#include "net/log/line_queue.h"

#include <algorithm>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <memory>
#include <string>

#include "net/log/spdlog_log.h"
#include "net/loop/system_clock.h"
#include "sim/virtual_time.h"
#include "tests/net/log_pipe.h"

namespace nlc::tests {
namespace {

using std::chrono_literals::operator""h;
using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

std::string told(std::uint64_t dropped) { return "dropped " + std::to_string(dropped) + "\n"; }

/// What all notices in a text tell, together.
std::uint64_t dropped_of(const std::string& text) {
  const std::string word = "dropped ";
  std::uint64_t sum = 0;
  for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
    sum += std::stoull(text.substr(at + word.size(), 20));
  }
  return sum;
}

class LineQueueTest : public testing::Test {
 protected:
  std::unique_ptr<net::LineQueue> queue(net::LineQueueOptions options = {}) {
    return std::make_unique<net::LineQueue>(pipe.entry(), told, options);
  }

  LogPipe pipe;
};

TEST_F(LineQueueTest, LinesComeInTheirOrderAndTheLastBeforeItsEnd) {
  auto lines = queue();
  for (int i = 0; i < 100; ++i) lines->push("line " + std::to_string(i) + "\n");
  lines.reset();
  ASSERT_TRUE(pipe.says("line 99\n"));
  EXPECT_THAT(pipe.said, testing::StartsWith("line 0\nline 1\nline 2\n"));
}

TEST_F(LineQueueTest, LinesThatGatherAreWrittenAtItsEnd) {
  auto lines = queue({.gather = 24h});
  lines->push("one\n");
  lines->push("two\n");
  lines.reset();
  EXPECT_TRUE(pipe.says("one\ntwo\n"));
}

/// Fails by not ending: nobody reads, so who waits here waits for ever.
TEST_F(LineQueueTest, NobodyWaitsForAReaderWhoSleeps) {
  pipe.fill();
  auto lines = queue({.bytes_max = 1000});
  for (int i = 0; i < 100'000; ++i) lines->push("a line that nobody reads\n");
  SUCCEED();
}

TEST_F(LineQueueTest, ReaderWhoWakesUpHearsHowManyLinesWereDropped) {
  const auto whole = [this] {
    return static_cast<std::uint64_t>(std::ranges::count(pipe.said, 'x') / 99);
  };
  pipe.fill();
  auto lines = queue({.bytes_max = 1000});
  for (int i = 0; i < 100'000; ++i) lines->push(std::string(99, 'x') + "\n");
  EXPECT_TRUE(pipe.reads_until([&] { return whole() + dropped_of(pipe.said) == 100'000; }));
  EXPECT_LE(whole(), 100U);
  lines->push("and on\n");
  EXPECT_TRUE(pipe.says("and on\n"));
}

TEST_F(LineQueueTest, ItsEndWaitsForASleepingReaderNoLongerThanItMay) {
  pipe.fill();
  auto lines = queue({.flush_max = 1ms});
  lines->push("a line that nobody reads\n");
  const net::SystemClock clock;
  const Instant before = clock.now();
  lines.reset();
  EXPECT_LT(clock.now() - before, 5s);
}

/// Fails by SIGPIPE, which would end this process: here nobody ignores it.
TEST_F(LineQueueTest, ReaderWhoLeftEndsNobody) {
  auto lines = queue();
  pipe.leave();
  for (int i = 0; i < 1000; ++i) lines->push("a line that nobody reads\n");
  lines.reset();
  SUCCEED();
}

TEST_F(LineQueueTest, LogTellsOfDroppedLinesInItsOwnForm) {
  const net::SystemClock clock;
  pipe.fill();
  {
    net::SpdlogLog log(clock, {.format = net::LogFormat::Json, .file = pipe.entry()});
    for (int i = 0; i < 20'000; ++i)
      log.info("something was done", {{"what", std::string(100, 'x')}});
    ASSERT_TRUE(pipe.says("log lines were dropped, nobody read them"));
  }
  ASSERT_TRUE(pipe.says("\"}\n"));
  EXPECT_NE(pipe.said.find("\"level\":\"warning\",\"msg\":\"log lines were dropped"),
            std::string::npos);
}

TEST_F(LineQueueTest, LinesOfALogBelowItsThresholdAreNotWritten) {
  const sim::VirtualTime time{*parse_rfc3339("2026-01-02T03:04:05Z")};
  net::SpdlogLog log(time, {.threshold = LogLevel::Warning, .file = pipe.entry()});
  log.info("not this");
  log.warning("but this", {{"node", "n {} 1"}});
  ASSERT_TRUE(pipe.says("\n"));
  EXPECT_EQ(pipe.said,
            "time=2026-01-02T03:04:05.000000Z level=warning msg=\"but this\" node=\"n {} 1\"\n");
}

}  // namespace
}  // namespace nlc::tests
