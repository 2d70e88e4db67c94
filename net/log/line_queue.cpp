#include "net/log/line_queue.h"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <deque>
#include <mutex>
#include <optional>
#include <poll.h>
#include <string_view>
#include <thread>
#include <unistd.h>
#include <utility>

namespace nlc::net {
namespace {

constexpr std::size_t batch_bytes = 64 * 1024;
constexpr int look_milliseconds = 100;

/// PIPE_BUF: a pipe that polls as writable takes this much without blocking.
constexpr std::size_t piece_bytes = PIPE_BUF;

/// Signals are for other threads; a pipe without a reader is an error here and no signal.
void take_no_signals() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

struct LineQueue::State {
  State(int to, Notice words, LineQueueOptions how)
      : file(to), notice(std::move(words)), options(how) {}

  void run() {
    take_no_signals();
    while (const std::optional<std::string> batch = next()) write_whole(*batch);
    const std::lock_guard lock(mutex);
    finished = true;
    changed.notify_all();
  }

  /// Waits for lines; none when all is written and nothing can follow.
  std::optional<std::string> next() {
    std::unique_lock lock(mutex);
    changed.wait(lock, [this] { return !lines.empty() || dropped > 0 || ending; });
    // To wake this thread costs more than to write a line.
    ended.wait_for(lock, options.gather, [this] { return ending; });
    const bool over = lines.empty() && dropped == 0;
    if (abandoned || over) return std::nullopt;
    std::string batch;
    while (!lines.empty() && batch.size() < batch_bytes) {
      bytes -= lines.front().size();
      batch += lines.front();
      lines.pop_front();
    }
    // In their place: they came after all that had room.
    if (lines.empty() && dropped > 0) batch += notice(std::exchange(dropped, 0));
    return batch;
  }

  void write_whole(std::string_view text) {
    while (!text.empty() && wait_for_reader()) {
      const ssize_t size = ::write(file, text.data(), std::min(text.size(), piece_bytes));
      if (size > 0) {
        text.remove_prefix(static_cast<std::size_t>(size));
      } else if (errno == EAGAIN) {
        poll(nullptr, 0, look_milliseconds);
      } else if (errno != EINTR) {
        return;  // The reader has gone, and there is nobody to tell.
      }
    }
  }

  /// False when nobody waits for us any more.
  bool wait_for_reader() {
    pollfd ready{.fd = file, .events = POLLOUT, .revents = 0};
    for (;;) {
      const int found = poll(&ready, 1, look_milliseconds);
      const std::lock_guard lock(mutex);
      if (abandoned) return false;
      if (found > 0) return true;
    }
  }

  const int file;
  const Notice notice;
  const LineQueueOptions options;
  std::thread thread;

  std::mutex mutex;                 // of all that follows
  std::condition_variable changed;  // lines came, or the end
  std::condition_variable ended;    // `ending`
  std::deque<std::string> lines;
  std::size_t bytes = 0;  // of `lines`
  std::uint64_t dropped = 0;
  bool ending = false;     // what is there is written yet
  bool abandoned = false;  // nothing is written any more
  bool finished = false;
};

LineQueue::LineQueue(int file, Notice notice, LineQueueOptions options)
    : state_(std::make_shared<State>(file, std::move(notice), options)) {
  state_->thread = std::thread([state = state_] { state->run(); });
}

LineQueue::~LineQueue() {
  std::unique_lock lock(state_->mutex);
  state_->ending = true;
  state_->changed.notify_all();
  state_->ended.notify_all();
  const bool whole = state_->changed.wait_for(lock, state_->options.flush_max,
                                              [this] { return state_->finished; });
  state_->abandoned = true;
  lock.unlock();
  if (whole) {
    state_->thread.join();
  } else {
    state_->thread.detach();  // Its write may never return; what it needs is its own.
  }
}

void LineQueue::push(std::string line) {
  const std::lock_guard lock(state_->mutex);
  // Once one was dropped so are those behind it, until their number could be told.
  if (state_->dropped > 0 || state_->bytes + line.size() > state_->options.bytes_max) {
    ++state_->dropped;
    return;
  }
  state_->bytes += line.size();
  state_->lines.push_back(std::move(line));
  if (state_->lines.size() == 1) state_->changed.notify_all();
}

}  // namespace nlc::net
