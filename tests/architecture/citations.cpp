#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "rules.h"

namespace nlc::architecture {
namespace {

constexpr std::string_view folder = "spec/";
constexpr std::string_view paragraph_sign = "\xc2\xa7";

struct Citation {
  std::string page;                    ///< "spec/zones.md"
  std::optional<std::string> heading;  ///< nothing: the whole page
};

/// The headings of each page, by the page as it is cited.
using Pages = std::map<std::string, std::set<std::string>, std::less<>>;

/// The text of a "## Heading"; nothing for any other line.
std::optional<std::string> heading_of(const std::string& line) {
  const std::size_t words = line.find_first_not_of('#');
  if (words == 0 || words == std::string::npos || line[words] != ' ') return std::nullopt;
  return line.substr(words + 1);
}

Pages pages_of(const Texts& texts) {
  constexpr std::string_view above = "docs/";
  Pages pages;
  for (const Text& text : texts) {
    if (!text.path.starts_with("docs/spec/")) continue;
    std::set<std::string>& headings = pages[text.path.substr(above.size())];
    for (const std::string& line : text.lines) {
      if (const auto heading = heading_of(line)) headings.insert(*heading);
    }
  }
  return pages;
}

/// A line without what only marks it as a comment.
std::string words_of(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(" /*<");
  return begin == std::string::npos ? std::string() : line.substr(begin);
}

/// What `text`, which begins with "spec/", cites; nothing when no page's name follows.
std::optional<Citation> citation_at(std::string_view text) {
  constexpr std::string_view extension = ".md";
  const std::size_t name_end = text.find(extension, folder.size());
  const std::size_t stranger =
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789-.", folder.size());
  if (name_end == std::string_view::npos || stranger < name_end) return std::nullopt;
  const std::size_t page_end = name_end + extension.size();
  Citation citation{.page = std::string(text.substr(0, page_end)), .heading = {}};
  text.remove_prefix(page_end);
  if (!text.starts_with(" \"")) return citation;
  text.remove_prefix(2);
  citation.heading = std::string(text.substr(0, text.find('"')));
  return citation;
}

/// What is wrong with a citation; empty when it is alive.
std::string fault_of(const Citation& citation, const Pages& pages) {
  const auto page = pages.find(citation.page);
  if (page == pages.end()) return "cites " + citation.page + "; there is no such page in docs";
  if (!citation.heading || page->second.contains(*citation.heading)) return {};
  return "cites " + citation.page + " \"" + *citation.heading + "\"; the page has no such heading";
}

/// The faults of one line, whose last citation may go on in the line below.
std::vector<std::string> faults_of(const std::string& line, const std::string& below,
                                   const Pages& pages) {
  std::vector<std::string> faults;
  if (line.find(paragraph_sign) != std::string::npos) {
    faults.emplace_back("cites by number; pages of docs/spec are cited by heading");
  }
  const std::string own = words_of(line);
  const std::string both = own + " " + words_of(below);
  for (std::size_t at = own.find(folder); at != std::string::npos; at = own.find(folder, at + 1)) {
    const auto citation = citation_at(std::string_view(both).substr(at));
    if (!citation) continue;
    const std::string fault = fault_of(*citation, pages);
    if (!fault.empty()) faults.push_back(fault);
  }
  return faults;
}

}  // namespace

Violations dead_citations(const Texts& texts) {
  Violations violations;
  const Pages pages = pages_of(texts);
  for (const Text& text : texts) {
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
      const std::string below = i + 1 < text.lines.size() ? text.lines[i + 1] : std::string();
      for (const std::string& fault : faults_of(text.lines[i], below, pages)) {
        violations.push_back(text.path + ":" + std::to_string(i + 1) + ": " + fault);
      }
    }
  }
  return violations;
}

}  // namespace nlc::architecture
