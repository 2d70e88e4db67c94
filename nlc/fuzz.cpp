#include "nlc/fuzz.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <map>
#include <poll.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include "nlc/console.h"
#include "sim/fuzz/drawn_day.h"
#include "sim/fuzz/play.h"

namespace nlc::sim {
namespace {

using fuzz::Day;
using fuzz::Verdict;

constexpr int exit_found = 1;
constexpr int exit_usage = 2;
/// Of what breaks one rule so many are cut down: a mistake shows in hundreds of days.
constexpr std::size_t shrunk_per_rule = 2;

std::string hash_text(std::uint64_t hash) {
  std::array<char, 17> text{};
  std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(hash));
  return text.data();
}

/// What a player says of a day, in one write that no other can come between.
struct Said {
  enum class Kind : std::uint8_t { Begins, Good, Found } kind = Kind::Begins;
  std::uint64_t seed = 0;
  std::array<char, 80> rule{};
  std::array<char, 400> what{};
};

/// A process that plays days one after the other, and tells of each.
class Player {
 public:
  Player(std::uint64_t first, std::uint64_t step, std::uint64_t end) : step_(step), end_(end) {
    start(first);
  }
  Player(Player&& other) noexcept
      : step_(other.step_),
        end_(other.end_),
        seed_(other.seed_),
        pid_(std::exchange(other.pid_, -1)),
        pipe_(std::exchange(other.pipe_, -1)) {}
  Player& operator=(Player&&) = delete;
  ~Player() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ended();
  }

  int pipe() const { return pipe_; }
  std::uint64_t seed() const { return seed_; }

  /// Nothing when the process has ended.
  std::optional<Said> hear() {
    Said said;
    ssize_t got = 0;
    do got = ::read(pipe_, &said, sizeof said);
    while (got < 0 && errno == EINTR);
    if (got != sizeof said) return std::nullopt;
    seed_ = said.seed;
    return said;
  }

  /// Its status, once it has ended.
  int ended() {
    int status = 0;
    while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
    }
    ::close(pipe_);
    pid_ = pipe_ = -1;
    return status;
  }

  /// A new process goes on behind the day that ended the last one.
  bool go_on() {
    if (seed_ + step_ >= end_) return false;
    start(seed_ + step_);
    return true;
  }

 private:
  void start(std::uint64_t first) {
    std::array<int, 2> ends{};
    if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
    seed_ = first;
    pid_ = ::fork();
    if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
    if (pid_ == 0) {
      ::close(ends[0]);
      play_all(first, ends[1]);
      ::_exit(0);
    }
    ::close(ends[1]);
    pipe_ = ends[0];
  }

  void play_all(std::uint64_t first, int to) const {
    const auto tell = [to](const Said& said) {
      if (::write(to, &said, sizeof said) != sizeof said) ::_exit(1);
    };
    for (std::uint64_t seed = first; seed < end_; seed += step_) {
      Said said{.kind = Said::Kind::Begins, .seed = seed};
      tell(said);
      const Verdict verdict = fuzz::play(fuzz::day_of(seed));
      said.kind = verdict.good() ? Said::Kind::Good : Said::Kind::Found;
      std::strncpy(said.rule.data(), verdict.rule.c_str(), said.rule.size() - 1);
      std::strncpy(said.what.data(), verdict.what.c_str(), said.what.size() - 1);
      tell(said);
    }
  }

  const std::uint64_t step_;
  const std::uint64_t end_;
  std::uint64_t seed_ = 0;
  pid_t pid_ = -1;
  int pipe_ = -1;
};

/// All days of one run.
class Days {
 public:
  explicit Days(const FuzzFlags& flags) : flags_(flags), began_(std::chrono::steady_clock::now()) {
    const unsigned jobs =
        flags.jobs != 0 ? flags.jobs : std::max(1U, std::thread::hardware_concurrency());
    const std::uint64_t end = flags.first + flags.seeds;
    for (unsigned i = 0; i < jobs && i < flags.seeds; ++i) {
      players_.emplace_back(flags.first + i, jobs, end);
    }
  }

  int play() {
    while (!players_.empty() && !is_over()) hear_all();
    players_.clear();
    show_progress("");
    for (const auto& [rule, seeds] : found_) keep(rule, seeds);
    tell_end();
    return found_.empty() ? 0 : exit_found;
  }

