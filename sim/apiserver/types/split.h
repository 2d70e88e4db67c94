#pragma once

#include <ranges>
#include <string_view>

namespace nlc::sim {

/// What stands between the separators, which may be nothing. Of an empty text there is nothing.
inline auto split(std::string_view text, char separator) {
  return text | std::views::split(separator) | std::views::transform([](const auto& part) {
           return std::string_view(part.begin(), part.end());
         });
}

}  // namespace nlc::sim
