#include "runtime/time.h"

#include <cstddef>
#include <cstdint>
#include <iterator>

namespace nlc {
namespace {

using std::chrono::sys_days;
using std::chrono::year_month_day;

void append(std::string& text, std::string_view mark, std::int64_t number, std::size_t width) {
  text.append(mark).append(width, '0');
  for (auto digit = text.rbegin(); number > 0 && width > 0; ++digit, --width, number /= 10) {
    *digit = static_cast<char>('0' + number % 10);
  }
}

/// "2026-01-02T03:04:05". By hand, for no other text is written as often.
std::string to_the_second(WallTime time) {
  using namespace std::chrono;
  const sys_days day = floor<days>(time);
  const year_month_day date{day};
  const hh_mm_ss clock{floor<seconds>(time - day)};
  std::string text;
  text.reserve(std::size("2026-01-02T03:04:05.000006Z"));
  append(text, "", static_cast<int>(date.year()), 4);
  append(text, "-", static_cast<unsigned>(date.month()), 2);
  append(text, "-", static_cast<unsigned>(date.day()), 2);
  append(text, "T", clock.hours().count(), 2);
  append(text, ":", clock.minutes().count(), 2);
  append(text, ":", clock.seconds().count(), 2);
  return text;
}

/// Reads fixed-width fields from the left; `good` turns false at the first mismatch and stays so.
class Fields {
 public:
  explicit Fields(std::string_view text) : rest_(text) {}

  /// So many digits; a number above `most` is a mismatch too.
  int number(std::size_t width, int most) {
    int value = 0;
    if (rest_.size() < width) return fail();
    for (const char digit : rest_.substr(0, width)) {
      if (digit < '0' || digit > '9') return fail();
      value = value * 10 + (digit - '0');
    }
    rest_.remove_prefix(width);
    return value <= most ? value : fail();
  }

  void literal(char expected) {
    if (!accept(expected)) good = false;
  }

  bool accept(char expected) {
    if (rest_.empty() || rest_.front() != expected) return false;
    rest_.remove_prefix(1);
    return true;
  }

  /// A run of digits after a point, as microseconds; further digits are cut off.
  int micros() {
    int value = 0;
    int digits = 0;
    for (; !rest_.empty() && rest_.front() >= '0' && rest_.front() <= '9'; rest_.remove_prefix(1)) {
      if (digits < 6) value = value * 10 + (rest_.front() - '0');
      ++digits;
    }
    if (digits == 0) good = false;
    for (; digits < 6; ++digits) value *= 10;
    return value;
  }

  bool at_end() const { return rest_.empty(); }
  bool good = true;

 private:
  int fail() {
    good = false;
    return 0;
  }

  std::string_view rest_;
};

/// "2026-01-02"; the day may be one that its month does not have.
year_month_day read_date(Fields& fields) {
  const int year = fields.number(4, 9999);
  fields.literal('-');
  const int month = fields.number(2, 12);
  fields.literal('-');
  const int day = fields.number(2, 31);
  return {std::chrono::year{year}, std::chrono::month(static_cast<unsigned>(month)),
          std::chrono::day(static_cast<unsigned>(day))};
}

/// "03:04:05", with or without a fraction; the second may be a leap second.
std::chrono::microseconds read_time_of_day(Fields& fields) {
  const std::chrono::hours hour{fields.number(2, 23)};
  fields.literal(':');
  const std::chrono::minutes minute{fields.number(2, 59)};
  fields.literal(':');
  const std::chrono::seconds second{fields.number(2, 60)};
  const std::chrono::microseconds micro{fields.accept('.') ? fields.micros() : 0};
  return hour + minute + second + micro;
}

/// "Z", or how far east of it: "+01:00".
std::chrono::minutes read_offset(Fields& fields) {
  if (fields.accept('Z') || fields.accept('z')) return {};
  const bool west = fields.accept('-');
  if (!west) fields.literal('+');
  const std::chrono::hours hour{fields.number(2, 23)};
  fields.literal(':');
  const std::chrono::minutes minute{fields.number(2, 59)};
  return west ? -(hour + minute) : hour + minute;
}

}  // namespace

std::string rfc3339(WallTime time) { return to_the_second(time) + 'Z'; }

std::string rfc3339_micro(WallTime time) {
  std::string text = to_the_second(time);
  append(text, ".", (time - std::chrono::floor<std::chrono::seconds>(time)).count(), 6);
  return text += 'Z';
}

std::optional<WallTime> parse_rfc3339(std::string_view text) {
  Fields fields(text);
  const year_month_day date = read_date(fields);
  if (!fields.accept('T')) fields.literal('t');
  const std::chrono::microseconds time_of_day = read_time_of_day(fields);
  const std::chrono::minutes offset = read_offset(fields);
  if (!fields.good || !fields.at_end() || !date.ok()) return std::nullopt;
  const WallTime time = WallTime{sys_days{date}} + time_of_day - offset;
  // An offset may lead out of the years that can be written.
  constexpr WallTime first{sys_days{std::chrono::year{0} / 1 / 1}};
  constexpr WallTime end{sys_days{std::chrono::year{10'000} / 1 / 1}};
  if (time < first || time >= end) return std::nullopt;
  return time;
}

}  // namespace nlc
