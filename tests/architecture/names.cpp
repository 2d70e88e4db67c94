#include <algorithm>
#include <functional>
#include <regex>
#include <set>
#include <string_view>

#include "rules.h"

namespace nlc::architecture {
namespace {

using Names = std::set<std::string, std::less<>>;

/// A part of a `qualified::name` in a page.
struct Mention {
  std::string place;  ///< "docs/flags.md:7: "
  std::string name;   ///< all of it
  std::string part;
};

bool is_page(const Text& text) {
  return text.path.starts_with("docs/") && text.path.ends_with(".md");
}

/// What stands in backticks in one line.
std::vector<std::string> quoted_code(const std::string& line) {
  std::vector<std::string> spans;
  for (std::size_t begin = line.find('`'); begin != std::string::npos;) {
    const std::size_t end = line.find('`', begin + 1);
    if (end == std::string::npos) break;
    spans.push_back(line.substr(begin + 1, end - begin - 1));
    begin = line.find('`', end + 1);
  }
  return spans;
}

/// Every match of `pattern` in `text`, in its order.
std::vector<std::string> matches(const std::string& text, const std::regex& pattern) {
  std::vector<std::string> found;
  for (std::sregex_iterator at(text.begin(), text.end(), pattern), end; at != end; ++at)
    found.push_back(at->str());
  return found;
}

std::vector<Mention> mentions_in(const Texts& texts) {
  static const std::regex qualified(R"([A-Za-z_]\w*(::[A-Za-z_]\w*)+)");
  static const std::regex word(R"(\w+)");
  std::vector<Mention> mentions;
  for (const Text& text : texts) {
    if (!is_page(text)) continue;
    for (std::size_t i = 0; i < text.lines.size(); ++i) {
      const std::string place = text.path + ":" + std::to_string(i + 1) + ": ";
      for (const std::string& span : quoted_code(text.lines[i])) {
        for (const std::string& name : matches(span, qualified)) {
          for (const std::string& part : matches(name, word))
            mentions.push_back({place, name, part});
        }
      }
    }
  }
  return mentions;
}

/// Takes the words of a line out of `names`.
void cross_out(Names& names, std::string_view line) {
  constexpr std::string_view letters =
      "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_";
  for (std::size_t begin = line.find_first_of(letters); begin != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_not_of(letters, begin), line.size());
    if (const auto known = names.find(line.substr(begin, end - begin)); known != names.end())
      names.erase(known);
    begin = line.find_first_of(letters, end);
  }
}

}  // namespace

Violations unknown_names(const Texts& texts, const Sources& sources) {
  const std::vector<Mention> mentions = mentions_in(texts);
  Names unknown;
  for (const Mention& mention : mentions) unknown.insert(mention.part);
  for (const Source& source : sources) {
    for (const std::string& line : source.lines) cross_out(unknown, line);
  }
  for (const Text& text : texts) {  // libraries have names of this form too
    if (!text.path.ends_with("CMakeLists.txt")) continue;
    for (const std::string& line : text.lines) cross_out(unknown, line);
  }
  Violations violations;
  for (const Mention& mention : mentions) {
    if (!unknown.contains(mention.part)) continue;
    violations.push_back(mention.place + "names " + mention.name + "; no code knows " +
                         mention.part);
  }
  return violations;
}

}  // namespace nlc::architecture
