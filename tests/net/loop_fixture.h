#pragma once

#include <cstdint>
#include <functional>

#include "client/limits/gate.h"
#include "net/http_client/socket_transport.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "runtime/log.h"

namespace nlc::tests {

inline net::ClusterConfig plain_config(std::uint16_t port) {
  net::ClusterConfig config;
  config.host = "127.0.0.1";
  config.port = port;
  config.tls = false;
  config.cluster = "test";
  config.user = "tester";
  return config;
}

/// Test, executor and server share one loop on the test's thread; only the transport has its own.
struct LoopFixture {
  net::SystemClock clock;
  net::AsioLoop loop{clock};
  client::Gate gate;
  SilentLog log;

  net::Surroundings surroundings() {
    return {.clock = clock, .executor = loop, .gate = gate, .log = log};
  }

  bool until(const std::function<bool()>& condition) {
    return loop.run_until(condition, std::chrono::seconds(20));
  }

  /// Long enough for what is under way on the loopback device to arrive or not to come at all.
  void settle() {
    loop.run_until([] { return false; }, std::chrono::milliseconds(30));
  }
};

}  // namespace nlc::tests
