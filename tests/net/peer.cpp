#include "tests/net/peer.h"

#include <boost/asio/buffer.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl/context.hpp>
#include <boost/asio/ssl/stream.hpp>
#include <boost/asio/write.hpp>
#include <cstdlib>
#include <openssl/ssl.h>
#include <optional>
#include <set>

namespace nlc::tests {

namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using asio::ip::tcp;
using boost::system::error_code;

namespace {
constexpr unsigned char session_owner = 1;
}

std::string header_of(const std::string& request, const std::string& name) {
  const std::string line = "\r\n" + name + ":";
  const std::size_t begin = request.substr(0, request.find("\r\n\r\n")).find(line);
  if (begin == std::string::npos) return "";
  const std::size_t value = request.find_first_not_of(' ', begin + line.size());
  return request.substr(value, request.find("\r\n", value) - value);
}

struct Peer::Accepting {
  Accepting(Peer& owner, net::AsioLoop& loop, Script what, const PeerTls* tls)
      : peer(owner),
        script(std::move(what)),
        acceptor(loop.context(), {asio::ip::address_v4::loopback(), 0}) {
    if (tls == nullptr) return;
    context.emplace(ssl::context::tls_server);
    context->use_certificate_chain(asio::buffer(tls->identity.certificate));
    context->use_private_key(asio::buffer(tls->identity.key), ssl::context::pem);
    if (tls->client_ca.empty()) return;
    context->add_certificate_authority(asio::buffer(tls->client_ca));
    context->set_verify_mode(ssl::verify_peer | ssl::verify_fail_if_no_peer_cert);
    // Without it OpenSSL breaks off where whoever must show a certificate offers a session.
    if (tls->resumes) SSL_CTX_set_session_id_context(context->native_handle(), &session_owner, 1);
  }

  void accept();

  Peer& peer;
  Script script;
  tcp::acceptor acceptor;
  std::optional<ssl::context> context;
  std::set<std::shared_ptr<Caller>> callers;
};

struct Peer::Caller : std::enable_shared_from_this<Caller> {
  Caller(Accepting* from, tcp::socket accepted) : accepting(from), socket(std::move(accepted)) {
    error_code ignored;
    socket.set_option(tcp::no_delay(true), ignored);
    if (from->context) tls.emplace(socket, *from->context);
  }

  void start() {
    if (!tls) return read();
    tls->async_handshake(ssl::stream_base::server,
                         [self = shared_from_this()](const error_code& error) {
                           if (error) return self->gone();
                           const bool resumed = SSL_session_reused(self->tls->native_handle()) == 1;
                           self->accepting->peer.resumed += resumed ? 1 : 0;
                           self->read();
                         });
  }

  void gone() {
    if (accepting == nullptr) return;
    ++accepting->peer.closed;
    accepting->callers.erase(shared_from_this());
    accepting = nullptr;
  }

  template <typename Then>
  void read_some(Then then) {
    if (tls) {
      tls->async_read_some(asio::buffer(space), std::move(then));
    } else {
      socket.async_read_some(asio::buffer(space), std::move(then));
    }
  }

  void read() {
    read_some([self = shared_from_this()](const error_code& error, std::size_t size) {
      if (self->accepting == nullptr) return;
      if (error) return self->gone();
      self->pending.append(self->space, size);
      self->serve();
    });
  }

  std::size_t request_size() const {
    const std::size_t end = pending.find("\r\n\r\n");
    if (end == std::string::npos) return 0;
    const std::size_t body =
        std::strtoul(header_of(pending, "Content-Length").c_str(), nullptr, 10);
    return pending.size() >= end + 4 + body ? end + 4 + body : 0;
  }

  void serve() {
    const std::size_t size = request_size();
    if (size == 0) return read();
    const std::string request = pending.substr(0, size);
    pending.erase(0, size);
    accepting->peer.requests.push_back(request);
    reply = accepting->script(request);
    written = 0;
    write();
  }

  void write() {
    if (written == reply.bytes.size()) return done();
    const std::size_t size = reply.byte_by_byte ? 1 : reply.bytes.size() - written;
    const auto buffer = asio::buffer(reply.bytes.data() + written, size);
    auto then = [self = shared_from_this()](const error_code& error, std::size_t wrote) {
      if (self->accepting == nullptr) return;
      if (error) return self->gone();
      self->written += wrote;
      self->write();
    };
    if (tls) {
      asio::async_write(*tls, buffer, then);
    } else {
      asio::async_write(socket, buffer, then);
    }
  }

  void done() {
    if (reply.then == Reply::Then::Keep) return read();
    close(reply.then);
  }

  void close(Reply::Then how) {
    error_code ignored;
    if (how == Reply::Then::Reset) socket.set_option(asio::socket_base::linger(true, 0), ignored);
    socket.close(ignored);
    if (accepting != nullptr) accepting->callers.erase(shared_from_this());
    accepting = nullptr;
  }

  Accepting* accepting;
  tcp::socket socket;
  std::optional<ssl::stream<tcp::socket&>> tls;
  char space[16 * 1024];
  std::string pending;
  Reply reply;
  std::size_t written = 0;
};

void Peer::Accepting::accept() {
  acceptor.async_accept([this](const error_code& error, tcp::socket socket) {
    if (error) return;
    ++peer.connections;
    const auto caller = std::make_shared<Caller>(this, std::move(socket));
    callers.insert(caller);
    caller->start();
    accept();
  });
}

Peer::Peer(net::AsioLoop& loop, Script script, const PeerTls* tls)
    : accepting_(std::make_unique<Accepting>(*this, loop, std::move(script), tls)) {
  accepting_->accept();
}

Peer::~Peer() { close_connections(); }

std::uint16_t Peer::port() const { return accepting_->acceptor.local_endpoint().port(); }

void Peer::close_connections() {
  const std::set<std::shared_ptr<Caller>> callers = accepting_->callers;
  for (const auto& caller : callers) caller->close(Reply::Then::Close);
}

struct RawClient::Wire : std::enable_shared_from_this<Wire> {
  explicit Wire(net::AsioLoop& loop) : socket(loop.context()) {}

  void read() {
    if (paused || reading || closed) return;
    reading = true;
    socket.async_read_some(asio::buffer(space),
                           [self = shared_from_this()](const error_code& error, std::size_t size) {
                             self->reading = false;
                             if (error) self->closed = true;
                             self->received.append(self->space, size);
                             self->read();
                           });
  }

  tcp::socket socket;
  char space[64 * 1024];
  std::string received;
  bool closed = false;
  bool paused = false;
  bool reading = false;
};

RawClient::RawClient(net::AsioLoop& loop, std::uint16_t port)
    : wire_(std::make_shared<Wire>(loop)) {
  wire_->socket.connect({asio::ip::address_v4::loopback(), port});
  wire_->read();
}

RawClient::~RawClient() { leave(); }

void RawClient::send(const std::string& bytes) {
  const auto kept = std::make_shared<std::string>(bytes);
  asio::async_write(wire_->socket, asio::buffer(*kept),
                    [kept, wire = wire_](const error_code&, std::size_t) {});
}

void RawClient::pause() {
  wire_->paused = true;
  error_code ignored;
  wire_->socket.cancel(ignored);
}

void RawClient::resume() {
  wire_->paused = false;
  wire_->closed = false;
  wire_->read();
}

void RawClient::leave() {
  error_code ignored;
  wire_->socket.close(ignored);
}

const std::string& RawClient::received() const { return wire_->received; }

bool RawClient::is_closed() const { return wire_->closed; }

}  // namespace nlc::tests
