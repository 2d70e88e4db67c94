#include "process.h"

#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <signal.h>
#include <spawn.h>
#include <sstream>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>
#include <utility>

#include "waiting.h"

namespace nlc::real {
namespace {

using namespace std::chrono_literals;

/// setpriv (util-linux, on every Debian) becomes the program itself, which then dies with this one.
std::vector<std::string> words_to_run(const Command& command) {
  std::vector<std::string> words{"setpriv", "--pdeathsig", "KILL", "--"};
  words.insert(words.end(), command.words.begin(), command.words.end());
  return words;
}

pid_t spawn(const Command& command) {
  const std::filesystem::path& errors = command.errors.empty() ? command.output : command.errors;
  constexpr int append = O_WRONLY | O_CREAT | O_APPEND;
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDIN_FILENO, command.input.c_str(), O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, command.output.c_str(), append, 0600);
  posix_spawn_file_actions_addopen(&files, STDERR_FILENO, errors.c_str(), append, 0600);

  std::vector<std::string> words = words_to_run(command);
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  pid_t pid = -1;
  const int refused =
      posix_spawnp(&pid, words.front().c_str(), &files, nullptr, arguments.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  if (refused != 0) {
    throw std::runtime_error("cannot start " + command.words.front() + ": " +
                             std::strerror(refused));
  }
  return pid;
}

int exit_code_of(int status) {
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

}  // namespace

Process::Process(Command command) : command_(std::move(command)), pid_(spawn(command_)) {}

Process::Process(Process&& other) noexcept
    : command_(std::move(other.command_)),
      pid_(std::exchange(other.pid_, -1)),
      exit_code_(other.exit_code_) {}

Process& Process::operator=(Process&& other) noexcept {
  if (this != &other) {
    kill();
    command_ = std::move(other.command_);
    pid_ = std::exchange(other.pid_, -1);
    exit_code_ = other.exit_code_;
  }
  return *this;
}

Process::~Process() { kill(); }

void Process::send_signal(int number) const {
  if (pid_ > 0) ::kill(pid_, number);
}

std::optional<int> Process::wait(Duration limit) {
  const auto ended = [this] {
    int status = 0;
    if (pid_ > 0 && waitpid(pid_, &status, WNOHANG) == pid_) {
      pid_ = -1;
      exit_code_ = exit_code_of(status);
    }
    return pid_ < 0;
  };
  if (!await(limit, ended, 5ms)) return std::nullopt;
  return exit_code_;
}

void Process::kill() {
  send_signal(SIGKILL);  // a stopped process takes this one too
  wait(10s);
}

std::string Process::output() const { return read_text(command_.output); }

std::string Process::last_lines(std::size_t count) const {
  return real::last_lines(output(), count);
}

std::string read_text(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_text(const std::filesystem::path& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc).close();
  std::filesystem::permissions(
      file, std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

std::string last_lines(const std::string& text, std::size_t count) {
  std::size_t begin = text.size();
  for (std::size_t line = 0; line <= count && begin != std::string::npos && begin > 0; ++line) {
    begin = text.rfind('\n', begin - 1);
  }
  return begin == std::string::npos ? text : text.substr(begin + (begin < text.size() ? 1 : 0));
}

}  // namespace nlc::real
