#include "net/http/http_date.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>

namespace nlc::net {
namespace {

using std::chrono::day;
using std::chrono::month;
using std::chrono::year;

constexpr std::array<std::string_view, 7> weekdays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
constexpr std::array<std::string_view, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                  "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};

std::optional<int> number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

std::optional<std::chrono::seconds> time_of_day(std::string_view text) {  // "08:49:37"
  const auto hours = number(text.substr(0, 2));
  const auto minutes = number(text.substr(3, 2));
  const auto seconds = number(text.substr(6, 2));
  if (text[2] != ':' || text[5] != ':' || !hours || !minutes || !seconds) return std::nullopt;
  if (*hours > 23 || *minutes > 59 || *seconds > 60) return std::nullopt;
  return std::chrono::hours(*hours) + std::chrono::minutes(*minutes) +
         std::chrono::seconds(*seconds);
}

}  // namespace

std::string http_date(WallTime time) {
  const auto days = std::chrono::floor<std::chrono::days>(time);
  const std::chrono::year_month_day date{days};
  const std::chrono::hh_mm_ss clock{std::chrono::floor<std::chrono::seconds>(time - days)};
  const unsigned weekday = std::chrono::weekday{days}.c_encoding();
  std::array<char, 40> text{};
  const int size = std::snprintf(
      text.data(), text.size(), "%s, %02u %s %04d %02d:%02d:%02d GMT", weekdays[weekday].data(),
      static_cast<unsigned>(date.day()), months[static_cast<unsigned>(date.month()) - 1].data(),
      static_cast<int>(date.year()), static_cast<int>(clock.hours().count()),
      static_cast<int>(clock.minutes().count()), static_cast<int>(clock.seconds().count()));
  return std::string(text.data(), static_cast<std::size_t>(size));
}

std::optional<WallTime> parse_http_date(std::string_view text) {
  constexpr std::size_t length = std::string_view("Sun, 06 Nov 1994 08:49:37 GMT").size();
  if (text.size() != length || text.substr(25) != " GMT") return std::nullopt;
  const auto* const name = std::find(months.begin(), months.end(), text.substr(8, 3));
  const auto day_number = number(text.substr(5, 2));
  const auto year_number = number(text.substr(12, 4));
  const auto clock = time_of_day(text.substr(17, 8));
  if (name == months.end() || !day_number || !year_number || !clock) return std::nullopt;

  const std::chrono::year_month_day date{year{*year_number},
                                         month{static_cast<unsigned>(name - months.begin()) + 1},
                                         day{static_cast<unsigned>(*day_number)}};
  if (!date.ok()) return std::nullopt;
  const auto time = std::chrono::sys_days{date} + *clock;
  // A second that is put in may be the first of a year that cannot be written.
  if (time >= std::chrono::sys_days{year{10'000} / 1 / 1}) return std::nullopt;
  return std::chrono::time_point_cast<std::chrono::microseconds>(time);
}

std::optional<Duration> parse_retry_after(std::string_view text) {
  constexpr int day = 86'400;
  const std::optional<int> seconds = number(text);
  if (!seconds || *seconds > day) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

}  // namespace nlc::net
