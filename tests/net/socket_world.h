#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "net/asio_loop.h"
#include "net/http_server.h"
#include "net/socket_transport.h"
#include "net/system_clock.h"
#include "tests/net/transport_contract.h"

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

/// The transport that `make` builds, towards an HttpServer on a free port.
template <typename Make>
class SocketWorld final : public TransportWorld {
 public:
  explicit SocketWorld(client::Endpoint& endpoint, Make make = {}) : endpoint_(endpoint) {
    auto listening =
        net::HttpServer::listen(fixture_.loop, endpoint_, {.host = "127.0.0.1", .port = 0});
    if (!listening) throw std::runtime_error(listening.error().path);
    server_ = *std::move(listening);
    transport_ = make(plain_config(server_->port()), fixture_.surroundings());
  }

  client::Transport& transport() override { return *transport_; }
  client::Gate& gate() override { return fixture_.gate; }
  const Clock& clock() const override { return fixture_.clock; }
  bool until(const std::function<bool()>& condition) override { return fixture_.until(condition); }
  void settle() override { fixture_.settle(); }

 private:
  client::Endpoint& endpoint_;
  LoopFixture fixture_;
  std::unique_ptr<net::HttpServer> server_;
  std::unique_ptr<client::Transport> transport_;
};

}  // namespace nlc::tests
