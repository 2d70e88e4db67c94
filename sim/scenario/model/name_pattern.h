#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nlc::sim::scenario {

/// Empty or "*": all are meant.
bool is_any(std::string_view wanted);

/// Nothing in particular is wanted, or that one or all are among it.
bool is_wanted(const std::vector<std::string>& wanted, std::string_view name);

/// Such as "node-*", and not the whole name of one.
bool is_pattern(std::string_view name);

/// A star stands for any letters, none included.
bool matches_pattern(std::string_view pattern, std::string_view name);

}  // namespace nlc::sim::scenario
