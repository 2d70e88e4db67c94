#pragma once

#include <algorithm>
#include <cstdint>
#include <string_view>

#include "runtime/parse_number.h"

namespace nlc::api {

/// Whether a resourceVersion is one of those that can be compared: decimal, no sign, no leading
/// zero, any length (promised from 1.35 on; true of every server before).
constexpr bool is_comparable_version(std::string_view version) {
  if (version.empty() || (version.size() > 1 && version.front() == '0')) return false;
  return std::ranges::all_of(version, [](char digit) { return digit >= '0' && digit <= '9'; });
}

/// Whether `left` is an older resourceVersion than `right` of the same resource. An empty one is
/// older than any other; where either is no number nobody can tell, and neither is older.
constexpr bool older_version(std::string_view left, std::string_view right) {
  if (left.empty() || right.empty()) return left.empty() && !right.empty();
  if (!is_comparable_version(left) || !is_comparable_version(right)) return false;
  if (left.size() != right.size()) return left.size() < right.size();
  return left < right;
}

/// The same as a number: 0 where it is none, or none of 64 bits.
inline std::uint64_t version_number(std::string_view version) {
  return parse_number<std::uint64_t>(version).value_or(0);
}

}  // namespace nlc::api
