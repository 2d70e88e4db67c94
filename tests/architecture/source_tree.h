#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace nlc::architecture {

struct Include {
  int line = 0;
  std::string name;    ///< "client/transport.h", "boost/asio.hpp"
  bool quoted = true;  ///< "…" rather than <…>
};

/// One source file, as the rules look at it.
struct Source {
  std::string path;                ///< from the root of the repository: "client/verbs.cpp"
  std::vector<std::string> lines;  ///< code alone: comments and literals are blanked out
  std::vector<Include> includes;

  bool is_header() const { return path.ends_with(".h"); }
  std::string folder() const { return path.substr(0, path.find('/')); }
};

Source read_source(std::string path, const std::string& text);

/// Every .h and .cpp of the repository, in the order of their paths; nothing that was built.
std::vector<Source> read_tree(const std::filesystem::path& root);

/// One file as it is read by people: a source with its comments, a page of prose, a CMakeLists.txt.
struct Text {
  std::string path;  ///< from the root of the repository: "docs/spec/zones.md"
  std::vector<std::string> lines;
};

Text read_text(std::string path, const std::string& text);

/// The same sources, every .md and every CMakeLists.txt, in the order of their paths.
std::vector<Text> read_texts(const std::filesystem::path& root);

}  // namespace nlc::architecture
