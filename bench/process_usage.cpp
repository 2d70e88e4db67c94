#include "bench/process_usage.h"

#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <system_error>
#include <unistd.h>

namespace nlc::bench {
namespace {

/// Empty when it cannot be read: threads come and go while their folder is walked.
std::string text_of(const std::filesystem::path& file) {
  std::ostringstream text;
  text << std::ifstream(file).rdbuf();
  return text.str();
}

std::optional<std::uint64_t> leading_number(std::string_view text) {
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{}) return std::nullopt;
  return number;
}

/// What stands behind the next `count` blanks.
std::string_view fields_behind(std::string_view text, int count) {
  for (; count > 0; --count) {
    const std::size_t blank = text.find(' ');
    if (blank == std::string_view::npos) return {};
    text.remove_prefix(blank + 1);
  }
  return text;
}

std::uint64_t bytes(std::string_view text, std::string_view name) {
  return number_of(text, name).value_or(0) * 1024;
}

Error gone(pid_t process) {
  return {.fault = Fault::NotFound,
          .path = "process " + std::to_string(process) + " cannot be looked at"};
}

}  // namespace

std::optional<Duration> time_in_schedstat(std::string_view text) {
  const std::optional<std::uint64_t> nanoseconds = leading_number(text);
  if (!nanoseconds) return std::nullopt;
  return Duration(*nanoseconds);
}

std::optional<Duration> time_in_stat(std::string_view text, long ticks_per_second) {
  const std::size_t name_end = text.rfind(')');
  if (name_end == std::string_view::npos) return std::nullopt;
  const std::string_view user_on = fields_behind(text.substr(name_end), 12);
  const std::optional<std::uint64_t> user = leading_number(user_on);
  const std::optional<std::uint64_t> system = leading_number(fields_behind(user_on, 1));
  if (!user || !system) return std::nullopt;
  const std::uint64_t ticks = *user + *system;
  return Duration(std::chrono::seconds(1)) * ticks / static_cast<std::uint64_t>(ticks_per_second);
}

std::optional<std::uint64_t> number_of(std::string_view text, std::string_view name) {
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    if (!line.starts_with(name) || !line.substr(name.size()).starts_with(':')) continue;
    const std::size_t digit = line.find_first_of("0123456789", name.size());
    return digit == std::string_view::npos ? std::nullopt : leading_number(line.substr(digit));
  }
  return std::nullopt;
}

CpuUsage operator-(const CpuUsage& after, const CpuUsage& before) {
  return {.total = after.total - before.total,
          .main_thread = after.main_thread - before.main_thread,
          .ticks = after.ticks - before.ticks,
          .wakeups = after.wakeups - before.wakeups};
}

Result<CpuUsage> cpu_usage(pid_t process) {
  const std::filesystem::path folder = "/proc/" + std::to_string(process);
  const std::optional<Duration> ticks =
      time_in_stat(text_of(folder / "stat"), ::sysconf(_SC_CLK_TCK));
  if (!ticks) return gone(process);
  CpuUsage usage{.ticks = *ticks};
  std::error_code error;
  for (const auto& thread : std::filesystem::directory_iterator(folder / "task", error)) {
    const Duration time =
        time_in_schedstat(text_of(thread.path() / "schedstat")).value_or(Duration{0});
    usage.total += time;
    if (thread.path().filename() == folder.filename()) usage.main_thread = time;
    usage.wakeups +=
        number_of(text_of(thread.path() / "status"), "voluntary_ctxt_switches").value_or(0);
  }
  // A kernel without scheduler statistics counts in ticks only.
  if (usage.total == Duration{0}) usage.total = usage.ticks;
  return usage;
}

Result<MemoryUsage> memory_usage(pid_t process) {
  const std::filesystem::path folder = "/proc/" + std::to_string(process);
  const std::string status = text_of(folder / "status");
  if (status.empty()) return gone(process);
  const std::string pages = text_of(folder / "smaps_rollup");
  return MemoryUsage{.resident = bytes(status, "VmRSS"),
                     .resident_peak = bytes(status, "VmHWM"),
                     .anonymous = bytes(status, "RssAnon"),
                     .private_ = bytes(pages, "Private_Clean") + bytes(pages, "Private_Dirty")};
}

}  // namespace nlc::bench
