#include "nlc/console/child.h"

#include <cerrno>
#include <cstring>
#include <deque>
#include <fcntl.h>
#include <fstream>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

namespace nlc::workbench {
namespace {

/// In the child, between fork and exec: nothing but system calls.
[[noreturn]] void become(char* const* words, const char* output) {
  ::prctl(PR_SET_PDEATHSIG, SIGTERM);
  ::signal(SIGPIPE, SIG_DFL);  // ignored by us, and it would stay so
  sigset_t none;
  ::sigemptyset(&none);
  ::sigprocmask(SIG_SETMASK, &none, nullptr);
  const int file = ::open(output, O_WRONLY | O_CREAT | O_TRUNC, 0644);
  const int nothing = ::open("/dev/null", O_RDONLY);
  if (file >= 0 && nothing >= 0) {
    ::dup2(nothing, STDIN_FILENO);
    ::dup2(file, STDOUT_FILENO);
    ::dup2(file, STDERR_FILENO);
    ::execv(words[0], words);
  }
  ::_exit(127);
}

}  // namespace

Result<ChildProcess> ChildProcess::start(const Command& command) {
  if (::access(command.words.front().c_str(), X_OK) != 0) {
    return Error{Fault::NotFound, command.words.front() + ": " + std::strerror(errno)};
  }
  std::vector<std::string> copies = command.words;  // exec wants text it could write to
  std::vector<char*> words;
  for (std::string& word : copies) words.push_back(word.data());
  words.push_back(nullptr);
  const pid_t pid = ::fork();
  if (pid < 0) return Error{Fault::Unavailable, std::string("fork: ") + std::strerror(errno)};
  if (pid == 0) become(words.data(), command.output.c_str());
  return ChildProcess(pid);
}

ChildProcess::ChildProcess(ChildProcess&& other) noexcept
    : pid_(std::exchange(other.pid_, -1)), exit_code_(other.exit_code_) {}

ChildProcess::~ChildProcess() {
  if (pid_ < 0 || exit_code()) return;
  ::kill(pid_, SIGKILL);
  ::waitpid(pid_, nullptr, 0);
}

void ChildProcess::ask_to_end() const {
  if (!exit_code_) ::kill(pid_, SIGTERM);
}

std::optional<int> ChildProcess::exit_code() {
  int status = 0;
  if (!exit_code_ && ::waitpid(pid_, &status, WNOHANG) == pid_) {
    exit_code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }
  return exit_code_;
}

std::vector<std::string> last_lines(const std::string& file, std::size_t count) {
  std::ifstream stream(file);
  std::deque<std::string> lines;
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(std::move(line));
    if (lines.size() > count) lines.pop_front();
  }
  return {lines.begin(), lines.end()};
}

}  // namespace nlc::workbench
