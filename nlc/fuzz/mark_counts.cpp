#include "nlc/fuzz/mark_counts.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdio>
#include <numeric>

namespace nlc::workbench {
namespace {

/// A long name takes the place of two.
constexpr std::size_t column_width = 40;
constexpr std::size_t page_width = 3 * column_width;

std::string cell_of(const std::string& name, std::uint64_t days) {
  std::array<char, 32> number{};
  std::snprintf(number.data(), number.size(), "%8llu  ", static_cast<unsigned long long>(days));
  return number.data() + name;
}

}  // namespace

std::string mark_counts(const std::vector<std::string>& names,
                        const std::vector<std::uint64_t>& days) {
  assert(names.size() == days.size());
  std::vector<std::size_t> order(names.size());
  std::iota(order.begin(), order.end(), 0);
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return days[a] > days[b]; });
  std::string lines;
  std::string line;
  for (const std::size_t mark : order) {
    if (days[mark] == 0) break;
    const std::string next = cell_of(names[mark], days[mark]);
    const std::size_t begin =
        line.empty() ? 0 : (line.size() + column_width) / column_width * column_width;
    if (line.empty() || begin + next.size() < page_width) {
      line.append(begin - line.size(), ' ');
      line += next;
      continue;
    }
    lines += line + "\n";
    line = next;
  }
  return line.empty() ? lines : lines + line + "\n";
}

}  // namespace nlc::workbench
