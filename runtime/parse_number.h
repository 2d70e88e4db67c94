#pragma once

#include <charconv>
#include <optional>
#include <string_view>
#include <system_error>

namespace nlc {

/// The number that a text is, all of it: nothing where there are blanks, a plus sign, or more than
/// fits.
template <typename Number>
std::optional<Number> parse_number(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

}  // namespace nlc
