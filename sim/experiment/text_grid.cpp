#include "sim/experiment/text_grid.h"

#include <algorithm>

namespace nlc::sim::experiment {
namespace {

struct Placed {
  const TextColumn& column;
  std::size_t gap;
  std::size_t width;
};

std::size_t width_of(const TextColumn& column) {
  std::size_t width = 0;
  for (const std::string& line : column.heading) width = std::max(width, line.size());
  for (const std::string& cell : column.cells) width = std::max(width, cell.size());
  return width;
}

/// The columns of the group that begins at `first`.
std::size_t group_size(const std::vector<Placed>& columns, std::size_t first) {
  std::size_t size = 1;
  while (first + size < columns.size() &&
         columns[first + size].column.group == columns[first].column.group) {
    ++size;
  }
  return size;
}

std::size_t span_of(const std::vector<Placed>& columns, std::size_t first, std::size_t size) {
  std::size_t span = columns[first].width;
  for (std::size_t i = first + 1; i < first + size; ++i) {
    span += columns[i].gap + columns[i].width;
  }
  return span;
}

std::vector<Placed> placed(const std::vector<TextColumn>& columns) {
  std::vector<Placed> result;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const bool begins = i > 0 && columns[i].group != columns[i - 1].group;
    const std::size_t gap = i == 0 ? 0 : begins ? 4 : 2;
    result.push_back({.column = columns[i], .gap = gap, .width = width_of(columns[i])});
  }
  for (std::size_t i = 0; i < result.size(); i += group_size(result, i)) {
    const std::size_t span = span_of(result, i, group_size(result, i));
    const std::size_t wanted = columns[i].group.size();
    if (wanted > span) result[i].width += wanted - span;
  }
  return result;
}

std::string right(const std::string& text, std::size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

std::string amid(const std::string& text, std::size_t width) {
  const std::size_t room = width - std::min(width, text.size());
  return right(text, width - room / 2) + std::string(room / 2, ' ');
}

std::string group_line(const std::vector<Placed>& columns) {
  std::string line;
  for (std::size_t i = 0; i < columns.size();) {
    const std::size_t size = group_size(columns, i);
    const std::string& name = columns[i].column.group;
    line += std::string(columns[i].gap, ' ') + amid(name, span_of(columns, i, size));
    i += size;
  }
  return line;
}

std::size_t heading_height(const std::vector<Placed>& columns) {
  std::size_t height = 0;
  for (const Placed& placed : columns) height = std::max(height, placed.column.heading.size());
  return height;
}

std::string heading_line(const std::vector<Placed>& columns, std::size_t from_below) {
  std::string line;
  for (const Placed& placed : columns) {
    const std::vector<std::string>& heading = placed.column.heading;
    const std::string text =
        from_below < heading.size() ? heading[heading.size() - 1 - from_below] : "";
    line += std::string(placed.gap, ' ') + right(text, placed.width);
  }
  return line;
}

std::string cell_line(const std::vector<Placed>& columns, std::size_t row) {
  std::string line;
  for (const Placed& placed : columns) {
    line += std::string(placed.gap, ' ') + right(placed.column.cells[row], placed.width);
  }
  return line;
}

void add_line(std::string& text, std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

}  // namespace

std::string text_grid(const std::vector<TextColumn>& columns) {
  if (columns.empty()) return {};
  const std::vector<Placed> all = placed(columns);
  std::string text;
  const std::string groups = group_line(all);
  if (groups.find_first_not_of(' ') != groups.npos) add_line(text, groups);
  for (std::size_t line = heading_height(all); line > 0; --line) {
    add_line(text, heading_line(all, line - 1));
  }
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    add_line(text, cell_line(all, row));
  }
  return text;
}

}  // namespace nlc::sim::experiment
