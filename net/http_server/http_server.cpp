#include "net/http_server/http_server.h"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ip/v6_only.hpp>
#include <map>
#include <utility>

#include "net/credentials/serving_certificate.h"
#include "net/http_server/http_session.h"
#include "net/process/open_files.h"

namespace nlc::net {

namespace asio = boost::asio;
using asio::ip::tcp;
using boost::system::error_code;

struct HttpServer::Listening {
  Listening(AsioLoop& on, client::Endpoint& to, HttpServerOptions how, ServingCertificate* shown)
      : loop(on), endpoint(to), options(how), certificate(shown), acceptor(on.context()) {}

  ~Listening() {
    for (const auto& [number, session] : sessions) session->abandon();
  }

  void accept() {
    acceptor.async_accept([this](const error_code& error, tcp::socket socket) {
      if (error == asio::error::operation_aborted) return;  // `this` has gone
      if (error) {
        // Out of file descriptors, most likely: asking again at once would only burn time.
        retry =
            loop.run_at(loop.clock().now() + std::chrono::milliseconds(100), [this] { accept(); });
        return;
      }
      welcome(std::move(socket));
      accept();
    });
  }

  void welcome(tcp::socket socket) {
    error_code ignored;  // A socket that died before this fails its first read.
    socket.set_option(tcp::no_delay(true), ignored);
    socket.set_option(asio::socket_base::keep_alive(true), ignored);
    if (sessions.size() >= options.connections_max) {
      sessions.begin()->second->abandon();
      sessions.erase(sessions.begin());
    }
    const std::uint64_t number = next_number++;
    auto* const tls = certificate == nullptr ? nullptr : &certificate->context();
    auto session = std::make_shared<HttpSession>(loop, endpoint, options, std::move(socket), tls);
    session->start([this, number] { sessions.erase(number); });
    sessions.emplace(number, std::move(session));
  }

  AsioLoop& loop;
  client::Endpoint& endpoint;
  const HttpServerOptions options;
  ServingCertificate* const certificate;  ///< none: without TLS
  tcp::acceptor acceptor;
  std::string bound;
  Timer retry;
  std::map<std::uint64_t, std::shared_ptr<HttpSession>> sessions;
  std::uint64_t next_number = 0;
};

namespace {

error_code bind(tcp::acceptor& acceptor, const tcp::endpoint& where, int send_buffer) {
  error_code error;
  error_code ignored;
  acceptor.open(where.protocol(), error);
  if (error) return error;
  acceptor.set_option(tcp::acceptor::reuse_address(true), ignored);
  if (where.address().is_v6()) acceptor.set_option(asio::ip::v6_only(false), ignored);
  // Inherited by every accepted socket.
  acceptor.set_option(asio::socket_base::send_buffer_size(send_buffer), ignored);
  acceptor.bind(where, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) acceptor.close(ignored);
  return error;
}

/// Every address means IPv6 with IPv4 inside, or IPv4 alone on a machine without IPv6.
error_code bind(tcp::acceptor& acceptor, const ListenAddress& address, int send_buffer) {
  if (!address.host.empty()) {
    error_code error;
    const auto ip = asio::ip::make_address(address.host, error);
    return error ? error : bind(acceptor, tcp::endpoint(ip, address.port), send_buffer);
  }
  const error_code error = bind(acceptor, tcp::endpoint(tcp::v6(), address.port), send_buffer);
  if (error != asio::error::address_family_not_supported &&
      error != boost::system::errc::address_not_available) {
    return error;
  }
  return bind(acceptor, tcp::endpoint(tcp::v4(), address.port), send_buffer);
}

}  // namespace

Result<std::unique_ptr<HttpServer>> HttpServer::listen(AsioLoop& loop, client::Endpoint& endpoint,
                                                       const ListenAddress& address,
                                                       HttpServerOptions options,
                                                       ServingCertificate* certificate) {
  auto listening = std::make_unique<Listening>(loop, endpoint, options, certificate);
  const error_code error = bind(listening->acceptor, address, options.send_buffer);
  if (error) {
    return Error{.fault = Fault::Unavailable,
                 .path = "listen on " + address_text(address.host, address.port) + ": " +
                         too_many_open_files(error.value()).value_or(error.message())};
  }
  const tcp::endpoint bound = listening->acceptor.local_endpoint();
  listening->bound =
      address_text(address.host.empty() ? "" : bound.address().to_string(), bound.port());
  listening->accept();
  return std::unique_ptr<HttpServer>(new HttpServer(std::move(listening)));
}

HttpServer::HttpServer(std::unique_ptr<Listening> listening) : listening_(std::move(listening)) {}

HttpServer::~HttpServer() = default;

std::uint16_t HttpServer::port() const { return listening_->acceptor.local_endpoint().port(); }

std::string HttpServer::address() const { return listening_->bound; }

std::size_t HttpServer::connections() const { return listening_->sessions.size(); }

}  // namespace nlc::net
