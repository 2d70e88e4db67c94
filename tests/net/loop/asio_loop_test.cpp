#include "net/loop/asio_loop.h"

#include <atomic>
#include <csignal>
#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <thread>
#include <vector>

#include "net/loop/stop_signals.h"
#include "net/loop/system_clock.h"

namespace nlc::tests {
namespace {

using std::chrono_literals::operator""ms;
using std::chrono_literals::operator""s;

/// A clock that a test sets: what Asio's own timers believe does not matter.
class SetClock final : public Clock {
 public:
  Instant now() const override { return Instant{Duration{ticks.load()}}; }
  WallTime wall_now() const override { return WallTime{}; }
  void advance(Duration span) { ticks += span.count(); }
  std::atomic<Duration::rep> ticks = Duration(std::chrono::hours(1)).count();
};

class AsioLoopTest : public testing::Test {
 protected:
  ~AsioLoopTest() override {
    for (const int signal : {SIGTERM, SIGINT, SIGHUP}) std::signal(signal, SIG_DFL);
  }
  bool until(const std::function<bool()>& condition) { return loop.run_until(condition, 20s); }

  net::SystemClock clock;
  net::AsioLoop loop{clock};
  Timer kept;
};

TEST_F(AsioLoopTest, PostedWorkRunsInOrderAndNeverInline) {
  std::vector<int> seen;
  for (int i = 0; i < 3; ++i) loop.post([&seen, i] { seen.push_back(i); });
  EXPECT_TRUE(seen.empty());
  EXPECT_TRUE(until([&] { return seen.size() == 3; }));
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2}));
}

TEST_F(AsioLoopTest, TimersRunInTheOrderOfTheirMoments) {
  std::vector<int> seen;
  const Instant now = clock.now();
  const Timer late = loop.run_at(now + 6ms, [&] { seen.push_back(3); });
  const Timer early = loop.run_at(now + 2ms, [&] { seen.push_back(1); });
  const Timer past = loop.run_at(now - 1s, [&] { seen.push_back(0); });
  const Timer middle = loop.run_at(now + 4ms, [&] { seen.push_back(2); });
  EXPECT_TRUE(seen.empty());
  EXPECT_TRUE(until([&] { return seen.size() == 4; }));
  EXPECT_EQ(seen, (std::vector<int>{0, 1, 2, 3}));
  EXPECT_GE(clock.now(), now + 6ms);
}

TEST_F(AsioLoopTest, EndedTimerNeverRuns) {
  bool ran = false;
  Timer timer = loop.run_at(clock.now() + 1ms, [&] { ran = true; });
  timer.end();
  bool later = false;
  const Timer witness = loop.run_at(clock.now() + 5ms, [&] { later = true; });
  EXPECT_TRUE(until([&] { return later; }));
  EXPECT_FALSE(ran);
}

TEST_F(AsioLoopTest, TimerMayEndAnotherThatIsDueAtTheSameMoment) {
  std::vector<int> seen;
  const Instant moment = clock.now() + 1ms;
  Timer second;
  const Timer first = loop.run_at(moment, [&] {
    seen.push_back(1);
    second.end();
  });
  second = loop.run_at(moment, [&] { seen.push_back(2); });
  const Timer third = loop.run_at(moment, [&] { seen.push_back(3); });
  EXPECT_TRUE(until([&] { return seen.size() == 2; }));
  EXPECT_EQ(seen, (std::vector<int>{1, 3}));
}

TEST_F(AsioLoopTest, TimerThatSetsItselfForNowLeavesTheOthersTheirTurn) {
  int rounds = 0;
  Timer timer;
  std::function<void()> again = [&] {
    ++rounds;
    timer = loop.run_at(clock.now(), again);
  };
  again();
  bool posted = false;
  loop.post([&] { posted = true; });
  EXPECT_TRUE(until([&] { return posted && rounds > 10; }));
}

/// Fails where memory is watched (make asan): ending it would touch a loop that is gone.
TEST_F(AsioLoopTest, TimerMayOutliveItsLoop) {
  Timer timer;
  {
    net::AsioLoop gone(clock);
    timer = gone.run_at(clock.now(), [] {});
  }
  timer.end();
}

