#pragma once

#include <string>
#include <vector>

namespace nlc::sim::experiment {

/// One column of text; its heading may have several lines, of which the last stands lowest.
struct TextColumn {
  std::vector<std::string> heading;
  std::vector<std::string> cells;
  std::string group =
      {};  ///< stands amid and above this column and its right neighbours of the same group
};

/// Columns side by side, flush right, two spaces apart, four where a group begins.
std::string text_grid(const std::vector<TextColumn>& columns);

}  // namespace nlc::sim::experiment
