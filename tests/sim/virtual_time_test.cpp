#include "sim/virtual_time.h"

#include <gtest/gtest.h>
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
