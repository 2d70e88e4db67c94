#include "nlc/fuzz/planted.h"

#include <algorithm>

#include "nlc/console/console.h"
#include "nlc/fuzz/days.h"
#include "nlc/fuzz/interrupts.h"
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

bool find(const Mistake& mistake, const FuzzFlags& flags, Findings& findings,
          const Interrupts& interrupts) {
  plant(mistake.name);
  Days days({.flags = flags, .interrupts = interrupts}, Days::Until::FirstFound);
  days.play();
  if (days.found().empty()) {
    if (!interrupts.heard()) say(row(mistake, "not in " + std::to_string(days.done()), "", ""));
    return false;
  }
  const Found& first = *std::ranges::min_element(days.found(), {}, &Found::seed);
  const Kept kept = cut_down(first.seed, std::string(mistake.name), findings, interrupts);
  say(row(mistake, std::to_string(days.done()), first.rule,
          kept.rule.empty() ? "not reproduced" : std::to_string(kept.lines)));
  return true;
}

}  // namespace

std::string not_plantable(const FuzzFlags& flags) {
  const std::string& name = flags.planted;
  if (name.empty()) return {};
  if (mistakes().empty()) {
    return "--planted " + name +
           ": this program has no mistakes to plant; make fuzz-planted builds one that has";
  }
  if (name == all_of_them) {
    return flags.seed ? "--planted all: one day is played with one mistake; name it" : "";
  }
  if (std::ranges::count(mistakes(), name, &Mistake::name) > 0) return {};
  std::string names;
  for (const Mistake& mistake : mistakes()) names += ", " + std::string(mistake.name);
  return "--planted " + name + ": there is no such mistake; there are all" + names;
}

int find_planted(const FuzzFlags& flags, Findings& findings) {
  say("| mistake | what goes wrong | days | rule | lines left |");
  say("| --- | --- | ---: | --- | ---: |");
  const Interrupts interrupts;
  std::size_t missed = 0;
  std::size_t left = 0;  // nobody knows of these
  for (const Mistake& mistake : mistakes()) {
    if (flags.planted != all_of_them && flags.planted != mistake.name) continue;
    if (!interrupts.heard() && find(mistake, flags, findings, interrupts)) continue;
    ++(interrupts.heard() ? left : missed);
  }
  plant({});
  if (missed > 0) complain(std::to_string(missed) + " were not found");
  if (left > 0)
    complain("interrupted: " + std::to_string(left) + " were not looked for to the end");
  return missed + left > 0 ? exit_failed : 0;
}

}  // namespace nlc::workbench
