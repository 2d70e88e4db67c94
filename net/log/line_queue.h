#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace nlc::net {

struct LineQueueOptions {
  std::size_t bytes_max = 1024 * 1024;       ///< that wait; what comes on top is dropped
  std::chrono::milliseconds gather{10};      ///< what comes so soon after a line goes with it
  std::chrono::milliseconds flush_max{500};  ///< for what waits at the end
};

/// Writes lines to a file descriptor on a thread of its own, so that a pipe whose reader is slow or
/// gone neither blocks nor kills the process.
///
/// Once lines can be written again, one line says how many were dropped there. Destruction
/// waits until all is written, but not longer than `flush_max`. `push` may be called from any
/// thread.
class LineQueue {
 public:
  /// Words the line that tells of dropped ones, with its line break; called on the queue's thread.
  using Notice = std::function<std::string(std::uint64_t dropped)>;

  /// `file` stays the caller's, and open.
  LineQueue(int file, Notice notice, LineQueueOptions options = {});
  ~LineQueue();
  LineQueue(const LineQueue&) = delete;
  LineQueue& operator=(const LineQueue&) = delete;

  /// With its line break. Never waits for the reader.
  void push(std::string line);

 private:
  struct State;
  std::shared_ptr<State> state_;  // shared with the thread, which may hang in a write for ever
};

}  // namespace nlc::net