TEST_F(AsioLoopTest, MomentIsAskedOfTheClockAndNotOfTheWaking) {
  SetClock set;
  net::AsioLoop slow(set);
  const net::LoopThread thread(slow);  // whose clock stands still while real time passes
  std::atomic<bool> ran = false;
  std::atomic<bool> woken = false;
  slow.post([&] { kept = slow.run_at(set.now() + 1ms, [&] { ran = true; }); });
  const Timer later = loop.run_at(clock.now() + 20ms, [&] { woken = true; });
  EXPECT_TRUE(until([&] { return woken.load(); }));
  EXPECT_FALSE(ran);
  set.advance(1ms);
  EXPECT_TRUE(until([&] { return ran.load(); }));
}

TEST_F(AsioLoopTest, StopEndsRunFromAnotherThread) {
  std::thread other([this] { loop.stop(); });
  loop.run();
  other.join();
}

TEST_F(AsioLoopTest, LoopThreadRunsWhatOthersPost) {
  net::AsioLoop inner(clock);
  std::atomic<int> done = 0;
  {
    const net::LoopThread thread(inner);
    for (int i = 0; i < 100; ++i) {
      inner.post([&, i] {
        if (++done == 100) loop.post([] {});
        if (i == 99) loop.stop();
      });
    }
    loop.run();
  }
  EXPECT_EQ(done, 100);
}

TEST_F(AsioLoopTest, WorkOfAnotherThreadDoesNotOvertakeWhatTheLoopPostedBefore) {
  std::vector<int> seen;
  std::thread other;
  loop.post([&] {
    loop.post([&] { seen.push_back(1); });
    other = std::thread([&] { loop.post([&] { seen.push_back(2); }); });
    other.join();
  });
  EXPECT_TRUE(until([&] { return seen.size() == 2; }));
  EXPECT_EQ(seen, (std::vector<int>{1, 2}));
}

TEST_F(AsioLoopTest, StopSignalsAreHeardOnTheLoopEachTime) {
  std::vector<int> heard;
  const net::StopSignals signals(loop, [&](int signal) { heard.push_back(signal); });
  std::raise(SIGTERM);
  EXPECT_TRUE(until([&] { return heard.size() == 1; }));
  std::raise(SIGINT);
  EXPECT_TRUE(until([&] { return heard.size() == 2; }));
  EXPECT_EQ(heard, (std::vector<int>{SIGTERM, SIGINT}));
}

TEST_F(AsioLoopTest, ATerminalThatGoesIsHeardOnce) {
  std::vector<int> heard;
  const net::StopSignals signals(loop, [&](int signal) { heard.push_back(signal); });
  std::raise(SIGHUP);
  EXPECT_TRUE(until([&] { return heard.size() == 1; }));
  std::raise(SIGHUP);
  std::raise(SIGTERM);
  EXPECT_TRUE(until([&] { return heard.size() == 2; }));
  EXPECT_EQ(heard, (std::vector<int>{SIGHUP, SIGTERM}));
}

TEST_F(AsioLoopTest, ATerminalThatMayGoIsNotHeard) {
  std::signal(SIGHUP, SIG_IGN);
  std::vector<int> heard;
  {
    const net::StopSignals signals(loop, [&](int signal) { heard.push_back(signal); });
    std::raise(SIGHUP);
    std::raise(SIGTERM);
    EXPECT_TRUE(until([&] { return !heard.empty(); }));
  }
  EXPECT_EQ(heard, std::vector<int>{SIGTERM});
}

TEST_F(AsioLoopTest, WhoWasAskedToEndIsNotKilledOnItsWayOutByWhoAsksAgain) {
  bool heard = false;
  {
    const net::StopSignals signals(loop, [&](int) { heard = true; });
    std::raise(SIGTERM);
    EXPECT_TRUE(until([&] { return heard; }));
  }
  for (const int signal : {SIGTERM, SIGINT, SIGHUP}) EXPECT_EQ(std::raise(signal), 0);
}

TEST_F(AsioLoopTest, StopSignalsMayBeDestroyedByTheirOwnCall) {
  std::unique_ptr<net::StopSignals> signals;
  bool heard = false;
  signals = std::make_unique<net::StopSignals>(loop, [&](int) {
    heard = true;
    signals.reset();
  });
  std::raise(SIGTERM);
  EXPECT_TRUE(until([&] { return heard; }));
}

}  // namespace
}  // namespace nlc::tests
