#include "nlc/fuzz/planted.h"

#include <algorithm>

#include "nlc/console/console.h"
#include "nlc/fuzz/days.h"
#include "runtime/planted.h"

namespace nlc::workbench {
namespace {

constexpr std::string_view all_of_them = "all";

/// As a row of Markdown: what it is, days, rule, lines.
std::string row(const Mistake& mistake, const std::string& days, const std::string& rule,
                const std::string& lines) {
  return "| `" + std::string(mistake.name) + "` | " + std::string(mistake.what) + " | " + days +
         " | " + rule + " | " + lines + " |";
}

bool find(const Mistake& mistake, const FuzzFlags& flags) {
  plant(mistake.name);
  Days days(flags, Days::Until::FirstFound);
  days.play();
  if (days.found().empty()) {
    say(row(mistake, "not in " + std::to_string(days.done()), "", ""));
    return false;
  }
  const auto& [rule, seeds] = *days.found().begin();
  const std::uint64_t seed = *std::ranges::min_element(seeds);
  const Kept kept = keep(seed, flags.out, std::string(mistake.name));
  say(row(mistake, std::to_string(days.done()), rule, std::to_string(kept.lines)));
  return true;
}

}  // namespace

std::string no_such_mistake(const std::string& name) {
  if (mistakes().empty()) {
    return "--planted " + name +
           ": this program has no mistakes to plant; make fuzz-planted "
           "builds one that has";
  }
  if (name == all_of_them || std::ranges::count(mistakes(), name, &Mistake::name) > 0) return {};
  std::string names;
  for (const Mistake& mistake : mistakes()) names += ", " + std::string(mistake.name);
  return "--planted " + name + ": there is no such mistake; there are all" + names;
}

int find_planted(const FuzzFlags& flags) {
  say("| mistake | what goes wrong | days | rule | lines left |");
  say("| --- | --- | ---: | --- | ---: |");
  std::size_t missed = 0;
  for (const Mistake& mistake : mistakes()) {
    const bool wanted = flags.planted == all_of_them || flags.planted == mistake.name;
    if (wanted && !find(mistake, flags)) ++missed;
  }
  plant({});
  if (missed > 0) complain(std::to_string(missed) + " were not found");
  return missed > 0 ? 1 : 0;
}

}  // namespace nlc::workbench
