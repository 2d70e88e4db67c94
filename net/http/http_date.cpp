#include "net/http/http_date.h"

#include <absl/time/time.h>

#include "runtime/parse_number.h"

namespace nlc::net {
namespace {

constexpr const char* form = "%a, %d %b %E4Y %H:%M:%S GMT";
constexpr std::size_t length = std::string_view("Sun, 06 Nov 1994 08:49:37 GMT").size();

}  // namespace

std::string http_date(WallTime time) {
  return absl::FormatTime(form, absl::FromUnixMicros(time.time_since_epoch().count()),
                          absl::UTCTimeZone());
}

std::optional<WallTime> parse_http_date(std::string_view text) {
  absl::Time read;
  // abseil takes blanks around a date, and words for the ends of time.
  if (text.size() != length || !text.ends_with(" GMT")) return std::nullopt;
  if (!absl::ParseTime(form, {text.data(), text.size()}, &read, nullptr)) return std::nullopt;
  const WallTime time{std::chrono::microseconds(absl::ToUnixMicros(read))};
  // A second that is put in may be the first of a year that cannot be written.
  constexpr WallTime end{std::chrono::sys_days{std::chrono::year{10'000} / 1 / 1}};
  return time < end ? std::optional(time) : std::nullopt;
}

std::optional<Duration> parse_retry_after(std::string_view text) {
  constexpr std::uint32_t day = 86'400;
  const auto seconds = parse_number<std::uint32_t>(text);
  if (!seconds || *seconds > day) return std::nullopt;
  return std::chrono::seconds(*seconds);
}

}  // namespace nlc::net
