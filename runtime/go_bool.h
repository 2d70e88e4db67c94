#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace nlc {

/// Reads true or false in each of the spellings that every Kubernetes flag and feature gate takes,
/// which are Go's. Nothing for any other.
constexpr std::optional<bool> parse_go_bool(std::string_view text) {
  constexpr std::array<std::string_view, 6> yes{"1", "t", "T", "true", "TRUE", "True"};
  constexpr std::array<std::string_view, 6> no{"0", "f", "F", "false", "FALSE", "False"};
  if (std::ranges::find(yes, text) != yes.end()) return true;
  if (std::ranges::find(no, text) != no.end()) return false;
  return std::nullopt;
}

}  // namespace nlc
