#pragma once

#include <atomic>

#include "runtime/time.h"

namespace nlc::client {

/// The right to change the cluster, as a moment until which it lasts. Set by the election (or
/// opened for ever without one), read by the transport as the last step before the socket, so that
/// a process that was paused cannot begin a write after its lease has ended
/// (spec/leader-election.md "Validity by send time"). Safe from any thread.
class Gate {
 public:
  void open_until(Instant end) { end_.store(end.time_since_epoch().count()); }
  void open_for_ever() { open_until(Instant::max()); }
  void close() { open_until(Instant{}); }

  bool is_open(Instant now) const { return now < end(); }
  Instant end() const { return Instant{Duration{end_.load()}}; }

 private:
  std::atomic<Duration::rep> end_{0};  ///< of the boot clock: in the past from the start
};

}  // namespace nlc::client
