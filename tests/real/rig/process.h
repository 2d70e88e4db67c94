#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "runtime/time.h"

namespace nlc::real {

struct Command {
  std::vector<std::string> words;  ///< the program, then its arguments
  std::filesystem::path output;    ///< where both of its outputs go, appended
  std::filesystem::path errors{};  ///< where stderr goes, if elsewhere
  std::filesystem::path input = "/dev/null";
};

/// One running program, detached from the terminal. It is killed when this value ends, and by the
/// kernel when the test program itself is killed. Throws when the program cannot be started.
class Process {
 public:
  explicit Process(Command command);
  Process(Process&& other) noexcept;
  Process& operator=(Process&& other) noexcept;
  ~Process();

  pid_t pid() const { return pid_; }

  void send_signal(int number) const;

  bool running() { return !wait(Duration{0}); }

  /// Its exit code (128 + signal when one ended it) once it has ended; nothing when it runs on
  /// after `limit`.
  std::optional<int> wait(Duration limit);

  /// Ends it at once and waits until it is gone.
  void kill();

  std::string output() const;
  std::string last_lines(std::size_t count) const;

 private:
  Command command_;
  pid_t pid_ = -1;  ///< -1 once it has been waited for
  int exit_code_ = 0;
};

/// Everything that stands in a file; empty when there is none.
std::string read_text(const std::filesystem::path& file);

/// Replaces the file's content; nobody but us may read it, as it may hold a key.
void write_text(const std::filesystem::path& file, const std::string& text);

std::string last_lines(const std::string& text, std::size_t count);

}  // namespace nlc::real
