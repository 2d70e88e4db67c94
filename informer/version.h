#pragma once

#include <charconv>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace nlc::informer {

/// Whether `left` is an older resourceVersion than `right` of the same resource: decimal, no sign,
/// no leading zero, any length (promised from 1.35 on; true of every server before). An empty one
/// is older than any other.
constexpr bool older_version(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return left.size() < right.size();
  return left < right;
}

/// The same as a number: 0 where it is none, or none of 64 bits.
inline std::uint64_t version_number(std::string_view version) {
  std::uint64_t number = 0;
  const auto [end, error] =
      std::from_chars(version.data(), version.data() + version.size(), number);
  return error == std::errc{} && end == version.data() + version.size() ? number : 0;
}

}  // namespace nlc::informer
