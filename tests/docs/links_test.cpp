#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <iterator>
#include <regex>
#include <set>
#include <string>
#include <vector>

/// Whoever follows a link of a page comes to what it names, and comes to every page from the index.
namespace nlc::docs {
namespace {

namespace fs = std::filesystem;
using ::testing::IsEmpty;

const fs::path repository = NLC_SOURCE_DIR;

/// Its lines, without blocks of commands and code.
std::vector<std::string> prose_of(const fs::path& page) {
  std::ifstream file(page);
  std::vector<std::string> lines;
  bool in_block = false;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```")) in_block = !in_block;
    if (!in_block) lines.push_back(line);
  }
  return lines;
}

/// Those that stay in this repository: "file#heading", as it is written.
std::set<std::string> links_of(const fs::path& page) {
  static const std::regex link("\\]\\(([^)\\s]+)\\)");
  std::set<std::string> links;
  for (const std::string& line : prose_of(page)) {
    for (std::sregex_iterator at(line.begin(), line.end(), link), end; at != end; ++at) {
      const std::string target = (*at)[1];
      if (!target.starts_with("https://") && !target.starts_with("http://")) links.insert(target);
    }
  }
  return links;
}

/// As forges name headings: small letters, blanks as dashes, nothing else but letters and digits.
std::string anchor_of(const std::string& heading) {
  std::string anchor;
  for (const char letter : heading.substr(heading.find_first_not_of("# "))) {
    const auto byte = static_cast<unsigned char>(letter);
    if (letter == ' ') anchor += '-';
    if (std::isalnum(byte) != 0 || letter == '-' || letter == '_') {
      anchor += static_cast<char>(std::tolower(byte));
    }
  }
  return anchor;
}

bool has_heading(const fs::path& page, const std::string& anchor) {
  for (const std::string& line : prose_of(page)) {
    if (line.starts_with('#') && anchor_of(line) == anchor) return true;
  }
  return false;
}

fs::path target_of(const fs::path& page, const std::string& link) {
  const std::string file = link.substr(0, link.find('#'));
  return file.empty() ? page : fs::weakly_canonical(page.parent_path() / file);
}

std::vector<fs::path> pages_below(const fs::path& folder) {
  std::vector<fs::path> pages;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    if (entry.path().extension() == ".md") pages.push_back(fs::canonical(entry.path()));
  }
  return pages;
}

/// Pages for users and those who change it: beside the README, and of docs/.
std::vector<fs::path> all_pages() {
  std::vector<fs::path> pages = pages_below(repository / "docs");
  for (const auto& entry : fs::directory_iterator(repository)) {
    if (entry.path().extension() == ".md") pages.push_back(fs::canonical(entry.path()));
  }
  return pages;
}

TEST(Links, LeadToFilesAndHeadingsThatAreThere) {
  std::vector<std::string> broken;
  for (const fs::path& page : all_pages()) {
    for (const std::string& link : links_of(page)) {
      const fs::path target = target_of(page, link);
      const std::size_t mark = link.find('#');
      const bool is_there =
          fs::exists(target) && (mark == link.npos || has_heading(target, link.substr(mark + 1)));
      if (!is_there) broken.push_back(fs::relative(page, repository).string() + ": " + link);
    }
  }
  EXPECT_THAT(broken, IsEmpty());
}

TEST(Links, LeadFromTheIndexToEveryPage) {
  std::set<fs::path> met;
  std::vector<fs::path> next{fs::canonical(repository / "docs/README.md")};
  while (!next.empty()) {
    const fs::path page = next.back();
    next.pop_back();
    if (!met.insert(page).second) continue;
    for (const std::string& link : links_of(page)) {
      const fs::path target = target_of(page, link);
      if (target.extension() == ".md" && fs::exists(target)) next.push_back(target);
      // Of a folder a forge shows what is in it.
      if (fs::is_directory(target))
        std::ranges::move(pages_below(target), std::back_inserter(next));
    }
  }
  std::vector<std::string> unreached;
  for (const fs::path& page : all_pages()) {
    if (!met.contains(page)) unreached.push_back(fs::relative(page, repository).string());
  }
  EXPECT_THAT(unreached, IsEmpty());
}

}  // namespace
}  // namespace nlc::docs
