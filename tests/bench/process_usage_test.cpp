#include "bench/process_usage.h"

#include <gtest/gtest.h>

namespace nlc::bench {
namespace {

using namespace std::chrono_literals;

TEST(ProcessTimes, SchedulerCountsNanosecondsFirst) {
  EXPECT_EQ(time_in_schedstat("2537105 60431 12\n"), Duration(2537105));
  EXPECT_EQ(time_in_schedstat(""), std::nullopt);
}

TEST(ProcessTimes, UserAndSystemTicksAreFoundBehindANameWithBlanksAndBrackets) {
  EXPECT_EQ(time_in_stat("42 (a) b (c) S 1 42 42 0 -1 4194560 500 0 3 0 120 30 0 0 20 0 4", 100),
            1500ms);
  EXPECT_EQ(time_in_stat("42 (cut", 100), std::nullopt);
  EXPECT_EQ(time_in_stat("42 (cut) S 1 42", 100), std::nullopt);
}

TEST(ProcessNumbers, AreFoundByTheirWholeName) {
  const std::string_view status = "VmHWMx:\t 1 kB\nVmHWM:\t   14500 kB\nThreads:\t5\n";
  EXPECT_EQ(number_of(status, "VmHWM"), 14500U);
  EXPECT_EQ(number_of(status, "Threads"), 5U);
  EXPECT_EQ(number_of(status, "VmRSS"), std::nullopt);
}

TEST(ProcessNumbers, DifferenceIsTakenOfEachCount) {
  const CpuUsage used = CpuUsage{.total = 5ms, .main_thread = 3ms, .ticks = 10ms, .wakeups = 9} -
                        CpuUsage{.total = 1ms, .main_thread = 1ms, .ticks = 0ms, .wakeups = 4};
  EXPECT_EQ(used.total, 4ms);
  EXPECT_EQ(used.main_thread, 2ms);
  EXPECT_EQ(used.ticks, 10ms);
  EXPECT_EQ(used.wakeups, 5U);
}

TEST(ProcessUsage, OfAProcessThatIsNotThereIsAFault) {
  EXPECT_FALSE(cpu_usage(-1));
  EXPECT_FALSE(memory_usage(-1));
}

}  // namespace
}  // namespace nlc::bench
