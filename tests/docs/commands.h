#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nlc::docs {

/// A command as a page tells it, and what the page says that it prints.
struct Command {
  std::string place;  ///< "docs/fuzz.md:8"
  std::string words;  ///< in one line
  std::string output;
  bool is_shown = false;  ///< its output is
};

/// Those in the fenced blocks of a page that are no other language's, and those that stand indented
/// by four or more. In a block with lines that begin with `$ `, these are the commands, and what
/// follows is their output; else each line is a command. A backslash at the end goes on, and a
/// remark behind two spaces and `#` belongs to the reader.
std::vector<Command> commands_of(const std::filesystem::path& page, const std::string& name);

/// The text of the first block of YAML below that heading; empty: there is none.
std::string example_below(const std::filesystem::path& page, const std::string& heading);

/// Whether `printed` is what `told` says. White space is alike wherever there is some, as pages
/// break long lines; `…` stands for anything.
bool is_told(const std::string& printed, const std::string& told);

}  // namespace nlc::docs
