#include "bench/exposition.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace nlc::bench {
namespace {

struct Line {
  std::string_view series;  ///< name and labels
  double value = 0;
};

/// Takes the next line off the text; nothing of a comment, or of what is no number.
std::optional<Line> next_line(std::string_view& text) {
  const std::size_t end = text.find('\n');
  const std::string_view line = text.substr(0, end);
  text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  const std::size_t space = line.rfind(' ');
  if (line.starts_with('#') || space == std::string_view::npos) return std::nullopt;
  Line found{.series = line.substr(0, space)};
  const auto [rest, error] =
      std::from_chars(line.data() + space + 1, line.data() + line.size(), found.value);
  if (error != std::errc{}) return std::nullopt;
  return found;
}

}  // namespace

std::optional<double> sample(std::string_view exposition, std::string_view series) {
  while (!exposition.empty()) {
    const std::optional<Line> line = next_line(exposition);
    if (line && line->series == series) return line->value;
  }
  return std::nullopt;
}

double sum_of(std::string_view exposition, std::string_view metric,
              const std::vector<std::string_view>& labels) {
  double sum = 0;
  while (!exposition.empty()) {
    const std::optional<Line> line = next_line(exposition);
    if (!line || !line->series.starts_with(std::string(metric) + "{")) continue;
    const auto has = [&line](std::string_view label) {
      return line->series.find(label) != std::string_view::npos;
    };
    if (std::ranges::all_of(labels, has)) sum += line->value;
  }
  return sum;
}

}  // namespace nlc::bench
