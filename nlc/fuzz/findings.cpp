#include "nlc/fuzz/findings.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <string_view>
#include <unistd.h>
#include <utility>

#include "nlc/console/console.h"

namespace nlc::workbench {
namespace {

constexpr const char* list_of_days = "found.txt";
constexpr const char* of_scenarios = ".yaml";

/// "{at: 1m13s, kill: controller, replica: a}" is "{at: #, kill: controller, replica: a}".
std::string without_numbers(std::string_view text) {
  constexpr std::string_view between_words = " \n{}[],'";
  std::string rest;
  while (!text.empty()) {
    const std::string_view word =
        text.substr(0, std::min(text.find_first_of(between_words), text.size()));
    const bool number = word.find_first_of("0123456789") != word.npos;
    rest += number ? "#" : word;
    text.remove_prefix(word.size());
    if (text.empty()) break;
    rest += text.front();
    text.remove_prefix(1);
  }
  return rest;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

}  // namespace

Findings::Findings(std::filesystem::path folder)
    : folder_(std::move(folder)), made_(std::filesystem::create_directories(folder_, error_)) {
  if (!error_ && ::access(folder_.c_str(), W_OK | X_OK) != 0) {
    error_ = {errno, std::generic_category()};
  }
  std::ifstream list(folder_ / list_of_days);
  for (std::string line; std::getline(list, line);) noted_.insert(line);
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator(folder_, none)) {
    if (entry.path().extension() != of_scenarios) continue;
    files_.emplace(without_numbers(content_of(entry.path())), entry.path().string());
  }
}

Findings::~Findings() {
  std::error_code something_was_found;
  if (made_) std::filesystem::remove(folder_, something_was_found);
}

void Findings::note(const std::string& line) {
  if (!noted_.insert(line).second) return;
  (void)append_file((folder_ / list_of_days).string(), line + "\n");
}

std::filesystem::path Findings::unused(const std::string& name) const {
  std::filesystem::path file = folder_ / (name + of_scenarios);
  for (int number = 2; std::filesystem::exists(file); ++number) {
    file = folder_ / (name + "-" + std::to_string(number) + of_scenarios);
  }
  return file;
}

Findings::File Findings::keep(const std::string& name, const std::string& text) {
  const std::string says = without_numbers(text);
  if (const auto same = files_.find(says); same != files_.end()) {
    return {.path = same->second, .is_new = false};
  }
  const std::string path = unused(name).string();
  if (!write_file(path, text)) return {};
  files_.emplace(says, path);
  return {.path = path};
}

}  // namespace nlc::workbench
