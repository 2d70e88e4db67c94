#include "sim/virtual_time.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <string>
#include <vector>

namespace nlc::sim {
namespace {

using namespace std::chrono_literals;

TEST(VirtualTime, WorkDueAtOneMomentRunsInTheOrderItWasScheduled) {
  VirtualTime time(WallTime{});
  std::string order;
  const Timer second = time.run_at(time.now() + 1s, [&] { order += "b"; });
  const Timer third = time.run_at(time.now() + 1s, [&] { order += "c"; });
  time.post([&] { order += "a"; });
  time.run_for(1s);
  EXPECT_EQ(order, "abc");
}

TEST(VirtualTime, CancelledTimerNeverRuns) {
  VirtualTime time(WallTime{});
  bool ran = false;
  {
    const Timer timer = time.run_at(time.now() + 1s, [&] { ran = true; });
  }
  time.run_for(2s);
  EXPECT_FALSE(ran);
}

TEST(VirtualTime, WhatIsLeftOfManyTimersRunsInItsOrderWhateverWasCancelledBetween) {
  VirtualTime time(WallTime{});
  const Instant start = time.now();
  std::vector<int> ran;
  std::vector<Timer> timers;
  for (int i = 0; i < 1000; ++i) {
    const Duration after = std::chrono::seconds(1 + i * 7 % 100);
    timers.push_back(time.run_at(start + after, [&ran, i] { ran.push_back(i); }));
  }
  std::vector<int> kept;
  for (int i = 0; i < 1000; ++i) {
    if (i % 9 == 0) {
      kept.push_back(i);
    } else {
      timers[static_cast<std::size_t>(i)].end();
    }
  }
  std::ranges::stable_sort(kept, {}, [](int i) { return i * 7 % 100; });
  time.run_for(200s);
  EXPECT_EQ(ran, kept);
  EXPECT_EQ(time.next_due(), std::nullopt);
}

TEST(VirtualTime, ATimerThatHasRunCancelsNoOtherThatCameInItsPlace) {
  VirtualTime time(WallTime{});
  int ran = 0;
  Timer first = time.run_at(time.now() + 1s, [&] { ++ran; });
  time.run_for(1s);
  const Timer second = time.run_at(time.now() + 1s, [&] { ++ran; });
  first.end();
  time.run_for(1s);
  EXPECT_EQ(ran, 2);
}

TEST(VirtualTime, WhatIsCancelledMayHoldOtherTimers) {
  VirtualTime time(WallTime{});
  int ran = 0;
  auto held = std::make_shared<Timer>(time.run_at(time.now() + 1s, [&] { ++ran; }));
  Timer holder = time.run_at(time.now() + 1s, [&ran, held = std::move(held)] { ++ran; });
  holder.end();
  time.run_for(2s);
  EXPECT_EQ(ran, 0);
}

TEST(VirtualTime, ClockStandsAtTheEndOfTheSpanAndAtTheTimersMomentInBetween) {
  VirtualTime time(WallTime{});
  const Instant start = time.now();
  Instant seen;
  const Timer timer = time.run_at(start + 3s, [&] { seen = time.now(); });
  time.run_for(10s);
  EXPECT_EQ(seen, start + 3s);
  EXPECT_EQ(time.now(), start + 10s);
}

TEST(VirtualTime, WallClockMayStepWithoutMovingInstants) {
  VirtualTime time(WallTime{});
  const Instant before = time.now();
  time.step_wall_clock(-1h);
  EXPECT_EQ(time.wall_now(), WallTime{} - 1h);
  EXPECT_EQ(time.now(), before);
}

}  // namespace
}  // namespace nlc::sim
