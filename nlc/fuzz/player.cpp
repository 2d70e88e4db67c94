#include "nlc/fuzz/player.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <sys/wait.h>
#include <system_error>
#include <thread>
#include <unistd.h>
#include <utility>

#include "sim/fuzz/drawn_day.h"
#include "sim/fuzz/play.h"

namespace nlc::sim {

Player::Player(std::uint64_t first, std::uint64_t step, std::uint64_t end)
    : step_(step), end_(end) {
  start(first);
}

Player::Player(Player&& other) noexcept
    : step_(other.step_),
      end_(other.end_),
      seed_(other.seed_),
      pid_(std::exchange(other.pid_, -1)),
      pipe_(std::exchange(other.pipe_, -1)) {}

Player::~Player() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ended();
}

std::optional<Said> Player::hear() {
  Said said;
  ssize_t got = 0;
  do got = ::read(pipe_, &said, sizeof said);
  while (got < 0 && errno == EINTR);
  if (got != sizeof said) return std::nullopt;
  seed_ = said.seed;
  return said;
}

int Player::ended() {
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ::close(pipe_);
  pid_ = pipe_ = -1;
  return status;
}

bool Player::go_on() {
  if (seed_ + step_ >= end_) return false;
  start(seed_ + step_);
  return true;
}

void Player::start(std::uint64_t first) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  seed_ = first;
  pid_ = ::fork();
  if (pid_ < 0) throw std::system_error(errno, std::generic_category(), "fork");
  if (pid_ == 0) {
    ::signal(SIGINT, SIG_IGN);
    ::close(ends[0]);
    play_all(first, ends[1]);
    ::_exit(0);
  }
  ::close(ends[1]);
  pipe_ = ends[0];
}

void Player::play_all(std::uint64_t first, int to) const {
  const auto tell = [to](const Said& said) {
    if (::write(to, &said, sizeof said) != sizeof said) ::_exit(1);
  };
  for (std::uint64_t seed = first; seed < end_; seed += step_) {
    Said said{.kind = Said::Kind::Begins, .seed = seed};
    tell(said);
    const fuzz::Verdict verdict = fuzz::play(fuzz::day_of(seed));
    said.kind = verdict.good() ? Said::Kind::Good : Said::Kind::Found;
    said.marks = verdict.marks;
    std::strncpy(said.rule.data(), verdict.rule.c_str(), said.rule.size() - 1);
    std::strncpy(said.what.data(), verdict.what.c_str(), said.what.size() - 1);
    tell(said);
  }
}

std::vector<Player> players(unsigned jobs, std::uint64_t first, std::uint64_t days) {
  const unsigned count = jobs != 0 ? jobs : std::max(1U, std::thread::hardware_concurrency());
  std::vector<Player> all;
  for (unsigned i = 0; i < count && i < days; ++i) all.emplace_back(first + i, count, first + days);
  return all;
}

}  // namespace nlc::sim
