#pragma once

#include <csignal>
#include <functional>
#include <initializer_list>
#include <memory>

#include "net/loop/asio_loop.h"

namespace nlc::net {

/// Calls back on the loop when the process is asked to end (SIGTERM, SIGINT, SIGHUP; or by the
/// signals given, whatever they ask for), each time it is asked, by SIGHUP once. SIGHUP is left
/// alone where it was ignored at the start, as under nohup. While this value lives those signals no
/// longer kill the process; nor do they behind it where it was asked, for what is left of an end,
/// as the last lines of a log, is not to be cut off by who asks again.
class StopSignals {
 public:
  StopSignals(AsioLoop& loop, std::function<void(int signal)> asked,
              std::initializer_list<int> signals = {SIGTERM, SIGINT, SIGHUP});
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  struct Waiting;
  std::shared_ptr<Waiting> waiting_;  // shared with the wait in flight
};

}  // namespace nlc::net
