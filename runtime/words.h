#pragma once

#include <ranges>
#include <string>
#include <string_view>
#include <vector>

/// How a text that people wrote is cut, and words are told to them.
namespace nlc {

inline constexpr std::string_view blanks = " \t\r\n";

inline std::string_view trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

/// What stands between the separators, which may be nothing. Of an empty text there is nothing.
inline auto split(std::string_view text, char separator) {
  return text | std::views::split(separator) | std::views::transform([](const auto& part) {
           return std::string_view(part.begin(), part.end());
         });
}

/// The same, all of it; one more than there are separators.
inline std::vector<std::string_view> parts_of(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (const std::string_view part : split(text, separator)) parts.push_back(part);
  if (parts.empty()) parts.emplace_back();
  return parts;
}

/// What stands between blanks.
inline std::vector<std::string_view> words_of(std::string_view text) {
  std::vector<std::string_view> words;
  for (text = trimmed(text); !text.empty(); text = trimmed(text)) {
    const std::size_t end = text.find_first_of(blanks);
    words.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end);
  }
  return words;
}

/// "a, b or c".
template <typename Words>
std::string alternatives(const Words& words) {
  std::string text;
  std::size_t left = words.size();
  for (const std::string_view word : words) {
    text += text.empty() ? "" : left > 1 ? ", " : " or ";
    text += word;
    --left;
  }
  return text;
}

}  // namespace nlc
