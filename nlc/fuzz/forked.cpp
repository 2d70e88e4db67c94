#include "nlc/fuzz/forked.h"

#include <array>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "nlc/fuzz/interrupts.h"

namespace nlc::workbench {

Forked::Forked(const std::function<void(int to)>& work) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  pid_ = ::fork();
  if (pid_ == 0) {
    for (const int signal : Interrupts::signals) ::signal(signal, SIG_IGN);
    ::close(ends[0]);
    // What stands above on this stack is the parent's, and is not to be unwound here.
    [&]() noexcept { work(ends[1]); }();
    ::_exit(0);
  }
  const int why = errno;
  ::close(ends[1]);
  pipe_ = ends[0];
  if (pid_ > 0) return;
  ::close(pipe_);
  throw std::system_error(why, std::generic_category(), "fork");
}

Forked::Forked(Forked&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), pipe_(std::exchange(other.pipe_, -1)) {}

Forked& Forked::operator=(Forked&& other) noexcept {
  std::swap(pid_, other.pid_);
  std::swap(pipe_, other.pipe_);
  return *this;
}

Forked::~Forked() {
  if (pid_ < 0) return;
  ::kill(pid_, SIGKILL);
  ended();
}

int Forked::ended() {
  assert(pid_ > 0);
  int status = 0;
  while (::waitpid(pid_, &status, 0) < 0 && errno == EINTR) {
  }
  ::close(pipe_);
  pid_ = pipe_ = -1;
  return status;
}

}  // namespace nlc::workbench
