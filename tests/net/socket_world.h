#pragma once

#include <functional>
#include <memory>
#include <utility>

#include "net/credentials/serving_certificate.h"
#include "net/http_client/socket_transport.h"
#include "net/http_server/http_server.h"
#include "net/loop/asio_loop.h"
#include "net/loop/system_clock.h"
#include "tests/net/certificates.h"
#include "tests/net/loop_fixture.h"
#include "tests/net/temporary_folder.h"
#include "tests/net/transport_world.h"

namespace nlc::tests {

enum class Wire { Plain, Tls };

/// The transport that `make` builds, towards an HttpServer on a free port.
template <typename Make, Wire wire = Wire::Plain>
class SocketWorld final : public TransportWorld {
 public:
  explicit SocketWorld(client::Endpoint& endpoint, Make make = {}) : endpoint_(endpoint) {
    if (wire == Wire::Tls) certificate_ = shown();
    auto listening = net::HttpServer::listen(
        fixture_.loop, endpoint_, {.host = "127.0.0.1", .port = 0}, {}, certificate_.get());
    if (!listening) throw std::runtime_error(listening.error().path);
    server_ = *std::move(listening);
    net::ClusterConfig config = plain_config(server_->port());
    config.tls = wire == Wire::Tls;
    config.ca.data = authority_.certificate();
    transport_ = make(std::move(config), fixture_.surroundings());
  }

  client::Transport& transport() override { return *transport_; }
  client::Gate& gate() override { return fixture_.gate; }
  const Clock& clock() const override { return fixture_.clock; }
  bool until(const std::function<bool()>& condition) override { return fixture_.until(condition); }
  void settle() override { fixture_.settle(); }

 private:
  std::unique_ptr<net::ServingCertificate> shown() {
    const KeyPair pair = authority_.issue({});
    auto certificate =
        net::ServingCertificate::read({.certificate = folder_.write("tls.crt", pair.certificate),
                                       .key = folder_.write("tls.key", pair.key)},
                                      fixture_.clock, fixture_.log);
    if (!certificate) throw std::runtime_error(certificate.error().path);
    return *std::move(certificate);
  }

  client::Endpoint& endpoint_;
  LoopFixture fixture_;
  TestCa authority_;
  TemporaryFolder folder_;
  std::unique_ptr<net::ServingCertificate> certificate_;
  std::unique_ptr<net::HttpServer> server_;
  std::unique_ptr<client::Transport> transport_;
};

}  // namespace nlc::tests
