#include "nlc/fuzz/fuzz.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "nlc/console/console.h"
#include "nlc/fuzz/days.h"
#include "nlc/fuzz/planted.h"
#include "runtime/planted.h"
#include "sim/fuzz/drawn_day.h"
#include "sim/fuzz/play.h"

namespace nlc::workbench {
namespace {

/// Of what breaks one rule so many are cut down.
constexpr std::size_t shrunk_per_rule = 2;
/// Among so many days one has been everywhere.
constexpr std::uint64_t days_that_reach_all = 100'000;

std::string hash_text(std::uint64_t hash) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

void keep_some(Days::Seeds seeds, const std::string& out) {
  std::ranges::sort(seeds);
  if (seeds.size() > shrunk_per_rule) seeds.resize(shrunk_per_rule);
  for (const std::uint64_t seed : seeds) {
    const std::string number = std::to_string(seed);
    const Kept kept = keep(seed, out, number);
    const std::string cut_down =
        "; cut down: nlc scenario " + kept.file + " (" + std::to_string(kept.lines) + " lines)";
    say("nlc fuzz --seed " + number + (kept.file.empty() ? "" : cut_down));
  }
}

/// How many were never reached.
std::size_t tell_marks(const std::vector<std::uint64_t>& reached) {
  std::size_t never = 0;
  std::size_t rarest = 0;
  for (std::size_t i = 0; i < reached.size(); ++i) {
    if (reached[i] < reached[rarest]) rarest = i;
    if (reached[i] != 0) continue;
    ++never;
    say("never reached: " + sim::fuzz::marks()[i]);
  }
  say(std::to_string(reached.size() - never) + " of " + std::to_string(reached.size()) +
      " marks reached, the rarest on " + std::to_string(reached[rarest]) +
      " days: " + sim::fuzz::marks()[rarest]);
  return never;
}

int play_all(const FuzzFlags& flags) {
  Days days(flags, Days::Until::AllPlayed);
  days.play();
  for (const auto& [rule, seeds] : days.found()) keep_some(seeds, flags.out);
  const std::size_t never = tell_marks(days.marks());
  std::size_t failures = 0;
  for (const auto& [rule, seeds] : days.found()) {
    failures += seeds.size();
    say(rule + ": " + std::to_string(seeds.size()) + " days");
  }
  say(days.state() + ", " + std::to_string(failures) + " failures");
  const bool should_have = days.done() >= days_that_reach_all && never > 0;
  return failures > 0 || should_have ? exit_failed : 0;
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

/// Where what is found is kept: made before hours are spent on finding it, and taken away again
/// where nothing was.
class FoundFolder {
 public:
  explicit FoundFolder(std::filesystem::path folder) : folder_(std::move(folder)) {
    made_ = std::filesystem::create_directories(folder_, error_);
    if (!error_ && ::access(folder_.c_str(), W_OK | X_OK) != 0) {
      error_ = {errno, std::generic_category()};
    }
  }
  FoundFolder(const FoundFolder&) = delete;
  FoundFolder& operator=(const FoundFolder&) = delete;
  ~FoundFolder() {
    std::error_code something_was_found;
    if (made_) std::filesystem::remove(folder_, something_was_found);
  }

  const std::error_code& error() const { return error_; }

 private:
  const std::filesystem::path folder_;
  std::error_code error_;
  bool made_ = false;
};

}  // namespace

int run_fuzz(const FuzzFlags& flags) {
  if (flags.seeds == 0) {
    complain("--seeds 0: at least one is needed");
    return exit_usage;
  }
  if (!flags.planted.empty()) {
    if (const std::string why = no_such_mistake(flags.planted); !why.empty()) {
      complain(why);
      return exit_usage;
    }
    const bool one = std::ranges::count(mistakes(), flags.planted, &Mistake::name) > 0;
    if (flags.seed && !one) {
      complain("--planted " + flags.planted + ": one day is played with one mistake; name it");
      return exit_usage;
    }
    if (flags.seed) plant(flags.planted);
  }
  if (flags.seed) return replay(*flags.seed);
  const FoundFolder out(flags.out);
  if (out.error()) {
    complain("--out " + flags.out + ": a folder is needed to write into: " + out.error().message());
    return exit_usage;
  }
  return flags.planted.empty() ? play_all(flags) : find_planted(flags);
}

}  // namespace nlc::workbench
