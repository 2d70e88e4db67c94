#include "source_tree.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <utility>

namespace nlc::architecture {
namespace {

/// Where a literal or comment that begins at `begin` ends (one past its last character);
/// `begin` itself when none begins there.
std::size_t end_of_hidden(const std::string& text, std::size_t begin) {
  const auto past = [&](const std::string& end, std::size_t from) {
    const std::size_t found = text.find(end, from);
    return found == std::string::npos ? text.size() : found + end.size();
  };
  if (text.compare(begin, 2, "//") == 0) {
    return std::min(text.find('\n', begin), text.size());
  }
  if (text.compare(begin, 2, "/*") == 0) return past("*/", begin + 2);
  if (text.compare(begin, 2, "R\"") == 0) {
    const std::size_t bracket = text.find('(', begin);
    return past(")" + text.substr(begin + 2, bracket - begin - 2) + "\"", bracket);
  }
  const char quote = text[begin];
  const bool separates_digits = quote == '\'' && begin > 0 && std::isalnum(text[begin - 1]) != 0;
  if ((quote != '"' && quote != '\'') || separates_digits) return begin;
  std::size_t end = begin + 1;
  while (end < text.size() && text[end] != quote) end += text[end] == '\\' ? 2 : 1;
  return std::min(end + 1, text.size());
}

/// The text with every comment and literal turned to blanks, line by line as before.
std::string code_of(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = end_of_hidden(text, at);
    for (std::size_t i = at; i < end; ++i) {
      if (text[i] != '\n') text[i] = ' ';
    }
    at = std::max(end, at + 1);
  }
  return text;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(std::move(line));
  return lines;
}

/// A line counts when its code, too, is an include: one in a comment or a literal is none.
std::vector<Include> includes_of(const std::vector<std::string>& raw,
                                 const std::vector<std::string>& code) {
  static const std::regex directive(R"re(\s*#\s*include\s*(["<])([^">]+)[">].*)re");
  std::vector<Include> includes;
  for (std::size_t i = 0; i < raw.size(); ++i) {
    std::smatch match;
    if (code[i].find('#') == std::string::npos || !std::regex_match(raw[i], match, directive)) {
      continue;
    }
    includes.push_back(
        {.line = static_cast<int>(i) + 1, .name = match[2], .quoted = match[1] == "\""});
  }
  return includes;
}

constexpr std::array code_folders{"runtime", "yaml",     "metrics",  "api",        "client",
                                  "net",     "informer", "election", "controller", "program",
                                  "report",  "sim",      "nlc",      "bench",      "tests"};

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

bool is_code(const std::filesystem::path& file) {
  return file.extension() == ".h" || file.extension() == ".cpp";
}

bool is_text(const std::filesystem::path& file) {
  return is_code(file) || file.extension() == ".md" || file.filename() == "CMakeLists.txt";
}

std::string path_from(const std::filesystem::path& root, const std::filesystem::path& file) {
  return file.lexically_relative(root).generic_string();
}

}  // namespace

Source read_source(std::string path, const std::string& text) {
  Source source{.path = std::move(path), .lines = lines_of(code_of(text)), .includes = {}};
  source.includes = includes_of(lines_of(text), source.lines);
  return source;
}

std::vector<Source> read_tree(const std::filesystem::path& root) {
  std::vector<Source> sources;
  for (const char* folder : code_folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      if (!is_code(entry.path())) continue;
      sources.push_back(read_source(path_from(root, entry.path()), content_of(entry.path())));
    }
  }
  std::ranges::sort(sources, {}, &Source::path);
  return sources;
}

Text read_text(std::string path, const std::string& text) {
  return {.path = std::move(path), .lines = lines_of(text)};
}

std::vector<Text> read_texts(const std::filesystem::path& root) {
  std::vector<Text> texts;
  const auto add = [&](const std::filesystem::path& file) {
    if (is_text(file)) texts.push_back(read_text(path_from(root, file), content_of(file)));
  };
  for (const auto& entry : std::filesystem::directory_iterator(root)) add(entry.path());
  std::vector<std::string> folders(code_folders.begin(), code_folders.end());
  folders.emplace_back("docs");
  for (const std::string& folder : folders) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root / folder)) {
      add(entry.path());
    }
  }
  std::ranges::sort(texts, {}, &Text::path);
  return texts;
}

}  // namespace nlc::architecture
