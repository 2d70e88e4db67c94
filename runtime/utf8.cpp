#include "runtime/utf8.h"

#include <algorithm>

namespace nlc {
namespace {

constexpr std::size_t line_bytes_max = 1'000;

bool is_control(unsigned char letter) { return letter < 0x20 || letter == 0x7f; }

/// The end of a UTF-8 text, with no character cut in two.
std::string_view last_characters(std::string_view text, std::size_t bytes_max) {
  return text.substr(whole_characters(text, text.size() - bytes_max).size());
}

}  // namespace

std::string without_middle(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  std::string shown = shortened(text, bytes_max / 2);
  return shown.append(" …").append(last_characters(text, bytes_max / 2));
}

std::string without_controls(std::string_view text) {
  std::string shown;
  shown.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto letter = static_cast<unsigned char>(text[at]);
    const auto next = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : 0);
    const bool is_c1 = letter == 0xC2 && next >= 0x80 && next < 0xA0;
    if (is_c1) ++at;
    shown += is_c1 || (is_control(letter) && letter != '\n') ? ' ' : text[at];
  }
  return shown;
}

std::string one_line(std::string_view text) {
  std::string line = without_controls(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::string error_line(std::string_view text) {
  return one_line(without_middle(text, line_bytes_max));
}

}  // namespace nlc
