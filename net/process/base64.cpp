#include "net/process/base64.h"

#include <cstdint>

namespace nlc::net {
namespace {

constexpr std::string_view alphabet =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

bool is_space(char letter) {
  return letter == ' ' || letter == '\n' || letter == '\r' || letter == '\t';
}

}  // namespace

std::string base64(std::string_view bytes) {
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::string_view group = bytes.substr(at, 3);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      bits = bits << 8 | (i < group.size() ? static_cast<unsigned char>(group[i]) : 0U);
    }
    for (std::size_t i = 0; i < 4; ++i) {
      text += i <= group.size() ? alphabet[bits >> (18 - 6 * i) & 63] : '=';
    }
  }
  return text;
}

std::optional<std::string> parse_base64(std::string_view text) {
  std::string bytes;
  std::uint32_t bits = 0;
  std::size_t letters = 0;
  std::size_t padding = 0;
  for (const char letter : text) {
    if (is_space(letter)) continue;
    if (letter == '=') {
      ++padding;
      continue;
    }
    const std::size_t value = alphabet.find(letter);
    if (value == std::string_view::npos || padding > 0) return std::nullopt;
    bits = bits << 6 | static_cast<std::uint32_t>(value);
    if (++letters % 4 != 1)
      bytes += static_cast<char>(bits >> (6 - 2 * ((letters - 1) % 4)) & 0xff);
  }
  if (padding > 2 || (letters + padding) % 4 != 0) return std::nullopt;
  return bytes;
}

}  // namespace nlc::net
