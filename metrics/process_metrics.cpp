#include "metrics/process_metrics.h"

#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace nlc::metrics {
namespace {

/// The fields of /proc/self/stat that are used, by their numbers in proc(5).
struct Stat {
  double cpu_seconds = 0;     ///< 14 utime + 15 stime
  double start_seconds = 0;   ///< 22 starttime, since boot
  double resident_bytes = 0;  ///< 24 rss
};

std::optional<Stat> read_stat() {
  std::ifstream file("/proc/self/stat");
  std::string line;
  std::getline(file, line);
  // The second field is the program's name in brackets and may itself hold spaces and brackets.
  const std::size_t name_end = line.rfind(')');
  if (name_end == std::string::npos) return std::nullopt;
  std::istringstream rest(line.substr(name_end + 1));
  std::string state;
  rest >> state;
  constexpr int first = 4;
  constexpr int last = 24;
  double fields[last + 1] = {};
  for (int number = first; number <= last; ++number) rest >> fields[number];
  if (!rest) return std::nullopt;
  const auto ticks = static_cast<double>(sysconf(_SC_CLK_TCK));
  return Stat{.cpu_seconds = (fields[14] + fields[15]) / ticks,
              .start_seconds = fields[22] / ticks,
              .resident_bytes = fields[24] * static_cast<double>(sysconf(_SC_PAGESIZE))};
}

/// When the machine booted, in seconds since 1970.
std::optional<double> boot_time() {
  std::ifstream file("/proc/stat");
  for (std::string line; std::getline(file, line);) {
    constexpr std::string_view name = "btime ";
    if (line.starts_with(name)) return std::stod(line.substr(name.size()));
  }
  return std::nullopt;
}

std::optional<double> open_descriptors() {
  std::error_code problem;
  const std::filesystem::directory_iterator entries("/proc/self/fd", problem);
  if (problem) return std::nullopt;
  // One of the entries is the descriptor that reads them.
  return static_cast<double>(std::distance(begin(entries), end(entries)) - 1);
}

prometheus::MetricFamily family(std::string name, std::string help, prometheus::MetricType type,
                                double value) {
  prometheus::ClientMetric metric;
  if (type == prometheus::MetricType::Counter) {
    metric.counter.value = value;
  } else {
    metric.gauge.value = value;
  }
  return {std::move(name), std::move(help), type, {std::move(metric)}};
}

}  // namespace

std::vector<prometheus::MetricFamily> process_metrics() {
  using prometheus::MetricType;
  std::vector<prometheus::MetricFamily> families;
  const std::optional<Stat> stat = read_stat();
  if (stat) {
    families.push_back(family("process_cpu_seconds_total", "User and system CPU time spent.",
                              MetricType::Counter, stat->cpu_seconds));
    families.push_back(family("process_resident_memory_bytes", "Resident memory size.",
                              MetricType::Gauge, stat->resident_bytes));
  }
  const std::optional<double> booted = boot_time();
  if (stat && booted) {
    families.push_back(family("process_start_time_seconds",
                              "Start time of the process since the Unix epoch.", MetricType::Gauge,
                              *booted + stat->start_seconds));
  }
  if (const std::optional<double> count = open_descriptors()) {
    families.push_back(
        family("process_open_fds", "Number of open file descriptors.", MetricType::Gauge, *count));
  }
  return families;
}

}  // namespace nlc::metrics
