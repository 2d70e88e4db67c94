#include "runtime/go_duration.h"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace nlc {
namespace {

struct Unit {
  std::string_view name;
  std::int64_t nanoseconds;
};

// Longer names first: "ms" must not be read as "m" followed by "s".
constexpr std::array<Unit, 8> units{{{"ns", 1},
                                     {"us", 1'000},
                                     {"\u00b5s", 1'000},  // micro sign
                                     {"\u03bcs", 1'000},  // Greek letter mu
                                     {"ms", 1'000'000},
                                     {"s", 1'000'000'000},
                                     {"m", 60'000'000'000},
                                     {"h", 3'600'000'000'000}}};

std::optional<std::int64_t> take_unit(std::string_view& text) {
  for (const Unit& unit : units) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return unit.nanoseconds;
  }
  return std::nullopt;
}

std::optional<double> take_number(std::string_view& text) {
  if (text.empty() || (text.front() != '.' && (text.front() < '0' || text.front() > '9'))) {
    return std::nullopt;
  }
  double value = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  if (error != std::errc{}) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

std::string trimmed(double value, std::string_view unit) {
  std::array<char, 64> text{};
  const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), value);
  (void)error;  // 64 characters hold any double in its shortest form
  return std::string(text.data(), end) + std::string(unit);
}

}  // namespace

std::optional<Duration> parse_go_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Duration{0};
  if (text.empty()) return std::nullopt;

  double total = 0;
  while (!text.empty()) {
    const std::optional<double> number = take_number(text);
    if (!number) return std::nullopt;
    const std::optional<std::int64_t> unit = take_unit(text);
    if (!unit) return std::nullopt;
    total += *number * static_cast<double>(*unit);
  }
  if (!(total < 9.2e18)) return std::nullopt;
  const auto nanoseconds = static_cast<std::int64_t>(std::llround(total));
  return Duration{negative ? -nanoseconds : nanoseconds};
}

std::string go_duration(Duration duration) {
  using namespace std::chrono;
  if (duration < Duration{0}) return "-" + go_duration(-duration);
  if (duration == Duration{0}) return "0s";
  const double nanos = static_cast<double>(duration.count());
  if (duration < 1us) return trimmed(nanos, "ns");
  if (duration < 1ms) return trimmed(nanos / 1e3, "\u00b5s");
  if (duration < 1s) return trimmed(nanos / 1e6, "ms");

  const hours whole_hours = floor<hours>(duration);
  const minutes whole_minutes = floor<minutes>(duration - whole_hours);
  const Duration rest = duration - whole_hours - whole_minutes;
  std::string text;
  if (whole_hours.count() > 0) text += std::to_string(whole_hours.count()) + "h";
  if (!text.empty() || whole_minutes.count() > 0)
    text += std::to_string(whole_minutes.count()) + "m";
  return text + trimmed(static_cast<double>(rest.count()) / 1e9, "s");
}

}  // namespace nlc
