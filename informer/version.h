#pragma once

#include <string_view>

namespace nlc::informer {

/// Whether `left` is an older resourceVersion than `right` of the same resource: decimal, no sign,
/// no leading zero, any length (promised from 1.35 on; true of every server before). An empty one
/// is older than any other.
constexpr bool older_version(std::string_view left, std::string_view right) {
  if (left.size() != right.size()) return left.size() < right.size();
  return left < right;
}

}  // namespace nlc::informer
