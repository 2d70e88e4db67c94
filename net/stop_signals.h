#pragma once

#include <functional>
#include <memory>

#include "net/asio_loop.h"

namespace nlc::net {

/// Calls back on the loop when the process is asked to end (SIGTERM, SIGINT), each time it is
/// asked. While this value lives those signals no longer kill the process.
class StopSignals {
 public:
  StopSignals(AsioLoop& loop, std::function<void(int signal)> asked);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  struct Waiting;
  std::shared_ptr<Waiting> waiting_;  // shared with the wait in flight
};

}  // namespace nlc::net
