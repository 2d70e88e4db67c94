#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "net/http_client/socket_transport.h"
#include "net/http_server/http_server.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "tests/net/loop_fixture.h"
#include "tests/net/transport_contract.h"

namespace nlc::tests {

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
