#pragma once

#include <algorithm>
#include <optional>

#include "runtime/time.h"

namespace nlc {

/// The earlier of two moments, either of which there may not be.
inline std::optional<Instant> earlier(std::optional<Instant> left, std::optional<Instant> right) {
  return left && right ? std::min(left, right) : left ? left : right;
}

}  // namespace nlc
