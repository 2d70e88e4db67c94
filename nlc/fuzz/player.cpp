#include "nlc/fuzz/player.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/prctl.h>
#include <thread>
#include <unistd.h>

#include "sim/fuzz/drawn_day.h"
#include "sim/fuzz/play.h"

namespace nlc::workbench {
namespace {

void tell(const Said& said, int to) {
  if (::write(to, &said, sizeof said) != sizeof said) ::_exit(1);
}

std::optional<Said> read_one(int from) {
  Said said;
  ssize_t got = 0;
  do got = ::read(from, &said, sizeof said);
  while (got < 0 && errno == EINTR);
  if (got != sizeof said) return std::nullopt;
  return said;
}

Said said_of(const sim::fuzz::DayResult& result, std::uint64_t seed) {
  Said said{.kind = result.good() ? Said::Kind::Good : Said::Kind::Found,
            .seed = seed,
            .marks = result.marks};
  std::strncpy(said.rule.data(), result.rule.c_str(), said.rule.size() - 1);
  std::strncpy(said.what.data(), result.what.c_str(), said.what.size() - 1);
  return said;
}

/// What a failed assertion says hundreds of times is no news, nor what it would leave on the disk.
void be_quiet() {
  ::prctl(PR_SET_DUMPABLE, 0);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  ::dup2(nowhere, STDERR_FILENO);
  ::close(nowhere);
}

}  // namespace

Player::Player(std::uint64_t first, std::uint64_t step, std::uint64_t end)
    : step_(step), end_(end), seed_(first), process_(started(first)) {}

std::optional<Said> Player::hear() {
  const std::optional<Said> said = read_one(pipe());
  if (said) seed_ = said->seed;
  return said;
}

bool Player::go_on() {
  if (seed_ + step_ >= end_) return false;
  seed_ += step_;
  process_ = started(seed_);
  return true;
}

Forked Player::started(std::uint64_t first) const {
  return Forked([this, first](int to) { play_all(first, to); });
}

void Player::play_all(std::uint64_t first, int to) const {
  for (std::uint64_t seed = first; seed < end_; seed += step_) {
    tell({.kind = Said::Kind::Begins, .seed = seed}, to);
    tell(said_of(sim::fuzz::play(sim::fuzz::day_of(seed)), seed), to);
  }
}

std::vector<Player> players(unsigned jobs, std::uint64_t first, std::uint64_t days) {
  const unsigned count = jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  std::vector<Player> all;
  for (unsigned i = 0; i < count && i < days; ++i) all.emplace_back(first + i, count, first + days);
  return all;
}

std::string rule_broken_in_own_process(const sim::fuzz::Day& day) {
  Forked process([&day](int to) {
    be_quiet();
    tell(said_of(sim::fuzz::play(day), day.seed), to);
  });
  const std::optional<Said> said = read_one(process.pipe());
  process.ended();
  return said ? said->rule.data() : crash;
}

}  // namespace nlc::workbench