 private:
  double seconds() const {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  }
  bool is_over() const {
    return flags_.for_ > Duration{0} &&
           seconds() >= std::chrono::duration<double>(flags_.for_).count();
  }

  void hear_all() {
    std::vector<pollfd> pipes;
    for (const Player& player : players_) pipes.push_back({player.pipe(), POLLIN, 0});
    if (::poll(pipes.data(), pipes.size(), 200) < 0 && errno != EINTR) return;
    for (std::size_t i = pipes.size(); i-- > 0;) {
      if (pipes[i].revents != 0) hear(i);
    }
    show_progress(state());
  }

  void hear(std::size_t number) {
    Player& player = players_[number];
    const std::optional<Said> said = player.hear();
    if (!said) {
      const int status = player.ended();
      if (WIFSIGNALED(status)) {
        found(player.seed(), "crash", "ended by signal " + std::to_string(WTERMSIG(status)));
        if (player.go_on()) return;
      }
      std::vector<Player> others;
      for (std::size_t i = 0; i < players_.size(); ++i) {
        if (i != number) others.push_back(std::move(players_[i]));
      }
      players_.swap(others);
      return;
    }
    if (said->kind == Said::Kind::Begins) return;
    ++done_;
    if (said->kind == Said::Kind::Found) found(said->seed, said->rule.data(), said->what.data());
  }

  void found(std::uint64_t seed, const std::string& rule, const std::string& what) {
    std::vector<std::uint64_t>& seeds = found_[rule];
    seeds.push_back(seed);
    if (seeds.size() > 5) return;
    show_progress("");
    say("seed " + std::to_string(seed) + "  " + rule + ": " + what);
  }

  /// Cut down to what breaks the rule, as a scenario file.
  void keep(const std::string& rule, std::vector<std::uint64_t> seeds) {
    std::ranges::sort(seeds);
    if (seeds.size() > shrunk_per_rule) seeds.resize(shrunk_per_rule);
    for (const std::uint64_t seed : seeds) {
      Day day = fuzz::day_of(seed);
      const std::string file = flags_.out + "/" + std::to_string(seed) + ".yaml";
      if (rule != "crash" && rule != "unreadable") {
        const Verdict verdict = fuzz::play(day);
        day = fuzz::shrunk(std::move(day), verdict, [&](std::size_t lines) {
          show_progress("seed " + std::to_string(seed) + ": " + std::to_string(lines) + " lines");
        });
        show_progress("");
      }
      std::error_code ignored;  // what cannot be made cannot be written into, and that is told
      std::filesystem::create_directories(flags_.out, ignored);
      (void)write_file(file, fuzz::scenario_text(day));
      say("nlc fuzz --seed " + std::to_string(seed) + "; cut down: nlc scenario " + file + " (" +
          std::to_string(day.timeline.size()) + " steps)");
    }
  }

  std::string state() const {
    const double span = std::max(0.001, seconds());
    std::array<char, 160> text{};
    std::snprintf(text.data(), text.size(), "%llu of %llu days, %.1f a second, %zu rules broken",
                  static_cast<unsigned long long>(done_),
                  static_cast<unsigned long long>(flags_.seeds), static_cast<double>(done_) / span,
                  found_.size());
    return text.data();
  }

  void tell_end() const {
    std::size_t failures = 0;
    for (const auto& [rule, seeds] : found_) {
      failures += seeds.size();
      say(rule + ": " + std::to_string(seeds.size()) + " days");
    }
    say(state() + ", " + std::to_string(failures) + " failures");
  }

  const FuzzFlags& flags_;
  const std::chrono::steady_clock::time_point began_;
  std::vector<Player> players_;
  std::uint64_t done_ = 0;
  std::map<std::string, std::vector<std::uint64_t>> found_;
};

int replay(std::uint64_t seed) {
  const Day day = fuzz::day_of(seed);
  say(fuzz::scenario_text(day));
  const Verdict verdict = fuzz::play(day, [](std::string_view line) { say(line); });
  if (!verdict.good()) say(verdict.rule + ": " + verdict.what);
  say("hash " + hash_text(verdict.hash));
  return verdict.good() ? 0 : exit_found;
}

}  // namespace

int run_fuzz(const FuzzFlags& flags) {
  if (flags.seed) return replay(*flags.seed);
  if (flags.seeds == 0) {
    complain("--seeds 0: at least one is needed");
    return exit_usage;
  }
  return Days(flags).play();
}

}  // namespace nlc::sim
