#include "net/http_client/connection.h"

#include <array>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/error.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <cassert>
#include <netinet/tcp.h>
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <sys/socket.h>
#include <utility>

#include "net/credentials/tls_context.h"
#include "net/credentials/tls_setup.h"
#include "net/http_client/response_reader.h"
#include "net/process/open_files.h"

namespace nlc::net {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

namespace {

bool is_tls_alert_about_us(const error_code& error) {
  if (error.category() != asio::error::get_ssl_category()) return false;
  switch (ERR_GET_REASON(static_cast<unsigned long>(error.value()))) {
    case SSL_R_SSLV3_ALERT_BAD_CERTIFICATE:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_EXPIRED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_REVOKED:
    case SSL_R_SSLV3_ALERT_CERTIFICATE_UNKNOWN:
    case SSL_R_SSLV3_ALERT_UNSUPPORTED_CERTIFICATE:
    case SSL_R_TLSV1_ALERT_UNKNOWN_CA:
    case SSL_R_TLSV1_ALERT_ACCESS_DENIED:
    case SSL_R_TLSV13_ALERT_CERTIFICATE_REQUIRED:
      return true;
    default:
      return false;
  }
}

bool speaks_no_tls(const error_code& error) {
  if (error.category() != asio::error::get_ssl_category()) return false;
  const int reason = ERR_GET_REASON(static_cast<unsigned long>(error.value()));
  return reason == SSL_R_WRONG_VERSION_NUMBER || reason == SSL_R_HTTP_REQUEST;
}

/// Lets the kernel notice a dead peer, because a watch on a quiet collection sends nothing itself.
void guard_against_silence(tcp::socket& socket) {
  const auto set = [&socket](int level, int name, int value) {
    ::setsockopt(socket.native_handle(), level, name, &value, sizeof value);
  };
  set(SOL_SOCKET, SO_KEEPALIVE, 1);
  set(IPPROTO_TCP, TCP_NODELAY, 1);
  set(IPPROTO_TCP, TCP_KEEPIDLE, 15);
  set(IPPROTO_TCP, TCP_KEEPINTVL, 5);
  set(IPPROTO_TCP, TCP_KEEPCNT, 3);
  set(IPPROTO_TCP, TCP_USER_TIMEOUT, 10'000);
}

}  // namespace

struct Connection::Wire : std::enable_shared_from_this<Wire> {
  Wire(AsioLoop& loop, const ClusterConfig& to, TlsContext& with)
      : server(to), tls_context(with), resolver(loop.context()), socket(loop.context()) {}

  Error failure(const std::string& why) const {
    return server_error(server, Fault::Unavailable, why);
  }

  /// Asio calls it cancelled when there was no socket to be had, and the C library says that there
  /// is no such name when it cannot open one to ask for it.
  Error no_connection(const std::string& why) const {
    return failure(no_file_can_be_opened().value_or(why));
  }

  std::string in_words(const error_code& error) const {
    if (error.category() == boost::system::system_category()) {
      if (const auto exhausted = too_many_open_files(error.value())) return *exhausted;
    }
    if (error == asio::error::connection_refused) return "connection refused";
    if (error == asio::error::connection_reset) return "connection reset by the server";
    if (error == asio::error::timed_out) return "the server fell silent";
    if (error == asio::error::broken_pipe || error == asio::error::eof ||
        error == ssl::error::stream_truncated) {
      return "the server closed the connection";
    }
    if (is_tls_alert_about_us(error)) {
      if (server.client_certificate.empty()) return "the server demands a client certificate";
      return "the server refused our " + client_certificate_in_words(server) + ": " +
             error.message();
    }
    if (speaks_no_tls(error)) return "the server does not speak TLS; is it http://?";
    return error.message();
  }

  std::string handshake_in_words(const error_code& error) {
    const long verdict = SSL_get_verify_result(tls->native_handle());
    if (verdict != X509_V_OK && !server.insecure) return verification_in_words(verdict, server);
    return "TLS handshake: " + in_words(error);
  }

  void resolve(Done opened) {
    error_code no_address;
    const auto address = asio::ip::make_address(server.host, no_address);
    if (!no_address)
      return connect(std::array{tcp::endpoint(address, server.port)}, std::move(opened));
    resolver.async_resolve(
        server.host, std::to_string(server.port), tcp::resolver::numeric_service,
        [self = shared_from_this(), opened = std::move(opened)](
            const error_code& error, const tcp::resolver::results_type& found) mutable {
          if (self->closed) return;
          if (!error) return self->connect(found, std::move(opened));
          opened(self->no_connection("the name " + self->server.host +
                                     " was not found (DNS): " + error.message()));
        });
  }

  template <typename Endpoints>
  void connect(const Endpoints& endpoints, Done opened) {
    asio::async_connect(socket, endpoints,
                        [self = shared_from_this(), opened = std::move(opened)](
                            const error_code& error, const tcp::endpoint&) mutable {
                          if (self->closed) return;
                          if (error) return opened(self->no_connection(self->in_words(error)));
                          self->connected(std::move(opened));
                        });
  }

