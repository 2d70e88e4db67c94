#pragma once

#include <functional>
#include <memory>
#include <thread>

#include "runtime/clock.h"
#include "runtime/executor.h"

namespace boost::asio {
class io_context;
}

namespace nlc::net {

/// An executor of the real world: one thread that waits in Boost.Asio.
///
/// Asio's timers only wake it; whether a moment has come is asked of the clock. The steady clock
/// behind those timers stands still while the machine is suspended, so the loop looks at least once
/// a second while a timer is set.
///
/// `post` and `stop` may be called from any thread. Everything else belongs to the thread that runs
/// the loop (or, before it runs, to the thread that built it). Timers may outlive the loop; work
/// that never ran is dropped with it.
class AsioLoop final : public Executor {
 public:
  explicit AsioLoop(const Clock& clock);
  /// On a context of the caller's, which outlives it and is run by one thread: not by `run`. It is
  /// destroyed on that thread.
  AsioLoop(const Clock& clock, boost::asio::io_context& borrowed);
  ~AsioLoop() override;
  AsioLoop(const AsioLoop&) = delete;
  AsioLoop& operator=(const AsioLoop&) = delete;

  void post(std::function<void()> work) override;
  Timer run_at(Instant when, std::function<void()> work) override;

  /// Runs until `stop`, even when there is nothing to do. The calling thread is the loop's thread
  /// meanwhile.
  void run();

  /// Runs until `condition` holds (looked at before the first and after each piece of work),
  /// `limit` has passed or `stop` was called. Answers whether it holds.
  bool run_until(const std::function<bool()>& condition, Duration limit);

  /// Ends `run` after the piece of work that is running; final.
  void stop();

  const Clock& clock() const { return clock_; }

  /// For the sources of this folder, which put sockets on the loop.
  boost::asio::io_context& context();

 private:
  struct Agenda;

  const Clock& clock_;
  std::unique_ptr<boost::asio::io_context> own_context_;  ///< none where it is borrowed
  boost::asio::io_context& context_;
  std::shared_ptr<Agenda>
      agenda_;  // shared only so that a timer that outlives the loop finds it gone
};

/// A thread that runs a loop for as long as this value lives.
class LoopThread {
 public:
  explicit LoopThread(AsioLoop& loop);
  ~LoopThread();
  LoopThread(const LoopThread&) = delete;
  LoopThread& operator=(const LoopThread&) = delete;

 private:
  AsioLoop& loop_;
  std::thread thread_;
};

}  // namespace nlc::net
