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
  std::chrono::milliseconds flush_max{500};  ///< for what waits at the end
};

/// Lines on their way to a file descriptor, written by a thread of its own: whoever reads the other
/// end of a pipe may sleep or go, and nobody here waits for him or dies of it.
///
/// How many lines were dropped is told by a line in their place, once lines flow again. Destruction
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
