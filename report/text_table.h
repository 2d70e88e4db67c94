#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace nlc::report {

enum class Flush { Right, Left };

/// One column of text; its heading may have several lines, of which the last stands lowest.
struct TextColumn {
  std::vector<std::string> heading{};
  std::vector<std::string> cells{};
  /// Stands amid and above this column and its right neighbours of the same group.
  std::string group{};
  Flush flush = Flush::Right;
  std::size_t least_width = 0;
};

/// Columns side by side, two spaces apart, four where a group begins. Widths are those a terminal
/// shows, where no character takes two places.
std::string text_table(const std::vector<TextColumn>& columns, std::string_view indent = "");

/// How many places it takes there.
std::size_t shown_width(std::string_view text);

/// "12.50"; a dash for what is no number.
std::string fixed(double number, int digits);

}  // namespace nlc::report
