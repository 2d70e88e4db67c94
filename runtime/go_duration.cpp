#include "runtime/go_duration.h"

#include <absl/strings/str_replace.h>
#include <absl/time/time.h>
#include <array>
#include <charconv>
#include <cstdint>

namespace nlc {
namespace {

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
  // abseil reads the same, save what Go calls microseconds: by a micro sign, or by the letter mu.
  const std::string ascii =
      absl::StrReplaceAll({text.data(), text.size()}, {{"\u00b5s", "us"}, {"\u03bcs", "us"}});
  absl::Duration read;
  const bool fits = absl::ParseDuration(ascii, &read) &&
                    read >= absl::FromChrono(Duration::min()) &&
                    read <= absl::FromChrono(Duration::max());
  return fits ? std::optional(absl::ToChronoNanoseconds(read)) : std::nullopt;
}

std::string go_duration(Duration duration) {
  const auto count = static_cast<std::uint64_t>(duration.count());
  return duration < Duration{0} ? "-" + written(0 - count) : written(count);
}

}  // namespace nlc
