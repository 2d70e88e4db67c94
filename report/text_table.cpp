#include "report/text_table.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace nlc::report {
namespace {

struct Placed {
  const TextColumn& column;
  std::size_t gap;
  std::size_t width;
};

std::size_t width_of(const TextColumn& column) {
  std::size_t width = column.least_width;
  for (const std::string& line : column.heading) width = std::max(width, shown_width(line));
  for (const std::string& cell : column.cells) width = std::max(width, shown_width(cell));
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
    const std::size_t wanted = shown_width(columns[i].group);
    if (wanted > span) result[i].width += wanted - span;
  }
  return result;
}

std::string amid(const std::string& text, std::size_t width) {
  const std::size_t room = width - std::min(width, shown_width(text));
  return std::string(room - room / 2, ' ') + text + std::string(room / 2, ' ');
}

std::string in_place(const Placed& placed, const std::string& text) {
  const std::string room(placed.width - shown_width(text), ' ');
  const bool left = placed.column.flush == Flush::Left;
  return std::string(placed.gap, ' ') + (left ? text + room : room + text);
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
    line += in_place(placed, text);
  }
  return line;
}

std::string cell_line(const std::vector<Placed>& columns, std::size_t row) {
  std::string line;
  for (const Placed& placed : columns) line += in_place(placed, placed.column.cells[row]);
  return line;
}

}  // namespace

std::string text_table(const std::vector<TextColumn>& columns, std::string_view indent) {
  if (columns.empty()) return {};
  std::string text;
  const auto add_line = [&](const std::string& line) {
    text += std::string(indent) + line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  };
  const std::vector<Placed> all = placed(columns);
  const std::string groups = group_line(all);
  if (groups.find_first_not_of(' ') != groups.npos) add_line(groups);
  for (std::size_t line = heading_height(all); line > 0; --line) {
    add_line(heading_line(all, line - 1));
  }
  for (std::size_t row = 0; row < columns.front().cells.size(); ++row) {
    add_line(cell_line(all, row));
  }
  return text;
}

/// The bytes that go on with a character take no place.
std::size_t shown_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(
      text, [](char byte) { return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U; }));
}

std::string fixed(double number, int digits) {
  if (std::isnan(number)) return "–";
  std::array<char, 64> text{};
  const int size = std::snprintf(text.data(), text.size(), "%.*f", digits, number);
  return {text.data(), std::min(static_cast<std::size_t>(size), text.size() - 1)};
}

}  // namespace nlc::report
