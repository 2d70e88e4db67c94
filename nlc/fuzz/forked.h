#pragma once

#include <functional>
#include <sys/types.h>

namespace nlc::workbench {

/// A copy of this process that does one thing and writes of it into a pipe. It ends with its owner,
/// and not by what asks that to end (`Interrupts`); an exception that its work throws ends it, by a
/// signal.
///
/// To be made while the process has one thread only.
class Forked {
 public:
  /// `work` is given the end of the pipe to write into. Throws std::system_error when there can be
  /// no process.
  explicit Forked(const std::function<void(int to)>& work);
  Forked(Forked&& other) noexcept;
  Forked& operator=(Forked&& other) noexcept;
  ~Forked();

  /// The end to read from.
  int pipe() const { return pipe_; }
  /// Its status, once it has ended; it is waited for. Once.
  int ended();

 private:
  pid_t pid_ = -1;  ///< -1: has ended, or was moved from
  int pipe_ = -1;
};

}  // namespace nlc::workbench
