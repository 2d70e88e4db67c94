#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace nlc {

/// The beginning of a UTF-8 text, `bytes_max` at most, with no character cut in two.
constexpr std::string_view whole_characters(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

/// The beginning of a text that others wrote, for people: "abc… (5000 bytes)".
inline std::string shortened(std::string_view text, std::size_t bytes_max) {
  std::string shown(whole_characters(text, bytes_max));
  if (shown.size() < text.size()) shown += "… (" + std::to_string(text.size()) + " bytes)";
  return shown;
}

/// The same of a text whose end says as much as its beginning: "abc… (5000 bytes) …xyz".
std::string without_middle(std::string_view text, std::size_t bytes_max);

/// For a terminal: blanks stand for the characters that steer one, line breaks aside.
std::string without_controls(std::string_view text);

/// For words on a terminal: whatever is in it, it cannot begin a second line, nor steer one.
std::string one_line(std::string_view text);

/// What went wrong, in a line of its own. A long one lacks its middle: it begins with where it was
/// and what was found, which others wrote, and ends with what was expected.
std::string error_line(std::string_view text);

}  // namespace nlc
