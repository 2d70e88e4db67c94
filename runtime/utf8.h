#pragma once

#include <cstddef>
#include <string_view>

namespace nlc {

/// The beginning of a UTF-8 text, `bytes_max` at most, with no character cut in two.
constexpr std::string_view whole_characters(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

}  // namespace nlc
