#include "rules.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <set>
#include <string_view>

#include "arrows.h"

namespace nlc::architecture {
namespace {

std::string folder_of_include(const Include& include) {
  return include.name.substr(0, include.name.find('/'));
}

std::string room_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

bool may_enter_room(const Source& source, const Include& include) {
  const std::string room = room_of(source.path);
  const std::string target = room_of(include.name);
  const auto known = arrows_of_rooms().find(room);
  return room == target || known == arrows_of_rooms().end() || known->second.contains(target);
}

/// Mains of many files; none of the libraries looks into them.
bool is_part_of_main(const std::string& path) {
  return path.starts_with("election/asio/") || path.starts_with("nlc/");
}

bool may_include(const Source& source, const Include& include) {
  const std::string folder = source.folder();
  const std::string target = folder_of_include(include);
  // Nobody but the program puts a controller together.
  if (include.name == "controller/loop/loop.h")
    return folder == "controller" || folder == "program";
  if (folder == "tests" || folder == "bench") return true;
  if (is_part_of_main(include.name) && !is_main(source)) return false;
  if (target == folder) return may_enter_room(source, include);
  const auto apart = rooms_apart().find(room_of(source.path));
  if (apart != rooms_apart().end() && !apart->second.contains(target)) return false;
  if (arrows().at(folder).contains(target)) return true;
  return is_main(source) && arrows_of_mains().at(folder).contains(target);
}

bool is_ours(const Include& include) {
  return include.quoted && include.name.find('/') != std::string::npos;
}

std::string at(const Source& source, int line) {
  return source.path + ":" + std::to_string(line) + ": ";
}

bool starts_with_any(const std::string& text, const std::vector<std::string_view>& beginnings) {
  return std::ranges::any_of(
      beginnings, [&](std::string_view beginning) { return text.starts_with(beginning); });
}

struct Effect {
  std::string_view word;
  std::string_view what;
};

constexpr std::array effects{Effect{"sleep_for", "sleeps"},
                             Effect{"sleep_until", "sleeps"},
                             Effect{"usleep", "sleeps"},
                             Effect{"nanosleep", "sleeps"},
                             Effect{"steady_clock", "reads the machine's clock"},
                             Effect{"system_clock", "reads the machine's clock"},
                             Effect{"high_resolution_clock", "reads the machine's clock"},
                             Effect{"clock_gettime", "reads the machine's clock"},
                             Effect{"gettimeofday", "reads the machine's clock"},
                             Effect{"std::random_device", "is random without our seed"},
                             Effect{"std::mt19937", "is random without our seed"},
                             Effect{"std::mt19937_64", "is random without our seed"},
                             Effect{"std::default_random_engine", "is random without our seed"},
                             Effect{"std::rand", "is random without our seed"},
                             Effect{"std::thread", "runs threads"},
                             Effect{"std::jthread", "runs threads"},
                             Effect{"std::this_thread", "runs threads"},
                             Effect{"std::async", "runs threads"},
                             Effect{"std::mutex", "locks"},
                             Effect{"std::shared_mutex", "locks"},
                             Effect{"std::recursive_mutex", "locks"},
                             Effect{"std::condition_variable", "locks"},
                             Effect{"std::lock_guard", "locks"},
                             Effect{"std::scoped_lock", "locks"},
                             Effect{"std::unique_lock", "locks"}};

bool is_part_of_word(char character) {
  return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

/// Whether `word` stands in the line as a word of its own.
bool has_word(const std::string& line, std::string_view word) {
  for (std::size_t at = line.find(word); at != std::string::npos; at = line.find(word, at + 1)) {
    const std::size_t end = at + word.size();
    const bool begins = at == 0 || !is_part_of_word(line[at - 1]);
    const bool ends = end == line.size() || !is_part_of_word(line[end]);
    if (begins && ends) return true;
  }
  return false;
}

/// Where effects belong: at the edge, and in what other threads may look at. Among the tests: those
/// that prove the edge itself.
bool may_have_effects(const Source& source) {
  return is_main(source) || source.path == "runtime/published.h" ||
         starts_with_any(source.path, {"net/", "bench/", "tests/net/", "tests/real/"});
}

/// One test holds a promise about threads by running one.
bool may_run_threads(const Source& source) {
  return source.path == "tests/metrics/exposition_test.cpp";
}

bool is_heavy(const Include& include) {
  return starts_with_any(include.name, {"boost/", "cpprest/", "CLI/", "spdlog/"});
}

bool may_include_heavy(const Source& source) {
  const bool reads_flags = source.path.ends_with("/flags.cpp");
  return reads_flags || is_main(source) ||
         starts_with_any(source.path,
                         {"net/", "bench/", "tests/net/", "tests/bytes/http_request.cpp"});
}

using Index = std::map<std::string, const Source*>;

Index index_of(const Sources& sources) {
  Index index;
  for (const Source& source : sources) index.emplace(source.path, &source);
  return index;
}

/// The file that a quoted include means: from the root, else beside the one that includes it.
const Source* target_of(const Index& index, const Source& from, const Include& include) {
  if (!include.quoted) return nullptr;
  const auto rooted = index.find(include.name);
  if (rooted != index.end()) return rooted->second;
  const std::string beside = from.path.substr(0, from.path.rfind('/') + 1) + include.name;
  const auto found = index.find(beside);
  return found == index.end() ? nullptr : found->second;
}

/// "api/decode" of "api/decode.h" and "api/decode.cpp".
std::string unit_of(const std::string& path) { return path.substr(0, path.rfind('.')); }

/// The units that each unit includes; itself is none of them.
using Units = std::map<std::string, std::set<std::string>>;

Units units_of(const Sources& sources) {
  Units units;
  const Index index = index_of(sources);
  for (const Source& source : sources) {
    std::set<std::string>& needs = units[unit_of(source.path)];
    for (const Include& include : source.includes) {
      const Source* target = target_of(index, source, include);
      if (target != nullptr) needs.insert(unit_of(target->path));
    }
    needs.erase(unit_of(source.path));
  }
  return units;
}

/// A walk through units, from each to what it needs, each of them once.
struct CycleSearch {
  const Units& units;
  std::vector<std::string> way = {};  ///< from where the walk began to where it stands
  std::set<std::string> walked = {};
  Violations found = {};

  void visit(const std::string& unit) {
    const auto again = std::ranges::find(way, unit);
    if (again != way.end()) return note(again);
    if (!walked.insert(unit).second) return;
    way.push_back(unit);
    for (const std::string& need : units.at(unit)) visit(need);
    way.pop_back();
  }

  void note(std::vector<std::string>::const_iterator first) {
    std::string circle;
    for (auto unit = first; unit != way.cend(); ++unit) circle += *unit + " -> ";
    found.push_back(circle + *first + "; no units need each other in a circle");
  }
};

/// The first heavy header that `source` includes or reaches, with the way to it; empty when none.
std::string way_to_heavy(const Index& index, const Source& source, std::set<std::string>& seen) {
  for (const Include& include : source.includes) {
    if (is_heavy(include)) return "<" + include.name + ">";
    const Source* target = target_of(index, source, include);
    if (target == nullptr || !seen.insert(target->path).second) continue;
    const std::string way = way_to_heavy(index, *target, seen);
    if (!way.empty()) return include.name + " -> " + way;
  }
  return {};
}

}  // namespace

bool is_main(const Source& source) {
  return source.path == "program/main.cpp" || source.path == "election/sidecar/main.cpp" ||
         is_part_of_main(source.path);
}

Violations broken_arrows(const Sources& sources) {
  Violations violations;
  for (const Source& source : sources) {
    for (const Include& include : source.includes) {
      if (!is_ours(include) || may_include(source, include)) continue;
      const bool inside = folder_of_include(include) == source.folder();
      const std::string known = inside ? room_of(include.name) : folder_of_include(include);
      violations.push_back(at(source, include.line) + "includes \"" + include.name + "\"; " +
                           (inside ? room_of(source.path) : source.folder()) + " may not know " +
                           known + (is_part_of_main(include.name) ? "'s main" : "") +
                           (is_main(source) ? "" : " (mains may know more)"));
    }
  }
  return violations;
}

Violations misplaced_effects(const Sources& sources) {
  Violations violations;
  for (const Source& source : sources) {
    if (may_have_effects(source)) continue;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
      for (const Effect& effect : effects) {
        if (!has_word(source.lines[i], effect.word)) continue;
        if (effect.what == "runs threads" && may_run_threads(source)) continue;
        violations.push_back(at(source, static_cast<int>(i) + 1) + std::string(effect.word) + " " +
                             std::string(effect.what) + "; only net, bench and mains do");
      }
    }
  }
  return violations;
}

Violations misplaced_heavy_headers(const Sources& sources) {
  Violations violations;
  const Index index = index_of(sources);
  for (const Source& source : sources) {
    if (may_include_heavy(source)) continue;
    for (const Include& include : source.includes) {
      std::set<std::string> seen{source.path};
      const Source* target = target_of(index, source, include);
      std::string way = is_heavy(include) ? "<" + include.name + ">" : "";
      if (target != nullptr) way = way_to_heavy(index, *target, seen);
      if (way.empty()) continue;
      violations.push_back(at(source, include.line) + "includes " + include.name + " (" + way +
                           "); heavy headers stay inside net and mains");
    }
  }
  return violations;
}

Violations misplaced_simdjson(const Sources& sources) {
  Violations violations;
  for (const Source& source : sources) {
    for (const Include& include : source.includes) {
      if (include.name != "simdjson.h" || source.path == "api/simdjson.h") continue;
      violations.push_back(at(source, include.line) + "includes <simdjson.h>; api/simdjson.h does");
    }
  }
  return violations;
}

Violations unguarded_headers(const Sources& sources) {
  Violations violations;
  for (const Source& source : sources) {
    if (!source.is_header()) continue;
    const auto first = std::ranges::find_if(source.lines, [](const std::string& line) {
      return line.find_first_not_of(' ') != std::string::npos;
    });
    if (first != source.lines.end() && first->starts_with("#pragma once")) continue;
    violations.push_back(at(source, 1) + "no #pragma once before its first line of code");
  }
  return violations;
}

Violations unit_cycles(const Sources& sources) {
  const Units units = units_of(sources);
  CycleSearch search{.units = units};
  for (const auto& [unit, needs] : units) search.visit(unit);
  return search.found;
}

Violations unknown_includes(const Sources& sources) {
  Violations violations;
  const Index index = index_of(sources);
  for (const Source& source : sources) {
    for (const Include& include : source.includes) {
      const bool rooted = index.contains(include.name) && is_ours(include);
      const bool beside =
          source.folder() == "tests" && target_of(index, source, include) != nullptr;
      if (!include.quoted || rooted || beside) continue;
      violations.push_back(at(source, include.line) + "includes \"" + include.name +
                           "\"; quoted is what is ours, by its path from the root");
    }
  }
  return violations;
}

}  // namespace nlc::architecture
