#pragma once

#include <optional>
#include <string>
#include <sys/types.h>
#include <vector>

#include "runtime/result.h"

namespace nlc::workbench {

/// Another program, run beside this one: it ends when this value ends, and when this process dies.
/// To be started while the process has one thread only.
class ChildProcess {
 public:
  struct Command {
    std::vector<std::string> words;  ///< the program, then its arguments
    std::string output;              ///< the file that takes stdout and stderr
  };
  static Result<ChildProcess> start(const Command& command);

  ChildProcess(ChildProcess&& other) noexcept;
  ChildProcess& operator=(ChildProcess&&) = delete;
  ~ChildProcess();

  pid_t pid() const { return pid_; }

  /// SIGTERM.
  void ask_to_end() const;

  /// Its exit code once it has ended (128 + signal when one ended it). Does not wait.
  std::optional<int> exit_code();

 private:
  explicit ChildProcess(pid_t pid) : pid_(pid) {}

  pid_t pid_;  ///< -1 when it was moved from
  std::optional<int> exit_code_;
};

/// The last lines of a text file; empty when it cannot be read.
std::vector<std::string> last_lines(const std::string& file, std::size_t count);

}  // namespace nlc::workbench