  void connected(Done opened) {
    guard_against_silence(socket);
    error_code ignored;
    socket.non_blocking(true, ignored);
    if (!server.tls) return opened(std::nullopt);
    Result<ssl::context*> context = tls_context.current();
    if (!context) return opened(std::move(context.error()).while_doing(server_url(server)));
    tls.emplace(socket, **context);
    resumes = tls_context.resume(tls->native_handle());
    if (const std::string& name = expected_name(server); !is_ip_address(name)) {
      // What SSL_set_tlsext_host_name does, without its C cast.
      SSL_ctrl(tls->native_handle(), SSL_CTRL_SET_TLSEXT_HOSTNAME, TLSEXT_NAMETYPE_host_name,
               const_cast<char*>(name.c_str()));
    }
    shake_hands(std::move(opened));
  }

  void shake_hands(Done opened) {
    tls->async_handshake(
        ssl::stream_base::client,
        [self = shared_from_this(), opened = std::move(opened)](const error_code& error) {
          if (self->closed) return;
          if (!error) return opened(std::nullopt);
          const bool broken_off = error.category() == asio::error::get_ssl_category();
          if (self->resumes && broken_off) return self->begin_anew(opened);
          opened(self->failure(self->handshake_in_words(error)));
        });
  }

  /// There are servers that cannot take up a session, and break off where one is offered.
  void begin_anew(Done opened) {
    tls_context.give_up_sessions();
    tls.reset();
    error_code ignored;
    socket.close(ignored);
    resolve(std::move(opened));
  }

  const ClusterConfig& server;
  TlsContext& tls_context;
  tcp::resolver resolver;
  tcp::socket socket;
  std::optional<ssl::stream<tcp::socket&>> tls;
  std::string outgoing;
  std::size_t gathered = 1;
  bool resumes = false;  ///< it offers the session of an earlier connection
  bool closed = false;
};

Connection::Connection(AsioLoop& loop, const ClusterConfig& server, TlsContext& tls)
    : wire_(std::make_shared<Wire>(loop, server, tls)) {}

Connection::~Connection() {
  wire_->closed = true;
  wire_->resolver.cancel();
  error_code ignored;
  wire_->socket.close(ignored);
}

void Connection::open(Done opened) { wire_->resolve(std::move(opened)); }

void Connection::write(std::string bytes, Done written) {
  // Asio reads the buffer again whenever the socket has room, which may be after this connection
  // was destroyed; the operation keeps the wire alive, and the buffer with it.
  wire_->outgoing = std::move(bytes);
  auto finish = [wire = wire_, written = std::move(written)](const error_code& error, std::size_t) {
    if (wire->closed) return;
    written(error ? std::optional(wire->failure(wire->in_words(error))) : std::nullopt);
  };
  const auto buffer = asio::buffer(wire_->outgoing);
  if (wire_->tls) {
    asio::async_write(*wire_->tls, buffer, std::move(finish));
  } else {
    asio::async_write(wire_->socket, buffer, std::move(finish));
  }
}

void Connection::when_readable(std::function<void()> ready) {
  wire_->socket.async_wait(tcp::socket::wait_read,
                           [wire = wire_, ready = std::move(ready)](const error_code&) {
                             // An error shows again in `read`, with its words.
                             if (!wire->closed) ready();
                           });
}

Connection::Read Connection::read(std::span<char> space) {
  assert(!space.empty());
  error_code error;
  const auto buffer = asio::buffer(space.data(), space.size());
  const std::size_t size =
      wire_->tls ? wire_->tls->read_some(buffer, error) : wire_->socket.read_some(buffer, error);
  if (!error || size > 0) {
    // TLS may hold decrypted bytes of which the socket knows nothing: only an empty read proves
    // that nothing is left.
    const bool more = wire_->tls.has_value() || size == space.size();
    return {.kind = Read::Kind::Data, .size = size, .more = more};
  }
  if (error == asio::error::would_block || error == asio::error::try_again) {
    return {.kind = Read::Kind::NothingYet};
  }
  if (error == asio::error::eof || error == ssl::error::stream_truncated)
    return {.kind = Read::Kind::Ended};
  return {.kind = Read::Kind::Broken, .error = wire_->failure(wire_->in_words(error))};
}

Connection::Read Connection::read(ResponseReader& response) {
  Read read = this->read(response.space());
  if (read.kind == Read::Kind::NothingYet || read.error) return read;
  const auto problem =
      read.kind == Read::Kind::Ended ? response.ended() : response.filled(read.size);
  if (problem) read.error = server_error(wire_->server, problem->fault, problem->what);
  return read;
}

bool Connection::gather(std::size_t bytes) {
  if (wire_->gathered == bytes) return true;
  const int least = static_cast<int>(bytes);
  const int failed =
      ::setsockopt(wire_->socket.native_handle(), SOL_SOCKET, SO_RCVLOWAT, &least, sizeof least);
  if (failed == 0) wire_->gathered = bytes;
  return failed == 0;
}

bool Connection::is_quiet() {
  char byte = 0;
  return read({&byte, 1}).kind == Read::Kind::NothingYet;
}

}  // namespace nlc::net
