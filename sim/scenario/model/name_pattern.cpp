#include "sim/scenario/model/name_pattern.h"

#include <algorithm>

namespace nlc::sim::scenario {

bool is_any(std::string_view wanted) { return wanted.empty() || wanted == "*"; }

bool is_wanted(const std::vector<std::string>& wanted, std::string_view name) {
  return wanted.empty() || std::ranges::any_of(wanted, [name](const std::string& each) {
           return each == name || each == "*";
         });
}

bool is_pattern(std::string_view name) { return name.find('*') != name.npos; }

/// Goes back to the last star alone, so the time is bounded whatever the pattern.
bool matches_pattern(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t in_name = 0;
  std::size_t star = pattern.npos;
  std::size_t retry = 0;
  while (in_name < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      star = at++;
      retry = in_name;
    } else if (at < pattern.size() && pattern[at] == name[in_name]) {
      ++at;
      ++in_name;
    } else if (star != pattern.npos) {
      at = star + 1;
      in_name = ++retry;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', at) == pattern.npos;
}

}  // namespace nlc::sim::scenario
