#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <sys/types.h>

#include "runtime/result.h"
#include "runtime/time.h"

namespace nlc::bench {

/// The CPU that a process has used since it began.
struct CpuUsage {
  Duration total{0};          ///< of all threads that live, as the scheduler counts it
  Duration main_thread{0};    ///< of that, the first thread's: the controller's executor
  Duration ticks{0};          ///< user and system time, to 10 ms; threads that ended included
  std::uint64_t wakeups = 0;  ///< waits that ended, of all threads
};

CpuUsage operator-(const CpuUsage& after, const CpuUsage& before);

struct MemoryUsage {
  std::uint64_t resident = 0;       ///< bytes
  std::uint64_t resident_peak = 0;  ///< since it began
  std::uint64_t anonymous = 0;      ///< heap and stacks: without the pages of program and libraries
  std::uint64_t private_ = 0;       ///< what would be free if it ended; 0 where that is not told
};

inline double mebibytes(std::uint64_t bytes) {
  return static_cast<double>(bytes) / (1024.0 * 1024.0);
}

/// From /proc. Fails when there is no such process, or it may not be looked at.
Result<CpuUsage> cpu_usage(pid_t process);
Result<MemoryUsage> memory_usage(pid_t process);

/// The nanoseconds on a CPU, first number of a schedstat file.
std::optional<Duration> time_in_schedstat(std::string_view text);

/// utime and stime of a stat file, whose second field is a name that may hold blanks and brackets.
std::optional<Duration> time_in_stat(std::string_view text, long ticks_per_second);

/// The number behind "name:" in a file such as status or smaps_rollup.
std::optional<std::uint64_t> number_of(std::string_view text, std::string_view name);

}  // namespace nlc::bench
