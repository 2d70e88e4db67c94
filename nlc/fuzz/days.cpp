#include "nlc/fuzz/days.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <poll.h>
#include <sys/wait.h>
#include <utility>

#include "nlc/console/console.h"
#include "sim/fuzz/day_name.h"
#include "sim/fuzz/drawn_day.h"
#include "sim/fuzz/play.h"

namespace nlc::workbench {
namespace {

std::string how_it_ended(int status) {
  return WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status))
                             : "ended with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Days::Days(Env env, Until until)
    : env_(std::move(env)),
      until_(until),
      began_(std::chrono::steady_clock::now()),
      players_(players(env_.flags.jobs, env_.flags.first, env_.flags.seeds)),
      marks_(sim::fuzz::marks().size()) {}

void Days::play() {
  while (!players_.empty() && !is_over()) hear_all();
  players_.clear();
  show_progress("");
}

double Days::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

bool Days::is_over() const {
  if (env_.interrupts.heard() || (until_ == Until::FirstFound && !found_.empty())) return true;
  return env_.flags.for_ > Duration{0} &&
         seconds() >= std::chrono::duration<double>(env_.flags.for_).count();
}

void Days::hear_all() {
  std::vector<pollfd> pipes;
  for (const Player& player : players_) pipes.push_back({player.pipe(), POLLIN, 0});
  if (::poll(pipes.data(), pipes.size(), 200) < 0 && errno != EINTR) return;
  for (std::size_t i = pipes.size(); i-- > 0;) {
    if (pipes[i].revents != 0) hear(i);
  }
  show_progress(state());
}

void Days::hear(std::size_t number) {
  const std::optional<Said> said = players_[number].hear();
  if (!said) return player_ended(number);
  if (said->kind == Said::Kind::Begins) return;
  ++done_;
  for (std::size_t i = 0; i < marks_.size(); ++i) marks_[i] += said->marks[i] ? 1 : 0;
  if (said->kind == Said::Kind::Found) {
    note_found({.seed = said->seed, .rule = said->rule.data(), .what = said->what.data()});
  }
}

void Days::player_ended(std::size_t number) {
  Player& player = players_[number];
  const int status = player.ended();
  if (status != 0) {
    ++done_;
    note_found({.seed = player.seed(), .rule = crash, .what = how_it_ended(status)});
    if (player.go_on()) return;
  }
  players_.erase(players_.begin() + static_cast<std::ptrdiff_t>(number));
}

void Days::note_found(Found found) {
  found_.push_back(std::move(found));
  if (env_.on_found) env_.on_found(found_.back());
}

std::size_t Days::marks_reached() const {
  return marks_.size() - static_cast<std::size_t>(std::ranges::count(marks_, 0U));
}

std::string Days::state() const {
  const double span = std::max(0.001, seconds());
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(),
                "%llu of %llu days, %.1f a second, %zu failed, %zu of %zu marks reached",
                static_cast<unsigned long long>(done_),
                static_cast<unsigned long long>(env_.flags.seeds),
                static_cast<double>(done_) / span, found_.size(), marks_reached(), marks_.size());
  return text.data();
}

Kept cut_down(std::uint64_t seed, const std::string& planted, Findings& findings,
              const Interrupts& interrupts) {
  const sim::fuzz::Day whole = sim::fuzz::day_of(seed);
  Kept kept{.rule = rule_broken_in_own_process(whole)};
  const auto judge = [&](const sim::fuzz::Day& day) {
    return interrupts.heard() ? std::string() : rule_broken_in_own_process(day);
  };
  const std::string name = sim::fuzz::day_name(seed);
  const sim::fuzz::Day day = sim::fuzz::shrunk(whole, judge, [&](std::size_t lines) {
    show_progress("day " + name + ": " + std::to_string(lines) + " lines");
  });
  show_progress("");
  kept.lines = day.given.size() + day.timeline.size();
  const std::string played =
      "# nlc fuzz " + (planted.empty() ? "" : "--planted " + planted + " ") + "--seed " + name;
  kept.file = findings.keep(
      planted.empty() ? std::to_string(seed) : planted,
      played + (kept.rule.empty() ? "" : ": " + kept.rule) + "\n" + sim::fuzz::scenario_text(day));
  return kept;
}

}  // namespace nlc::workbench
