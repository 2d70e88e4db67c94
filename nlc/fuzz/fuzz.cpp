#include "nlc/fuzz/fuzz.h"

#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <string_view>
#include <system_error>

#include "nlc/console/console.h"
#include "nlc/fuzz/days.h"
#include "nlc/fuzz/findings.h"
#include "nlc/fuzz/interrupts.h"
#include "nlc/fuzz/mark_counts.h"
#include "nlc/fuzz/planted.h"
#include "runtime/planted.h"
#include "runtime/utf8.h"
#include "sim/fuzz/day_name.h"
#include "sim/fuzz/drawn_day.h"
#include "sim/fuzz/play.h"

namespace nlc::workbench {
namespace {

/// Of what breaks one rule so many are told at once, and so many cut down: a mistake shows in
/// hundreds of days. All of them stand in found.txt.
constexpr std::size_t told_per_rule = 5;
constexpr std::size_t cut_per_rule = 10;
/// Among so many days one has been everywhere.
constexpr std::uint64_t days_that_reach_all = 100'000;

std::string hash_text(std::uint64_t hash) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

/// By the rule that they broke, the lowest number first, whichever process was faster.
std::map<std::string, std::set<std::uint64_t>> by_rule(const std::vector<Found>& found) {
  std::map<std::string, std::set<std::uint64_t>> seeds;
  for (const Found& day : found) seeds[day.rule].insert(day.seed);
  return seeds;
}

std::string how_it_was_kept(const Kept& kept) {
  if (kept.file.path.empty()) return {};
  const std::string played = ": nlc scenario " + kept.file.path;
  if (!kept.file.is_new) return "; nothing new" + played;
  if (kept.rule.empty()) return "; not reproduced, kept whole" + played;
  return "; cut down" + played + " (" + std::to_string(kept.lines) + " lines)";
}

/// False when it was interrupted.
bool cut_some_down(const std::set<std::uint64_t>& seeds, Findings& findings,
                   const Interrupts& interrupts) {
  std::size_t cut = 0;
  for (const std::uint64_t seed : seeds) {
    if (interrupts.heard()) return false;
    if (cut++ == cut_per_rule) break;
    const Kept kept = cut_down(seed, "", findings, interrupts);
    const std::string told = "nlc fuzz --seed " + sim::fuzz::day_name(seed) + how_it_was_kept(kept);
    say(told);
    findings.note(told);
  }
  return true;
}

/// Tells of those that were never reached; how many there are.
std::size_t tell_marks(const Days& days) {
  say_text(mark_counts(sim::fuzz::marks(), days.marks()));
  for (std::size_t i = 0; i < days.marks().size(); ++i) {
    if (days.marks()[i] == 0) say("never reached: " + sim::fuzz::marks()[i]);
  }
  return days.marks().size() - days.marks_reached();
}

int play_all(const FuzzFlags& flags, Findings& findings) {
  Interrupts interrupts;
  std::map<std::string, std::size_t> told;
  const auto tell = [&](const Found& found) {
    const std::string line =
        one_line(sim::fuzz::day_name(found.seed) + "  " + found.rule + ": " + found.what);
    findings.note(line);
    if (++told[found.rule] <= told_per_rule) say("seed " + line);
  };
  Days days({.flags = flags, .interrupts = interrupts, .on_found = tell}, Days::Until::AllPlayed);
  days.play();
  const std::string state = days.state();
  interrupts.forget();  // the next one ends the cutting
  const auto found = by_rule(days.found());
  bool all_cut = true;
  for (const auto& [rule, seeds] : found) {
    all_cut = all_cut && cut_some_down(seeds, findings, interrupts);
  }
  const std::size_t never = tell_marks(days);
  for (const auto& [rule, seeds] : found) {
    say(rule + ": " + std::to_string(seeds.size()) + " days, all of them in " + flags.out +
        "/found.txt");
  }
  if (!all_cut) say("interrupted: not all of them are cut down");
  say(state);
  const bool should_have = days.done() >= days_that_reach_all && never > 0;
  return !found.empty() || should_have ? exit_failed : 0;
}

int replay(std::uint64_t seed) {
  const sim::fuzz::Day day = sim::fuzz::day_of(seed);
  say(sim::fuzz::scenario_text(day));
  const sim::fuzz::DayResult result =
      sim::fuzz::play(day, [](std::string_view line) { say(line); });
  if (!result.good()) say(result.rule + ": " + result.what);
  say("hash " + hash_text(result.hash));
  return result.good() ? 0 : exit_failed;
}

}  // namespace

int run_fuzz(const FuzzFlags& flags) {
  if (flags.seeds == 0) {
    complain("--seeds 0: at least one is needed");
    return exit_usage;
  }
  if (!is_well(not_plantable(flags))) return exit_usage;
  if (flags.seed) {
    plant(flags.planted);
    return replay(*flags.seed);
  }
  Findings findings(flags.out);
  if (const std::error_code& error = findings.error()) {
    complain("--out " + flags.out + ": a folder is needed to write into: " + error.message());
    return exit_usage;
  }
  return flags.planted.empty() ? play_all(flags, findings) : find_planted(flags, findings);
}

}  // namespace nlc::workbench
