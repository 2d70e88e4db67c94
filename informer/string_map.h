#pragma once

#include <absl/container/flat_hash_map.h>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace nlc::informer {

/// Hashes strings and views alike, so that a look-up needs no copy of the key.
struct StringHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const {
    return std::hash<std::string_view>{}(text);
  }
};

/// A map from names. Its order means nothing: no decision may depend on a walk through it.
template <typename Value>
using StringMap = absl::flat_hash_map<std::string, Value, StringHash, std::equal_to<>>;

}  // namespace nlc::informer
