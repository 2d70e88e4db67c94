#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace nlc::workbench {

/// How many days came to each mark, most first, in columns; those that none came to are left out.
/// Whole lines.
std::string mark_counts(const std::vector<std::string>& names,
                        const std::vector<std::uint64_t>& days);

}  // namespace nlc::workbench
