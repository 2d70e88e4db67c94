#include "tests/docs/commands.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <string_view>

namespace nlc::docs {
namespace {

constexpr std::array programs{
    "nlc",  "build/bin/", "node-lifecycle-controller", "leader-elector", "kubectl", "curl",
    "make", "export"};

bool is_command(std::string_view line) {
  return std::ranges::any_of(programs, [&](std::string_view program) {
    if (!line.starts_with(program)) return false;
    return program.ends_with('/') || line.size() == program.size() || line[program.size()] == ' ';
  });
}

/// `at` is left on the last line that belongs to it.
std::string joined(const std::vector<std::string>& lines, std::size_t& at, std::size_t skip) {
  std::string words = lines[at].substr(skip);
  while (words.ends_with('\\') && at + 1 < lines.size()) {
    const std::string& next = lines[++at];
    words.pop_back();
    words += next.substr(std::min(next.find_first_not_of(' '), next.size()));
  }
  const std::size_t remark = words.find("  #");
  return words.substr(0, words.find_last_not_of(' ', remark) + 1);
}

std::vector<std::string> lines_of(const std::filesystem::path& page) {
  std::ifstream file(page);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

/// Of one block: lines[first] to before lines[last].
void take_block(const std::vector<std::string>& lines, std::size_t first, std::size_t last,
                const std::string& name, std::vector<Command>& into) {
  const auto begins = [](const std::string& line) { return line.starts_with("$ "); };
  const bool has_prompts = std::any_of(lines.begin() + static_cast<std::ptrdiff_t>(first),
                                       lines.begin() + static_cast<std::ptrdiff_t>(last), begins);
  for (std::size_t at = first; at < last; ++at) {
    const std::string place = name + ":" + std::to_string(at + 1);
    if (has_prompts ? begins(lines[at]) : is_command(lines[at])) {
      into.push_back({.place = place,
                      .words = joined(lines, at, has_prompts ? 2 : 0),
                      .output = {},
                      .is_shown = has_prompts && at + 1 < last && !begins(lines[at + 1])});
    } else if (has_prompts && !into.empty()) {
      into.back().output += lines[at] + "\n";
    }
  }
}

/// All runs of white space become one blank.
std::string folded(const std::string& text) {
  std::istringstream words(text);
  std::string folded;
  for (std::string word; words >> word;) folded += (folded.empty() ? "" : " ") + word;
  return folded;
}

}  // namespace

std::vector<Command> commands_of(const std::filesystem::path& page, const std::string& name) {
  const std::vector<std::string> lines = lines_of(page);
  std::vector<Command> commands;
  for (std::size_t at = 0; at < lines.size(); ++at) {
    if (lines[at].starts_with("```")) {
      const std::string language = lines[at].substr(3);
      const std::size_t first = at + 1;
      while (++at < lines.size() && lines[at] != "```") continue;
      const bool is_ours = language.empty() || language == "sh" || language == "console";
      if (is_ours) take_block(lines, first, std::min(at, lines.size()), name, commands);
    } else if (lines[at].starts_with("    ")) {
      const std::size_t indent = lines[at].find_first_not_of(' ');
      if (indent == std::string::npos || !is_command(lines[at].substr(indent))) continue;
      const std::string place = name + ":" + std::to_string(at + 1);
      commands.push_back({.place = place, .words = joined(lines, at, indent), .output = {}});
    }
  }
  return commands;
}

std::string example_below(const std::filesystem::path& page, const std::string& heading) {
  const std::vector<std::string> lines = lines_of(page);
  auto at = std::ranges::find(lines, heading);
  at = std::find(at, lines.end(), "```yaml");
  std::string text;
  while (at != lines.end() && ++at != lines.end() && *at != "```") text += *at + "\n";
  return text;
}

bool is_told(const std::string& printed, const std::string& told) {
  const std::string text = folded(printed);
  std::string_view rest = text;
  constexpr std::string_view anything = "…";
  const std::string words = folded(told);
  bool anywhere = false;
  for (std::string_view left = words; !left.empty();) {
    const std::size_t end = std::min(left.find(anything), left.size());
    std::string_view piece = left.substr(0, end);
    if (anywhere && piece.starts_with(' ')) piece.remove_prefix(1);
    if (end < left.size() && piece.ends_with(' ')) piece.remove_suffix(1);
    const bool is_last = end == left.size();
    const std::size_t found = anywhere ? (is_last ? rest.rfind(piece) : rest.find(piece)) : 0;
    if (found == rest.npos || !rest.substr(found).starts_with(piece)) return false;
    rest.remove_prefix(found + piece.size());
    anywhere = end < left.size();
    left.remove_prefix(std::min(end + (anywhere ? anything.size() : 0), left.size()));
  }
  return anywhere || rest.empty();
}

}  // namespace nlc::docs
