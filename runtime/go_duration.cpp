#include "runtime/go_duration.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>

namespace nlc {
namespace {

struct Unit {
  std::string_view name;
  std::uint64_t nanoseconds;
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

/// The least duration, its sign aside: one more than the longest.
constexpr std::uint64_t longest = std::uint64_t{1} << 63U;

std::optional<std::uint64_t> take_unit(std::string_view& text) {
  for (const Unit& unit : units) {
    if (!text.starts_with(unit.name)) continue;
    text.remove_prefix(unit.name.size());
    return unit.nanoseconds;
  }
  return std::nullopt;
}

std::string_view take_digits(std::string_view& text) {
  const std::string_view digits =
      text.substr(0, std::min(text.find_first_not_of("0123456789"), text.size()));
  text.remove_prefix(digits.size());
  return digits;
}

/// Digits before a point and behind it; not both are left out.
struct Number {
  std::uint64_t whole = 0;
  std::uint64_t fraction = 0;
  double scale = 1;  ///< that the fraction is to be divided by
};

std::optional<Number> take_number(std::string_view& text) {
  Number number;
  const std::string_view whole = take_digits(text);
  const auto read = std::from_chars(whole.data(), whole.data() + whole.size(), number.whole);
  if (!whole.empty() && read.ec != std::errc{}) return std::nullopt;
  std::string_view fraction;
  if (text.starts_with('.')) {
    text.remove_prefix(1);
    fraction = take_digits(text).substr(0, 18);  // so many fit, and more are less than a nanosecond
  }
  if (whole.empty() && fraction.empty()) return std::nullopt;
  std::from_chars(fraction.data(), fraction.data() + fraction.size(), number.fraction);
  for (std::size_t i = 0; i < fraction.size(); ++i) number.scale *= 10;
  return number;
}

std::string trimmed(double value, std::string_view unit) {
  std::array<char, 64> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), value, std::chars_format::fixed);
  (void)error;  // 64 characters hold any double in its shortest form
  return std::string(text.data(), end) + std::string(unit);
}

std::string written(std::uint64_t nanoseconds) {
  constexpr std::uint64_t second = 1'000'000'000;
  if (nanoseconds == 0) return "0s";
  if (nanoseconds < 1'000) return std::to_string(nanoseconds) + "ns";
  const double exact = static_cast<double>(nanoseconds % (60 * second));
  if (nanoseconds < 1'000'000) return trimmed(exact / 1e3, "\u00b5s");
  if (nanoseconds < second) return trimmed(exact / 1e6, "ms");
  const std::uint64_t minutes = nanoseconds / (60 * second);
  std::string text;
  if (minutes >= 60) text += std::to_string(minutes / 60) + "h";
  if (minutes > 0) text += std::to_string(minutes % 60) + "m";
  return text + trimmed(exact / 1e9, "s");
}

}  // namespace

std::optional<Duration> parse_go_duration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return Duration{0};
  if (text.empty()) return std::nullopt;

  // In whole nanoseconds, as Go does: a double forgets them after a hundred days.
  std::uint64_t total = 0;
  while (!text.empty()) {
    const std::optional<Number> number = take_number(text);
    if (!number) return std::nullopt;
    const std::optional<std::uint64_t> unit = take_unit(text);
    if (!unit || number->whole > longest / *unit) return std::nullopt;
    total += number->whole * *unit;
    total += static_cast<std::uint64_t>(static_cast<double>(number->fraction) *
                                        (static_cast<double>(*unit) / number->scale));
    if (total > longest) return std::nullopt;
  }
  if (total == longest && !negative) return std::nullopt;
  return Duration{static_cast<std::int64_t>(negative ? 0 - total : total)};
}

std::string go_duration(Duration duration) {
  const auto count = static_cast<std::uint64_t>(duration.count());
  return duration < Duration{0} ? "-" + written(0 - count) : written(count);
}

}  // namespace nlc
