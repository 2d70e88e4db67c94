#include "nlc/fuzz/days.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <poll.h>
#include <sys/wait.h>

#include "nlc/console/console.h"
#include "sim/fuzz/drawn_day.h"
#include "sim/fuzz/play.h"

namespace nlc::workbench {
namespace {

/// Of what breaks one rule so many are told at once: a mistake shows in hundreds of days.
constexpr std::size_t told_per_rule = 5;

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int) { interrupted = 1; }

std::string how_it_ended(int status) {
  return WIFSIGNALED(status) ? "ended by signal " + std::to_string(WTERMSIG(status))
                             : "ended with code " + std::to_string(WEXITSTATUS(status));
}

}  // namespace

Days::Days(const FuzzFlags& flags, Until until)
    : flags_(flags),
      until_(until),
      began_(std::chrono::steady_clock::now()),
      players_(players(flags.jobs, flags.first, flags.seeds)),
      marks_(sim::fuzz::marks().size()) {}

void Days::play() {
  const auto before = std::signal(SIGINT, interrupt);
  while (!players_.empty() && !is_over()) hear_all();
  players_.clear();
  std::signal(SIGINT, before);
  show_progress("");
}

double Days::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
}

bool Days::is_over() const {
  if (interrupted != 0 || (until_ == Until::FirstFound && !found_.empty())) return true;
  return flags_.for_ > Duration{0} &&
         seconds() >= std::chrono::duration<double>(flags_.for_).count();
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
  if (said->kind == Said::Kind::Found) note_found(said->seed, said->rule.data(), said->what.data());
}

void Days::player_ended(std::size_t number) {
  Player& player = players_[number];
  const int status = player.ended();
  if (status != 0) {
    note_found(player.seed(), crash, how_it_ended(status));
    if (player.go_on()) return;
  }
  std::vector<Player> others;
  for (std::size_t i = 0; i < players_.size(); ++i) {
    if (i != number) others.push_back(std::move(players_[i]));
  }
  players_.swap(others);
}

void Days::note_found(std::uint64_t seed, const std::string& rule, const std::string& what) {
  Seeds& seeds = found_[rule];
  seeds.push_back(seed);
  if (seeds.size() > told_per_rule || until_ == Until::FirstFound) return;
  show_progress("");
  say("seed " + std::to_string(seed) + "  " + rule + ": " + what);
}

std::string Days::state() const {
  const double span = std::max(0.001, seconds());
  std::array<char, 160> text{};
  std::snprintf(text.data(), text.size(), "%llu of %llu days, %.1f a second, %zu rules broken",
                static_cast<unsigned long long>(done_),
                static_cast<unsigned long long>(flags_.seeds), static_cast<double>(done_) / span,
                found_.size());
  return text.data();
}

Kept keep(std::uint64_t seed, const std::string& out, const std::string& name) {
  const sim::fuzz::Day day = sim::fuzz::shrunk(
      sim::fuzz::day_of(seed), rule_broken_in_own_process, [&](std::size_t lines) {
        show_progress("seed " + std::to_string(seed) + ": " + std::to_string(lines) + " lines");
      });
  show_progress("");
  Kept kept{.file = out + "/" + name + ".yaml", .lines = day.given.size() + day.timeline.size()};
  if (!write_file(kept.file, sim::fuzz::scenario_text(day))) kept.file.clear();
  return kept;
}

}  // namespace nlc::workbench
