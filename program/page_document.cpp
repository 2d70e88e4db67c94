#include "program/page_document.h"

#include <array>
#include <cassert>

#include "program/page_files.h"

namespace nlc::program {
namespace {

/// What includes another stands behind it.
constexpr std::array modules{"/state.js", "/player.js", "/strip.js",
                             "/grid.js",  "/why.js",    "/page.js"};

std::string_view text_of(std::string_view path) {
  const PageFile* const file = page_file(path);
  assert(file != nullptr);
  return file->text;
}

/// A browser imports nothing from a file beside one that was opened from a disk, so all modules
/// become one: without the words that join them.
std::string joined_modules() {
  std::string joined;
  for (const std::string_view path : modules) {
    std::string_view rest = text_of(path);
    while (!rest.empty()) {
      std::string_view line = rest.substr(0, rest.find('\n'));
      rest.remove_prefix(std::min(line.size() + 1, rest.size()));
      constexpr std::string_view exported = "export ";
      if (line.starts_with("import ")) continue;
      if (line.starts_with(exported)) line.remove_prefix(exported.size());
      joined.append(line).append("\n");
    }
  }
  return joined;
}

/// Within a script `</script>` would end it.
std::string without_tags(std::string_view json) {
  std::string text;
  for (const char letter : json) letter == '<' ? text.append("\\u003c") : text.append(1, letter);
  return text;
}

void replace(std::string& text, std::string_view old, const std::string& by) {
  const std::size_t at = text.find(old);
  assert(at != text.npos);
  text.replace(at, old.size(), by);
}

}  // namespace

std::string page_document(std::string_view run) {
  std::string page(text_of("/"));
  replace(page, R"(<link rel="icon" href="/icon.svg">)",
          R"(<meta http-equiv="Content-Security-Policy" content="default-src 'none'; )"
          R"(script-src 'unsafe-inline'; style-src 'unsafe-inline'">)");
  replace(page, R"(<link rel="stylesheet" href="/page.css">)",
          "<style>\n" + std::string(text_of("/page.css")) + "</style>");
  replace(page, R"(<script type="module" src="/page.js"></script>)",
          "<script type=\"application/json\" id=\"run\">" + without_tags(run) +
              "</script>\n<script type=\"module\">\n" + joined_modules() + "</script>");
  return page;
}

}  // namespace nlc::program
