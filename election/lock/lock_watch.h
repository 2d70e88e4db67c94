#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "client/transport.h"
#include "election/lock/lock_object.h"
#include "runtime/backoff.h"
#include "runtime/clock.h"
#include "runtime/executor.h"
#include "runtime/log.h"
#include "runtime/random.h"

namespace nlc::election {

/// Watches one object of a lock, so that a release or a deletion is seen in milliseconds. An
/// optimisation: candidates poll as well, and nothing depends on the watch. Where it is forbidden
/// that is logged once, and tried again now and then.
///
/// On the executor's thread; lines are decoded on the transport's.
class LockWatch {
 public:
  struct Env {
    client::Transport& transport;
    const Clock& clock;
    Executor& executor;
    Log& log;
    std::uint64_t seed = 0;
  };
  using Listener = std::function<void(const LockChange&)>;

  /// `listener` is never called from within a call to this.
  LockWatch(Env env, LockPlace place, Listener listener);

  /// A read or a write showed the object at this version, from where a watch can begin. A stream
  /// that has not shown that version by the next call is taken for dead and reopened on another
  /// connection; one that broke is reopened now, because the server answers again.
  void known_at(const std::string& version);

  /// The server went back in time and has the object at this version: reopens the watch, for a
  /// stream from a later version would show nothing.
  void gone_back_to(const std::string& version);

 private:
  class Reader;
  enum class State {
    Idle,
    Open,
    Lost,    ///< the connection broke: to be opened when the server is seen to be back, or in time
    Refused  ///< to be opened in time
  };

  void open();
  void arrived(const std::vector<LockChange>& changes);
  void note(const LockChange& change);
  void ended(const client::StreamEnd& end);
  void open_later(State meanwhile, Duration floor);

  Env env_;
  const LockPlace place_;
  const Listener listener_;
  Random random_;
  Backoff backoff_;
  std::string version_;   ///< the newest that was read or shown
  std::string expected_;  ///< known by other means, so the stream has to show it
  std::string shown_;     ///< the newest that the stream has shown
  State state_ = State::Idle;
  /// No history since `version_`: the watch begins with what is there. A restored server may have
  /// none for an object that nobody has written since.
  bool history_lost_ = false;
  bool complained_ = false;
  bool told_foreign_ = false;
  Timer again_;
  Subscription stream_;
};

}  // namespace nlc::election
