#pragma once

#include <string_view>

namespace nlc::sim::scenario {

/// Such as "node-*", and not the whole name of one.
bool is_pattern(std::string_view name);

/// A star stands for any letters, none included.
bool matches_pattern(std::string_view pattern, std::string_view name);

}  // namespace nlc::sim::scenario
